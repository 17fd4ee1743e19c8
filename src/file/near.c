/* file/near.c -- the nearest known word. */
#include "file/near.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static int smaller(int a, int b)
{
    return a < b ? a : b;
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
