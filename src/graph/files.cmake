set(FILES graph.c apart.c constraint.c constraint_check.c constraint_rates.c schedule.c cluster.c jumps.c solve_check.c contract.c cost.c gain.c colours.c late.c levels.c weigh.c
    ph_bounds.c ph_net.c ph_ports.c)
set(TESTS cost_test graph_test late_test levels_test schedule_test weigh_test)
list(APPEND FILES constant.c)
