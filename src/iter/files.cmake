set(FILES window.c sweep.c converge.c)
set(TESTS converge_test window_test)
