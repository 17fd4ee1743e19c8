/* base/near.c -- how far apart two words are, by Levenshtein's distance; the
 * nearest known word. */
#include "base/near.h"

#include <ctype.h>
#include <stddef.h>
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

const char *yk_nearest_word(const char *word, int count,
                            const char *const *list)
{
    const char *best = NULL;
    int distance = 2 + smaller((int)strlen(word) / 3, 2);

    for (int i = 0; i < count; i++) {
        const int d = yk_word_distance(word, list[i]);
        if (d >= distance || (size_t)d >= strlen(list[i])) continue;
        distance = d;
        best = list[i];
    }
    return best;
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

bool yk_is_name(const char *text)
{
    if (!is_letter(*text)) return false;
    while (is_letter(*text) || isdigit((unsigned char)*text)) text++;
    return !*text;
}
