set(FILES compile.c equation.c expr.c flat.c ports.c rates.c read.c single_model.c code/code_c.c
    code/emit.c code/interpret.c code/layout.c code/model.c
    code/subsystem.c events/algebra.c events/breaks.c events/condition.c events/courses.c
    events/curves.c events/events.c
    events/events_make.c events/hold.c events/inline.c events/instants.c events/latch.c events/relation.c
    front/builtin.c front/builtin_array.c front/builtin_event.c
    front/algorithm.c front/call.c front/connect.c front/declared_units.c front/element.c
    front/equations.c front/table_value.c front/external.c front/front.c front/inspect.c front/lex.c front/library.c front/override.c front/parse.c
    front/parse_class.c front/parse_equation.c front/record.c front/scalars.c front/shape.c front/start.c front/statement.c
    front/symbols.c front/value.c front/when.c structure/alias.c
    structure/charge.c structure/chart.c structure/chart_make.c structure/combine.c
    structure/depend.c structure/differentiate.c structure/dummy.c
    structure/initial.c structure/initial_choose.c structure/initial_newton.c
    structure/initial_system.c structure/reduce.c structure/structure.c)
set(TESTS compile_test equation_test model_file_test rates_test
    events/algebra_test events/events_test events/hybrid_test events/kink_test events/rectifier_test
    front/front_hybrid_test    front/front_refuse_test front/front_test front/inspect_test
    structure/chart_test structure/combine_test structure/reduce_test)
