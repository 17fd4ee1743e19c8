/* fmi/missing.c -- what the binary of an FMU does without: closed parts inside,
 * HDF5 results, METIS, OpenBLAS.  Defined here, the objects of the library are
 * not linked, nor what they need.
 */
#include "file/component.h"
#include "io/format.h"
#include "la/bisect.h"
#include "la/blas.h"

/* ---- closed parts ------------------------------------------------------- */

extern const yk_component yk_component_model, yk_component_linear,
    yk_component_netlist, yk_component_diode, yk_component_field,
    yk_component_inductance, yk_component_mechanism, yk_component_multibody,
    yk_component_ph, yk_component_wires;

/* The list of comp/components.c without those that need a worker, or libraries
 * that the binary does not have. */
const yk_component *const yk_components[] = {
    &yk_component_model,
    &yk_component_linear,
    &yk_component_netlist,
    &yk_component_diode,
    &yk_component_field,
    &yk_component_inductance,
    &yk_component_mechanism,
    &yk_component_multibody,
    &yk_component_ph,
    &yk_component_wires,
    NULL,
};

/* ---- libraries ---------------------------------------------------------- */

const yk_format yk_format_hdf5 = { .extension = ".h5" };

yoke_status yk_bisect(const yk_weighted *graph, int wanted, int *part,
                      int *parts, yoke_err *err)
{
    (void)graph, (void)wanted, (void)part, (void)parts;
    return yk_fail(err, YOKE_E_MISSING,
                   "an exported FMU cannot cut a netlist by itself: give it "
                   "parts, or `partition: none`");
}

void yk_blas_one_thread(void)
{
}
