set(FILES graph.c constraint.c constraint_check.c schedule.c cluster.c jumps.c solve_check.c contract.c weigh.c)
set(TESTS graph_test schedule_test weigh_test)
