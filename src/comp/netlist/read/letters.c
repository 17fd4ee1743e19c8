/* comp/netlist/read/letters.c -- letters beyond ASCII.
 *
 * A netlist is UTF-8.  Letters of other alphabets may stand in names and as
 * units (1kΩ); a micro sign behind a digit is u, a minus sign is -, a blank
 * that does not break is a blank.  In names they stay as they are, so that two
 * names that differ stay two.  A single byte 0xb5 behind a digit is the micro
 * sign of older files.
 */
#include "comp/netlist/read/read.h"

#include <ctype.h>
#include <string.h>

/* Bytes of the letter at `text`, 0 if it is not UTF-8. */
static int letter_bytes(const unsigned char *text)
{
    const unsigned char c = text[0];
    const int n = c < 0x80                ? 1
                  : c >= 0xc2 && c < 0xe0 ? 2
                  : c >= 0xe0 && c < 0xf0 ? 3
                  : c >= 0xf0 && c < 0xf5 ? 4
                                          : 0;

    for (int k = 1; k < n; k++)
        if ((text[k] & 0xc0) != 0x80) return 0;
    return n;
}

static bool is_text(const unsigned char *text, const char *letter)
{
    return strncmp((const char *)text, letter, strlen(letter)) == 0;
}

/* What ngspice's users mean by a letter, or 0: itself. */
static char plain(const unsigned char *text, bool after_digit)
{
    if (after_digit && (is_text(text, "\xc2\xb5") || is_text(text, "\xce\xbc")))
        return 'u'; /* micro sign, Greek mu */
    if (is_text(text, "\xc2\xa0") || is_text(text, "\xe2\x80\xaf")) return ' ';
    if (is_text(text, "\xe2\x88\x92")) return '-';
    return 0;
}

yoke_status yk_net_plain_letters(char *line, yk_net_place at, yoke_err *err)
{
    const unsigned char *from = (const unsigned char *)line;
    char *to = line;

    while (*from) {
        const bool after_digit =
            to > line && (isdigit((unsigned char)to[-1]) || to[-1] == '.');
        const int n = letter_bytes(from);
        const char other = *from < 0x80 ? 0 : plain(from, after_digit);
        if (*from == 0xb5 && after_digit) {
            *to++ = 'u';
            from++;
        } else if (n == 0) {
            return yk_net_fail(err, YOKE_E_ARG, at,
                               "byte 0x%02x at letter %d is not UTF-8; save "
                               "the file as UTF-8",
                               *from,
                               (int)(from - (const unsigned char *)line) + 1);
        } else if (*from < 32 && !isspace(*from)) {
            return yk_net_fail(err, YOKE_E_ARG, at,
                               "byte 0x%02x at letter %d is not text", *from,
                               (int)(from - (const unsigned char *)line) + 1);
        } else if (other) {
            *to++ = other;
            from += n;
        } else {
            for (int k = 0; k < n; k++) *to++ = (char)*from++;
        }
    }
    *to = '\0';
    return YOKE_OK;
}
