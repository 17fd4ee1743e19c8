/* base/near.h -- suggestions for misspelt words. */
#ifndef YK_BASE_NEAR_H
#define YK_BASE_NEAR_H

#include <stdbool.h>

enum { YK_FAR_APART = 1000 };

/* How many letters differ (Levenshtein).  Small and capital letters, "-" and
 * "_" count as equal; words of more than 48 letters as far apart. */
int yk_word_distance(const char *a, const char *b);

/* The word of the list nearest to `word`, or NULL if none is similar.  Small
 * and capital letters, "-" and "_" count as equal. */
const char *yk_nearest_word(const char *word, int count,
                            const char *const *list);

/* "is a name": a letter or _ first, then letters, digits and _.  Letters beyond
 * ASCII are letters. */
bool yk_is_name(const char *text);

#endif
