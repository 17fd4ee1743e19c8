/* tests/fuzz/hdf5_fuzz.c -- HDF5 files of any bytes: a table and notes, or a
 * message; never a crash, whatever the library does. */
#define _DEFAULT_SOURCE
/* Two processes each, and one in a hundred does not end by itself. */
#define FUZZ_ROUNDS 200
#include "fuzz.h"

#include "table_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/yoke-fuzz-XXXXXX.h5";

static void remove_file(void)
{
    unlink(path);
}

static void write_file(const uint8_t *data, size_t size)
{
    static int made = 0;

    if (!made) {
        made = mkstemps(path, 3);
        check(made > 0);
        atexit(remove_file);
    }
    check(ftruncate(made, 0) == 0);
    check(pwrite(made, data, size, 0) == (ssize_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_table *table = NULL;
    yoke_notes *notes = NULL;

    write_file(data, size);
    yoke_status status = yoke_table_read(&table, path, "result", &err);
    if (status == YOKE_OK)
        check_table(table);
    else
        check(status < 0 && strstr(err.text, path) == err.text);
    yoke_table_free(table);
    status = yoke_notes_read(&notes, path, &err);
    if (status != YOKE_OK)
        check(status < 0 && strstr(err.text, path) == err.text);
    for (int i = 0; notes && i < notes->count; i++)
        check(yoke_notes_find(notes, notes->name[i]) == notes->text[i]);
    yoke_notes_free(notes);
    return 0;
}

FUZZ_MAIN("hdf5");
