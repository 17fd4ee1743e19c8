/* comp/components.c -- the list of all components: one line each. */
#include "file/component.h"

extern const yk_component yk_component_model, yk_component_linear,
    yk_component_netlist, yk_component_diode, yk_component_field,
    yk_component_fmu, yk_component_inductance, yk_component_mechanism,
    yk_component_multibody, yk_component_ph, yk_component_plugin,
    yk_component_program, yk_component_ssp, yk_component_wires;

const yk_component *const yk_components[] = {
    &yk_component_model,      &yk_component_linear,    &yk_component_netlist,
    &yk_component_diode,      &yk_component_field,     &yk_component_fmu,
    &yk_component_inductance, &yk_component_mechanism, &yk_component_multibody,
    &yk_component_ph,         &yk_component_plugin,    &yk_component_program,
    &yk_component_ssp,        &yk_component_wires,     NULL,
};
