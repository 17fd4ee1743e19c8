set(FILES model.c options.c choose.c plan.c point.c contraction.c advise.c start.c record.c journal.c run.c
    near.c yaml.c formula.c units.c file.c file_bytes.c file_node.c file_run.c
    file_parameter.c file_subsystem.c file_linear.c file_include.c
    file_coupling.c file_constraint.c file_connect.c)
set(TESTS contraction_test run_test refuse_test coupled_test journal_test near_test yaml_test
    formula_test units_test file_test file_refuse_test file_model_test)
