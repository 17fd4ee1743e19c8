/* cli/system.c -- from the first argument to a model with its options. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SETTINGS = 64 };

typedef struct settings {
    int count;
    yoke_setting set[MOST_SETTINGS];
    char *text[MOST_SETTINGS];
} settings;

static void settings_clear(settings *s)
{
    for (int k = 0; k < s->count; k++) free(s->text[k]);
}

/* All "--set name=value". */
static int take_settings(int *argc, char **argv, settings *s)
{
    const char *value = NULL;

    while ((value = cli_value(argc, argv, "--set"))) {
        const char *equal = strchr(value, '=');
        if (!equal || equal == value)
            return cli_usage("--set needs name=value, not \"%s\"", value);
        if (s->count == MOST_SETTINGS)
            return cli_usage("--set: at most %d are permitted", MOST_SETTINGS);
        char *text = malloc(strlen(value) + 1);
        if (!text) return cli_usage("out of memory");
        strcpy(text, value);
        text[equal - value] = '\0';
        s->text[s->count] = text;
        s->set[s->count++] = (yoke_setting){ text, text + (equal - value) + 1 };
    }
    return CLI_OK;
}

/* Compiled models are kept beside other caches of the user. */
static const char *cache_folder(char *path, size_t room)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int wrote = -1;

    if (base && base[0])
        wrote = snprintf(path, room, "%s/yoke", base);
    else if (home && home[0])
        wrote = snprintf(path, room, "%s/.cache/yoke", home);
    return wrote > 0 && (size_t)wrote < room ? path : NULL;
}

/* A folder such as one written by `yoke example` has its system inside. */
static bool find_file(const char *name, char *path, size_t room)
{
    struct stat about;
    int wrote = -1;

    if (stat(name, &about) != 0) return false;
    if (S_ISDIR(about.st_mode)) {
        wrote = snprintf(path, room, "%s/system.yaml", name);
        return wrote > 0 && (size_t)wrote < room && stat(path, &about) == 0;
    }
    wrote = snprintf(path, room, "%s", name);
    return wrote > 0 && (size_t)wrote < room;
}

static int load_file(cli_system *s, const char *path, const settings *set,
                     bool interpret)
{
    char cache[1024];
    yoke_err err = { YOKE_OK, "" };
    const yoke_file_options options = {
        .settings = set->count,
        .setting = set->set,
        .compiler = interpret ? NULL : "cc",
        .cache = cache_folder(cache, sizeof cache),
    };

    if (yoke_file_read(&s->file, path, &options, &err) != YOKE_OK)
        return cli_fail(&err);
    s->model = yoke_file_model(s->file);
    s->options = *yoke_file_run_options(s->file);
    s->name = yoke_file_name(s->file);
    return CLI_OK;
}

/* Read from a temporary folder that is gone before the run begins. */
static int load_example(cli_system *s, const char *name, const settings *set,
                        bool interpret)
{
    char folder[512], path[600];

    if (!cli_example_there(name))
        return cli_usage("\"%s\" is neither a file nor an example; see yoke "
                         "example",
                         name);
    int status = cli_example_unpack(name, folder, sizeof folder);
    if (status != CLI_OK) return status;
    snprintf(path, sizeof path, "%s/system.yaml", folder);
    status = load_file(s, path, set, interpret);
    cli_example_remove(name, folder);
    return status;
}

void cli_unload(cli_system *s)
{
    yoke_file_free(s->file);
}

int cli_load(cli_system *s, int *argc, char **argv)
{
    settings set = { 0 };
    const bool interpret = cli_flag(argc, argv, "--interpret");

    *s = (cli_system){ .name = "" };
    if (*argc < 2)
        return cli_usage("%s: name a system file or an example; see yoke "
                         "example",
                         argv[0]);
    int status = take_settings(argc, argv, &set);
    if (status == CLI_OK) {
        char path[1024];
        status = find_file(argv[1], path, sizeof path)
                     ? load_file(s, path, &set, interpret)
                     : load_example(s, argv[1], &set, interpret);
    }
    if (status == CLI_OK) status = cli_run_options(argc, argv, &s->options, "");
    if (status == CLI_OK && *argc > 2)
        status =
            cli_usage("%s: \"%s\" is one argument too many", argv[0], argv[2]);
    settings_clear(&set);
    return status;
}
