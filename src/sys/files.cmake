set(FILES system.c difference.c probe.c linear.c part.c compose.c solvable.c)
set(TESTS)
