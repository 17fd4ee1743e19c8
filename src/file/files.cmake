set(FILES bytes.c component.c computed.c connect.c connected.c constraint.c coupling.c facts.c file.c
    formula.c formula_parse.c formula_rate.c functions.c include.c inputs.c measure.c node.c open.c parameter.c port_units.c rates.c
    run_section.c
    subsystem.c terminals.c units.c yaml.c yaml_why.c)
set(TESTS component_test declared_units_test file_test formula_break_test
    formula_run_test formula_test open_test refuse_test units_test waves_test
    yaml_test)
list(APPEND TESTS computed_test constant_test)
