/* tests/fuzz/geo_fuzz.c -- .geo files of any bytes are refused, or what is left
 * of them has no command, and is left as it is when it is read again. */
#define _DEFAULT_SOURCE
#include "fuzz.h"

#include "comp/mesh/geo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(int holds)
{
    if (!holds) abort();
}

static char path[] = "/tmp/yoke-fuzz-XXXXXX.geo";

static void remove_file(void)
{
    unlink(path);
}

static void write_file(const void *data, size_t size)
{
    static int made = 0;

    if (!made) {
        made = mkstemps(path, 4);
        check(made > 0);
        atexit(remove_file);
    }
    check(ftruncate(made, 0) == 0);
    check(pwrite(made, data, size, 0) == (ssize_t)size);
}

/* Words that do something; texts may have them. */
static void check_harmless(const char *text)
{
    static const char *const bad[] = { "SystemCall", "Merge",   "Save",
                                       "Print ",     "Include", "Plugin",
                                       "OnelabRun",  "/*",      "//",
                                       "`",          "\\",      "'" };
    bool inside = false;

    for (const char *p = text; *p; p++) {
        if (*p == '"') inside = !inside;
        for (size_t i = 0; !inside && i < sizeof bad / sizeof *bad; i++)
            check(
                strncmp(p, bad[i], strlen(bad[i])) != 0 ||
                (p > text && (p[-1] == '_' || (p[-1] >= 'A' && p[-1] <= 'z') ||
                              (p[-1] >= '0' && p[-1] <= '9'))) ||
                p[strlen(bad[i])] == '_' ||
                (p[strlen(bad[i])] >= '0' && p[strlen(bad[i])] <= 'z'));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    yoke_err err = { YOKE_OK, "" };
    char *once = NULL, *twice = NULL;
    size_t length = 0, again = 0;

    write_file(data, size);
    if (yk_geo_flatten(&once, &length, path, &err) != YOKE_OK) {
        check(err.text[0] && !once);
        return 0;
    }
    check(strlen(once) == length);
    check_harmless(once);
    write_file(once, length);
    check(yk_geo_flatten(&twice, &again, path, &err) == YOKE_OK);
    check(again == length && memcmp(once, twice, length) == 0);
    yk_free(once);
    yk_free(twice);
    return 0;
}

FUZZ_MAIN("geo");
