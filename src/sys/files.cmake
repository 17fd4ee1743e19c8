set(FILES system.c call.c difference.c probe.c profile.c linear.c part.c ports.c compose.c
    compose_closed.c compose_curves.c compose_eval.c compose_initial.c compose_terms.c course.c absent.c
    index.c solvable.c check.c motion.c
    response.c unstable.c)
set(TESTS system_test jet_test profile_test compose_test part_test solvable_test check_test
    event_test motion_test response_test unstable_test)
