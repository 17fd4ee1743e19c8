set(FILES model.c options.c choose.c plan.c point.c contraction.c along.c advise.c orders.c ladder.c foresee.c handover.c start.c precondition.c tally.c drift.c predict.c oracle.c passive.c record.c journal.c run.c
    near.c yaml.c formula.c formula_parse.c formula_rate.c formula_piece.c formula_break.c units.c file.c file_bytes.c file_node.c file_run.c
    file_parameter.c file_units.c file_subsystem.c file_linear.c file_include.c file_inputs.c
    file_coupling.c file_diode.c file_constraint.c file_connect.c file_facts.c
    file_component.c file_field.c file_wires.c file_masses.c file_multibody.c file_ph.c file_masses_ph.c file_waves.c
    file_netlist.c file_netlist_cut.c file_netlist_facts.c
    file_netlist_hints.c file_netlist_lines.c file_netlist_model.c
    file_netlist_part.c file_analyse.c file_measure.c rest.c)
set(TESTS contraction_test oracle_test run_test refuse_test coupled_test record_test journal_test near_test yaml_test
    formula_test formula_break_test formula_run_test units_test file_units_test file_test file_refuse_test file_model_test
    accelerate_test repair_test ladder_test file_component_test file_diode_test file_field_test file_multibody_test file_mechanism_refuse_test
    delay_test latent_test file_ph_test file_waves_test netlist_cut_test netlist_fail_test netlist_part_test netlist_test netlist_time_test rest_test file_measure_test)
list(APPEND FILES spot.c spot_check.c certify.c)
list(APPEND TESTS spot_test)
