/* file/inputs.c -- files that a system is read from, which no result may
 * overwrite. */
#define _POSIX_C_SOURCE 200809L
#include "file/reader.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

yoke_status yk_file_note_input(yoke_file *file, const char *path, yoke_err *err)
{
    return yk_texts_add(&file->inputs, path, err);
}

yoke_status yk_file_input(const yk_reader *r, char **out, const char *name,
                          yoke_err *err)
{
    char *path = NULL;

    YK_TRY(yk_file_beside(&path, r->path, name, err));
    const yoke_status status = yk_file_note_input(r->file, path, err);
    if (status == YOKE_OK)
        *out = path;
    else
        yk_free(path);
    return status;
}

static bool is_same(const char *path, const struct stat *other)
{
    struct stat about;

    return stat(path, &about) == 0 && about.st_dev == other->st_dev &&
           about.st_ino == other->st_ino;
}

/* The input that is the file of `about`, whatever it is called, or NULL. */
static const char *find_input(const yoke_file *file, const struct stat *about)
{
    const char *found = NULL;

    for (int i = 0; i < file->inputs.count; i++)
        if (is_same(file->inputs.at[i], about)) return file->inputs.at[i];
    for (int i = 0; i < file->includes && !found; i++)
        found = find_input(file->include[i], about);
    return found;
}

static const char *source_at(const yoke_file *file, int *i)
{
    const char *found = NULL;

    if (*i < file->inputs.count) return file->inputs.at[*i];
    *i -= file->inputs.count;
    for (int k = 0; k < file->includes && !found; k++)
        found = source_at(file->include[k], i);
    return found;
}

const char *yoke_file_source_at(const yoke_file *file, int i)
{
    return i < 0 ? NULL : source_at(file, &i);
}

static yoke_status check_one(const yoke_file *file, const char *path,
                             yoke_err *err)
{
    struct stat about;

    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return YOKE_OK;
    const char *input = find_input(file, &about);
    if (!input) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   "%.300s: the result would overwrite %.300s, from which the "
                   "system is read; choose another name",
                   path, input);
}

/* A file and those that are written beside it: stem.KIND.extension. */
static yoke_status check_family(const yoke_file *file, const char *path,
                                size_t length, yoke_err *err)
{
    static const char *const kind[] = { "coupling",   "work",  "iterates",
                                        "statistics", "steps", "notes",
                                        "op",         "dc",    "ac" };
    char name[4200];
    size_t stem = length;

    if (length > 4096) return YOKE_OK; /* no file has such a name */
    while (stem > 0 && path[stem - 1] != '.' && path[stem - 1] != '/') stem--;
    stem = stem > 0 && path[stem - 1] == '.' ? stem - 1 : length;
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    YK_TRY(check_one(file, name, err));
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        snprintf(name, sizeof name, "%.*s.%s%.*s", (int)stem, path, kind[i],
                 (int)(length - stem), path + stem);
        YK_TRY(check_one(file, name, err));
    }
    return YOKE_OK;
}

yoke_status yoke_file_check_output(const yoke_file *file, const char *output,
                                   yoke_err *err)
{
    while (*output) {
        const size_t length = strcspn(output, "\n");
        if (length > 0) YK_TRY(check_family(file, output, length, err));
        output += length + (output[length] == '\n');
    }
    return YOKE_OK;
}
