/* la/blas.h -- how many threads OpenBLAS has. */
#ifndef YK_BLAS_H
#define YK_BLAS_H

/* Makes it one, unless somebody has chosen a number.  To be called before
 * LAPACK or CHOLMOD work; cheap. */
void yk_blas_one_thread(void);

#endif
