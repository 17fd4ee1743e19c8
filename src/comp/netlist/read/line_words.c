/* comp/netlist/read/line_words.c -- words and numbers of a line. */
#include "base/near.h"
#include "comp/netlist/read/read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool yk_net_is(const yk_net_word *word, const char *text)
{
    return word->kind == YK_NET_WORD && (size_t)word->length == strlen(text) &&
           memcmp(word->text, text, (size_t)word->length) == 0;
}

yoke_status yk_net_copy(yk_arena *arena, const char **out, const char *text,
                        int length, yoke_err *err)
{
    return yk_arena_print(arena, out, err, "%.*s", length, text);
}

void yk_net_near_try(yk_net_near *near, const char *name)
{
    const int d = yk_word_distance(near->wanted, name);

    if (near->best && d >= near->distance) return;
    near->best = name;
    near->distance = d;
}

const char *yk_net_near_text(const yk_net_near *near, char *room, size_t size)
{
    const int most = (int)(strlen(near->wanted) + 2) / 3;

    room[0] = '\0';
    if (near->best && near->distance <= most)
        snprintf(room, size, " (near: \"%.80s\")", near->best);
    return room;
}

/* ---- numbers ------------------------------------------------------------- */

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* mantissa * 10^exponent, correctly rounded. */
static double scaled(unsigned long long mantissa, int exponent)
{
    static const double ten[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,
                                  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
                                  1e18, 1e19, 1e20, 1e21, 1e22 };
    char room[48];

    if (mantissa < 1ull << 53 && exponent >= -22 && exponent <= 22)
        return exponent < 0 ? (double)mantissa / ten[-exponent]
                            : (double)mantissa * ten[exponent];
    snprintf(room, sizeof room, "%llue%d", mantissa, exponent);
    return strtod(room, NULL); /* no decimal point: the same in any locale */
}

/* Power of ten of the suffix; *mil is set for a thousandth of an inch. */
static int suffix(const char *text, int length, bool *mil)
{
    const bool three = length >= 3;

    if (length < 1) return 0;
    if (three && strncmp(text, "meg", 3) == 0) return 6;
    if (three && strncmp(text, "mil", 3) == 0) {
        *mil = true;
        return -7; /* of 254 */
    }
    switch (text[0]) {
    case 't':
        return 12;
    case 'g':
        return 9;
    case 'k':
        return 3;
    case 'm':
        return -3;
    case 'u':
        return -6;
    case 'n':
        return -9;
    case 'p':
        return -12;
    case 'f':
        return -15;
    default:
        return 0;
    }
}

/* Letters of a unit: ASCII and the signs of ohms and degrees.  Others are refused: what looks
 * like a micro sign and is none would change the value. */
static int unit_letters(const char *text, int length)
{
    static const char *const sign[] = { "\xce\xa9", "\xcf\x89", "\xe2\x84\xa6",
                                        "\xc2\xb0" };
    int i = 0;

    for (bool more = true; more && i < length;) {
        more = letter(text[i]);
        i += more;
        for (int k = 0; !more && k < 4; k++) {
            const int n = (int)strlen(sign[k]);
            if (n > length - i || memcmp(text + i, sign[k], (size_t)n) != 0)
                continue;
            i += n;
            more = true;
        }
    }
    return i;
}

static int read_exponent(const char *text, int length, int *at)
{
    int i = *at, sign = 1, value = 0;

    if (i >= length || (text[i] != 'e' && text[i] != 'd')) return 0;
    i++;
    if (i < length && (text[i] == '+' || text[i] == '-'))
        sign = text[i++] == '-' ? -1 : 1;
    if (i >= length || !digit(text[i])) return 0; /* a unit */
    for (; i < length && digit(text[i]); i++)
        if (value < 100000) value = 10 * value + (text[i] - '0');
    *at = i;
    return sign * value;
}

