set(FILES window.c sweep.c converge.c resize.c)
set(TESTS resize_test converge_test window_test)
