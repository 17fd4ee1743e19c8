/* base/near.c -- how far apart two words are, by Levenshtein's distance; the
 * nearest known word.  A third of the letters may differ; a word that begins
 * like a known one for two thirds of its length (params, parameters) comes
 * behind those. */
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

static bool begins_alike(const char *word, const char *known)
{
    size_t same = 0;

    while (word[same] && fold(word[same]) == fold(known[same])) same++;
    return same >= 3 && 3 * same >= 2 * strlen(word);
}

const char *yk_nearest_word(const char *word, int count,
                            const char *const *list)
{
    const char *best = NULL;
    const int most = ((int)strlen(word) + 2) / 3;
    int distance = smaller(most, 3) + 2;

    for (int i = 0; i < count; i++) {
        int d = yk_word_distance(word, list[i]);
        if (d > smaller(most, 3) && begins_alike(word, list[i]))
            d = smaller(most, 3) + 1;
        else if (d > smaller(most, 3))
            continue;
        if (d >= distance || (size_t)d >= strlen(list[i])) continue;
        distance = d;
        best = list[i];
    }
    return best;
}

static const struct {
    const char *printed, *plain;
} signs[] = {
    { "\xe2\x80\x9c", "\"" }, { "\xe2\x80\x9d", "\"" }, /* curved quotes */
    { "\xe2\x80\x9e", "\"" }, { "\xc2\xab", "\"" },
    { "\xc2\xbb", "\"" },     { "\xe2\x80\x98", "'" },
    { "\xe2\x80\x99", "'" },  { "\xe2\x80\xb2", "'" }, /* prime */
    { "\xe2\x80\x90", "-" },  { "\xe2\x80\x91", "-" }, /* hyphens, dashes */
    { "\xe2\x80\x93", "-" },  { "\xe2\x80\x94", "-" },
    { "\xe2\x88\x92", "-" }, /* minus */
    { "\xc2\xb7", "*" },      { "\xe2\x8b\x85", "*" },
    { "\xc3\x97", "*" },      { "\xc3\xb7", "/" },
    { "\xe2\x89\xa4", "<=" }, { "\xe2\x89\xa5", ">=" },
    { "\xe2\x89\xa0", "<>" }, { "\xc2\xb2", "^2" },
    { "\xc2\xb3", "^3" },     { "\xe2\x88\x9a", "sqrt" },
    { "\xc2\xa0", " " },      { "\xe2\x80\xaf", " " }, /* do not break */
    { "\xe2\x80\x89", " " },  { "\xe2\x80\x8b", " " },
};

const char *yk_plain_sign(const char *text, int *length)
{
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        const size_t n = strlen(signs[k].printed);
        if (strncmp(text, signs[k].printed, n) != 0) continue;
        if (length) *length = (int)n;
        return signs[k].plain;
    }
    return NULL;
}

bool yk_is_letter(const char *text)
{
    const unsigned char c = (unsigned char)*text;

    if (c >= 0x80) return !yk_plain_sign(text, NULL);
    return isalpha(c) || c == '_';
}

bool yk_is_name(const char *text)
{
    if (!yk_is_letter(text)) return false;
    while (yk_is_letter(text) || isdigit((unsigned char)*text)) text++;
    return !*text;
}