double yk_net_number(const char *text, int length, int *used)
{
    unsigned long long mantissa = 0;
    int i = 0, digits = 0, exponent = 0;
    bool negative = false, point = false, mil = false;

    *used = 0;
    if (i < length && (text[i] == '+' || text[i] == '-'))
        negative = text[i++] == '-';
    for (; i < length && (digit(text[i]) || (text[i] == '.' && !point)); i++) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        digits++;
        if (mantissa < 1000000000000000000ull) {
            mantissa = 10 * mantissa + (unsigned)(text[i] - '0');
            exponent -= point;
        } else {
            exponent += !point;
        }
    }
    if (digits == 0) return 0.0;
    exponent += read_exponent(text, length, &i);
    exponent += suffix(text + i, length - i, &mil);
    i += unit_letters(text + i, length - i);
    *used = i;
    if (mil && mantissa > 10000000000000000ull) { /* room for the factor */
        mantissa /= 1000;
        exponent += 3;
    }
    const double value = scaled(mil ? 254 * mantissa : mantissa, exponent);
    return negative ? -value : value;
}

/* ---- words --------------------------------------------------------------- */

static bool ends_word(char c)
{
    return c == '\0' || isspace((unsigned char)c) || strchr(",=(){}'\"", c);
}

/* Letters from a mark up to the one that closes it, or -1. */
static int enclosed(const char *text)
{
    int depth = 0;

    if (*text != '{') {
        const char *end = strchr(text + 1, *text);
        return end ? (int)(end - text) - 1 : -1;
    }
    for (int i = 0; text[i]; i++) {
        depth += (text[i] == '{') - (text[i] == '}');
        if (depth == 0) return i - 1;
    }
    return -1;
}

static bool compares(const char *text)
{
    return text[1] == '=' && strchr("=<>!", text[0]);
}

/* Letters of "net-(c1-pad1)", as KiCad names a net, or 0. */
static int kicad_net(const char *text)
{
    const size_t n =
        strncmp(text, "net-(", 5) == 0 ? strcspn(text, ") \t,") : 0;

    return n > 5 && text[n] == ')' ? (int)n + 1 : 0;
}

/* One word; returns what follows it, or NULL if a mark is not closed. */
static const char *read_word(const char *text, yk_net_word *word)
{
    *word = (yk_net_word){ YK_NET_WORD, 1, text };
    if (compares(text)) {
        word->length = 2;
    } else if (strchr("{'\"", *text)) {
        word->kind = *text == '"' ? YK_STRING : YK_BRACED;
        word->length = enclosed(text);
        word->text = text + 1;
        return word->length < 0 ? NULL : text + word->length + 2;
    } else if (strchr("=(),", *text)) {
        word->kind = *text == '='   ? YK_EQUALS
                     : *text == '(' ? YK_OPEN
                     : *text == ')' ? YK_CLOSE
                                    : YK_COMMA;
    } else {
        const char *end = text + kicad_net(text);
        while (end == text || (!ends_word(*end) && !compares(end))) end++;
        word->length = (int)(end - text);
    }
    return word->text + word->length;
}

yoke_status yk_net_split(yk_net_reader *r, const char *text, yk_net_place at,
                         yoke_err *err)
{
    r->words = 0;
    for (;;) {
        while (isspace((unsigned char)*text)) text++;
        if (!*text) return YOKE_OK;
        if ((size_t)r->words == r->word_room)
            YK_TRY(YK_GROW(&r->word, &r->word_room, r->words + 1, err));
        const char *next = read_word(text, &r->word[r->words]);
        if (!next || *text == '}')
            return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, at, text),
                               "\"%c\" has no partner in: %.60s", *text, text);
        r->words++;
        text = next;
    }
}

/* ---- Lines in place of others -------------------------------------------- */

yoke_status yk_net_lines_add(yk_net_lines *to, yk_net_line line, yoke_err *err)
{
    YK_TRY(YK_GROW(&to->line, &to->room, to->lines + 1, err));
    to->line[to->lines++] = line;
    return YOKE_OK;
}

void yk_net_lines_take(yk_net_reader *r, const yk_net_lines *from)
{
    yk_free(r->line);
    r->line = from->line;
    r->lines = from->lines;
    r->line_room = from->room;
}
