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

/* The sign of the keyboard that a sign of print stands for, such as - for a
 * minus sign or " for a curved quotation mark, and its bytes in *length (may be
 * NULL); NULL: `text` begins with none.  A blank that does not break is one. */
const char *yk_plain_sign(const char *text, int *length);

/* Does `text` begin with (a byte of) a letter or _?  Letters beyond ASCII are
 * letters, signs of print are not. */
bool yk_is_letter(const char *text);

/* "is a name": a letter or _ first, then letters, digits and _. */
bool yk_is_name(const char *text);

#endif
