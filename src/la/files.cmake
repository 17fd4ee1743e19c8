set(FILES arnoldi.c bisect.c blas.c cholesky.c dense.c depend.c foreign.c krylov.c least_squares.c lti.c newton.c sparse.c pattern.c lu.c lu_dense.c lu_klu.c)
set(TESTS arnoldi_test bisect_test blas_test cholesky_test la_test dense_test depend_test krylov_test newton_test)
