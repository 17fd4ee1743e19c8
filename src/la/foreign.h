/* la/foreign.h -- where SuiteSparse has its memory from. */
#ifndef YK_LA_FOREIGN_H
#define YK_LA_FOREIGN_H

/* KLU and CHOLMOD allocate from the image (base/image.h) from now on, in all
 * threads.  Before they are first used. */
void yk_foreign_image(void);

#endif
