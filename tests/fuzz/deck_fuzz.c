/* tests/fuzz/deck_fuzz.c -- the netlist that ngspice gets, made from any text:
 * it ends with .end and has our lines, or there is a message with the name. */
#include "fuzz.h"

#include "comp/netlist/ngspice/deck.h"

#include <stdlib.h>
#include <string.h>

static void check(int holds)
{
    if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const source[] = { "vd" };
    static const char *const line[] = { ".save v(out)" };
    yk_ng_set set[] = { { .name = "gain", .value = "5" } };
    yk_ng_wish wish = { .path = "fuzz",
                        .sources = size > 0 && data[0] % 2 ? 1 : 0,
                        .source = source,
                        .sets = size > 0 && data[0] % 3 == 0 ? 1 : 0,
                        .set = set,
                        .lines = 1,
                        .line = line,
                        .span = 1.0 };
    yk_ng_deck d;
    yoke_err err = { YOKE_OK, "" };
    char *text = malloc(size + 1);

    check(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (yk_ng_deck_make(&d, text, &wish, &err) == YOKE_OK) {
        /* ours, the flag, .tran, .options, .end */
        check(d.lines >= 5 && !d.line[d.lines]);
        check(strcmp(d.line[d.lines - 1], ".end") == 0);
        check(strcmp(d.line[d.lines - 5], line[0]) == 0);
        for (int i = 0; i < d.lines; i++) check(!strchr(d.line[i], '\n'));
        yk_ng_deck_clear(&d);
    } else
        check(strstr(err.text, "fuzz") != NULL);
    free(text);
    return 0;
}

FUZZ_MAIN("deck");
