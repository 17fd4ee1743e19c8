/* tests/fuzz/zip_fuzz.c -- unpacking takes any bytes: a folder with files inside
 * of it, or a message with the name; nothing is left behind and nothing is
 * written elsewhere. */
#define _XOPEN_SOURCE 700
#define FUZZ_ROUNDS   1500
#include "fuzz.h"

#include "comp/fmu/archive.h"
#include "comp/fmu/engine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check(int holds)
{
    if (!holds) abort();
}

static void write_bytes(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");

    check(file != NULL);
    check(fwrite(data, 1, size, file) == size);
    check(fclose(file) == 0);
}

/* Everything happens in a folder of its own, so that what is left is seen. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char home[] = "/tmp/yoke-fuzz-XXXXXX", inside[64], path[64];
    yk_fmu_description *d = NULL;
    yoke_err err = { YOKE_OK, "" };
    char *folder = NULL;

    check(mkdtemp(home) != NULL);
    snprintf(inside, sizeof inside, "%s/tmp", home);
    snprintf(path, sizeof path, "%s/fuzz.fmu", home);
    check(mkdir(inside, 0700) == 0);
    check(setenv("TMPDIR", inside, 1) == 0);
    write_bytes(path, data, size);
    if (yk_fmu_unpack(&folder, &d, path, &err) == YOKE_OK) {
        struct stat about;

        check(strncmp(folder, inside, strlen(inside)) == 0);
        check(stat(folder, &about) == 0 && S_ISDIR(about.st_mode));
        yk_fmu_description_free(d);
        yk_archive_remove(folder);
    } else
        check(folder == NULL && err.text[0]);
    check(rmdir(inside) == 0);
    check(remove(path) == 0);
    check(rmdir(home) == 0);
    return 0;
}

FUZZ_MAIN("zip");
