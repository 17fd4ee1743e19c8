/* cli/cmd_example.c -- yoke example [NAME [DIR]]: the examples that the program
 * carries (cmake/examples.cmake), listed, written to a folder, or run as they
 * are. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 1024 };

/* What a file of the user's has to do with one of ours. */
typedef enum state { ABSENT, SAME, DIFFERENT } state;

/* The first file of an example is its system. */
static bool begins(const cli_example_file *f)
{
    return strcmp(f->name, "system.yaml") == 0 ||
           strcmp(f->name, "SystemStructure.ssd") == 0;
}

static const cli_example_file *find(const char *name)
{
    for (const cli_example_file *f = cli_example_files; f->example; f++)
        if (strcmp(f->example, name) == 0) return f;
    return NULL;
}

static bool same_example(const cli_example_file *f, const char *name)
{
    return f->example && strcmp(f->example, name) == 0;
}

/* The line "name: ..." of the system file, or the description of a package. */
static void print_title(const cli_example_file *f)
{
    const bool yaml = strcmp(f->name, "system.yaml") == 0;
    const char *key = yaml ? "\nname: " : " description=\"";
    const char *text = strstr((const char *)f->bytes, key);
    const char *title = text ? text + strlen(key) : "";

    printf("%-24s %.*s\n", f->example, (int)strcspn(title, yaml ? "\n" : "\""),
           title);
}

static int list(bool names)
{
    for (const cli_example_file *f = cli_example_files; f->example; f++) {
        if (!begins(f)) continue;
        if (names)
            puts(f->example);
        else
            print_title(f);
    }
    if (!names)
        puts("\nyoke run NAME runs one, yoke example NAME [DIR] writes its "
             "files.");
    return CLI_OK;
}

static bool join(char *path, const char *folder, const char *name)
{
    const int wrote = snprintf(path, PATH_SIZE, "%s/%s", folder, name);

    return wrote > 0 && wrote < PATH_SIZE;
}

/* A path that cannot be read counts as different: writing tells why. */
static state compare(const char *path, const cli_example_file *f)
{
    FILE *stream = fopen(path, "rb");
    size_t k = 0;
    int c = 0;

    if (!stream) return errno == ENOENT ? ABSENT : DIFFERENT;
    while ((c = fgetc(stream)) != EOF && k < f->size && c == f->bytes[k]) k++;
    const bool same = c == EOF && k == f->size && !ferror(stream);
    fclose(stream);
    return same ? SAME : DIFFERENT;
}

static int fail(const char *path)
{
    fprintf(stderr, "yoke: %s: %s\n", path, strerror(errno));
    return CLI_FAILED;
}

