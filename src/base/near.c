/* base/near.c -- how far apart two words are, by Levenshtein's distance. */
#include "base/near.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 48 };

static int fold(char c)
{
    return c == '_' ? '-' : tolower((unsigned char)c);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int yk_word_distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    int row[LONGEST + 1];

    if (n > LONGEST || m > LONGEST) return YK_FAR_APART;
    for (size_t j = 0; j <= m; j++) row[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            const int above = row[j];
            const int replaced = diagonal + (fold(a[i - 1]) != fold(b[j - 1]));
            row[j] = smaller(smaller(above, row[j - 1]) + 1, replaced);
            diagonal = above;
        }
    }
    return row[m];
}
