set(FILES graph.c constraint.c schedule.c)
set(TESTS)
