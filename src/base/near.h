/* base/near.h -- for suggestions: how far apart two words are. */
#ifndef YK_BASE_NEAR_H
#define YK_BASE_NEAR_H

enum { YK_FAR_APART = 1000 };

/* How many letters differ (Levenshtein).  Small and capital letters, "-" and
 * "_" count as equal; words of more than 48 letters as far apart. */
int yk_word_distance(const char *a, const char *b);

#endif
