set(FILES dense.c depend.c pattern.c lu.c lu_dense.c lu_klu.c)
set(TESTS la_test dense_test depend_test)