/* The folders between that of the example and the file. */
static void make_folders(char *path, const char *name)
{
    char *at = path + strlen(path) - strlen(name);

    for (at = strchr(at, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(path, 0777); /* if that fails, so does the file in it */
        *at = '/';
    }
}

static int write_file(char *path, const cli_example_file *f)
{
    make_folders(path, f->name);
    FILE *stream = fopen(path, "wb");

    if (!stream) return fail(path);
    const bool wrote = fwrite(f->bytes, 1, f->size, stream) == f->size;
    if (fclose(stream) != 0 || !wrote) return fail(path);
    return CLI_OK;
}

/* Writes nothing unless everything may be written. */
static int may_write(const cli_example_file *first, const char *folder)
{
    char path[PATH_SIZE];

    for (const cli_example_file *f = first; same_example(f, first->example);
         f++) {
        if (!join(path, folder, f->name))
            return cli_usage("example: \"%s\" is too long", folder);
        if (compare(path, f) == DIFFERENT)
            return cli_usage(
                "example: %s already exists and differs; --force overwrites it",
                path);
    }
    return CLI_OK;
}

static int write_all(const cli_example_file *first, const char *folder,
                     bool tell)
{
    char path[PATH_SIZE];
    int status = CLI_OK;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return fail(folder);
    for (const cli_example_file *f = first;
         status == CLI_OK && same_example(f, first->example); f++) {
        if (!join(path, folder, f->name))
            return cli_usage("example: \"%s\" is too long", folder);
        const state before = compare(path, f);
        if (before != SAME) status = write_file(path, f);
        if (tell && status == CLI_OK)
            printf("%-11s %s\n", before == SAME ? "unchanged" : "written",
                   path);
    }
    return status;
}

/* A line of its README that builds one of its programs, or NULL. */
static const char *building(const cli_example_file *first)
{
    for (const cli_example_file *f = first; same_example(f, first->example);
         f++) {
        const char *line = strcmp(f->name, "README.md") == 0
                               ? strstr((const char *)f->bytes, "\n    cc ")
                               : NULL;
        if (line) return line + 5;
    }
    return NULL;
}

/* ---- for other verbs: an example in a folder of its own ------------------ */

bool cli_example_there(const char *name)
{
    return find(name) != NULL;
}

const char *cli_example_system(const char *name)
{
    return find(name)->name;
}

int cli_example_unpack(const char *name, char *folder, size_t room)
{
    const cli_example_file *first = find(name);
    const char *base = getenv("TMPDIR");
    const int wrote = snprintf(folder, room, "%s/yoke-example-XXXXXX",
                               base && base[0] ? base : "/tmp");

    if (!first) return cli_usage("there is no example \"%s\"", name);
    const char *build = building(first);
    if (build)
        return cli_usage("the example %s has a program that must be compiled "
                         "first:\n  yoke example %s\n  %.*s\n  yoke run %s",
                         name, name, (int)strcspn(build, "\n"), build, name);
    if (wrote < 0 || (size_t)wrote >= room || !mkdtemp(folder)) {
        const int status = fail(folder);
        folder[0] = '\0';
        return status;
    }
    const int status = write_all(first, folder, false);
    if (status != CLI_OK) cli_example_remove(name, folder);
    return status;
}

void cli_example_remove(const char *name, const char *folder)
{
    char path[PATH_SIZE];

    if (!folder[0]) return;
    for (const cli_example_file *f = find(name); f && same_example(f, name);
         f++)
        if (join(path, folder, f->name)) {
            remove(path);
            /* Folders go with the last of their files. */
            for (char *slash; (slash = strrchr(path, '/')) &&
                              (size_t)(slash - path) > strlen(folder);) {
                *slash = '\0';
                if (rmdir(path) != 0) break;
            }
        }
    rmdir(folder);
}

static int unknown_example(const char *name)
{
    cli_near near = { .wanted = name };

    for (const cli_example_file *f = cli_example_files; f->example; f++)
        cli_near_try(&near, f->example);
    return near.best ? cli_usage("there is no example \"%s\"; did you mean "
                                 "\"%s\"?",
                                 name, near.best)
                     : cli_usage("there is no example \"%s\"; see yoke example",
                                 name);
}

int cmd_example(int argc, char **argv)
{
    const bool force = cli_flag(&argc, argv, "--force");
    const bool names = cli_flag(&argc, argv, "--names");

    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-') return cli_unknown_option("example", argv[i]);
    if (argc < 2) return list(names);
    if (argc > 3)
        return cli_usage("example: unexpected argument \"%s\"", argv[3]);
    const cli_example_file *first = find(argv[1]);
    if (!first) return unknown_example(argv[1]);
    const char *folder = argc > 2 ? argv[2] : argv[1];
    int status = force ? CLI_OK : may_write(first, folder);
    if (status == CLI_OK) status = write_all(first, folder, true);
    const char *build = strcmp(folder, argv[1]) == 0 ? building(first) : NULL;
    if (status == CLI_OK)
        printf("\n%s%.*s%sNext: yoke run %s\n", build ? "First: " : "",
               build ? (int)strcspn(build, "\n") : 0, build ? build : "",
               build ? "\n" : "", folder);
    return status;
}
