/* file/near.h -- suggestions for misspelt words. */
#ifndef YK_NEAR_H
#define YK_NEAR_H

#include "base/near.h"

#include <stdbool.h>

/* The word of the list nearest to `word`, or NULL if none is similar.  Small
 * and capital letters, "-" and "_" count as equal. */
const char *yk_nearest_word(const char *word, int count,
                            const char *const *list);

/* "is a name": a letter or _ first, then letters, digits and _.  Letters beyond
 * ASCII are letters. */
bool yk_is_name(const char *text);

#endif
