set(FILES graph.c constraint.c schedule.c cluster.c solve_check.c contract.c)
set(TESTS graph_test schedule_test)
