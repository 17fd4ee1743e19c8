set(FILES window.c sweep.c converge.c)
set(TESTS)
