/* tests/scratch.h -- a folder of its own for each test program. */
#ifndef YK_TESTS_SCRATCH_H
#define YK_TESTS_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char scratch[] = "test.XXXXXX";

/* For cmocka_run_group_tests. */
static inline int make_scratch(void **state)
{
    (void)state;
    return mkdtemp(scratch) ? 0 : -1;
}

/* A path in the folder; the text lives until the eighth call after this. */
static inline const char *in_scratch(const char *name)
{
    static char path[8][512];
    static int turn;
    char *out = path[turn++ % 8];

    snprintf(out, sizeof path[0], "%s/%s", scratch, name);
    return out;
}

static inline int remove_scratch(void **state)
{
    DIR *folder = opendir(scratch);
    const struct dirent *entry;

    (void)state;
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.') remove(in_scratch(entry->d_name));
    if (folder) closedir(folder);
    return rmdir(scratch);
}

#endif
