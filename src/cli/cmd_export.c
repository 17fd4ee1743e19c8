/* cli/cmd_export.c -- yoke export SYSTEM -o FILE: the system for other
 * programs, in the format of the file's extension. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETTINGS = 1000, NAME_SIZE = 256 };

/* What is exported: a system, and how it was asked for. */
typedef struct export
{
    cli_system system;
    const char *out;
    int fmi;
    int settings;
    yoke_setting setting[MOST_SETTINGS];
    char *text[MOST_SETTINGS];
}
export;

/* A format: its extension, how it is written. */
typedef struct writer {
    const char *extension, *text;
    yoke_status (*write)(const export *e, yoke_err *err);
} writer;

static yoke_status write_fmu(const export *e, yoke_err *err)
{
    const yoke_export_options options = { .fmi = e->fmi,
                                          .run = &e->system.options,
                                          .settings = e->settings,
                                          .setting = e->setting };

    return yoke_export_fmu(e->system.file, e->system.path, e->out, &options,
                           err);
}

static yoke_status write_ssp(const export *e, yoke_err *err)
{
    return yoke_ssp_write(e->system.file, &e->system.options, e->out, err);
}

static const writer writers[] = {
    { ".fmu", "an FMU for co-simulation", write_fmu },
    { ".ssp", "a package of FMUs", write_ssp },
};

enum { WRITERS = sizeof writers / sizeof *writers };

static const writer *find_writer(const char *out)
{
    for (int i = 0; i < WRITERS; i++)
        if (cli_ends_in(out, writers[i].extension)) return &writers[i];
    return NULL;
}

static int refuse_format(const char *out)
{
    char list[NAME_SIZE] = "";

    for (int i = 0; i < WRITERS; i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s (%s)",
                 i > 0 ? ", " : "", writers[i].extension, writers[i].text);
    }
    return cli_usage("export: \"%s\" has no extension of a format: %s", out,
                     list);
}

/* The settings stay in argv for whoever loads the system. */
static int keep_settings(export *e, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const bool long_one = strncmp(argv[i], "--set=", 6) == 0;
        if (!long_one && (strcmp(argv[i], "--set") != 0 || i + 1 >= argc))
            continue;
        const char *value = long_one ? argv[i] + 6 : argv[++i];
        const char *equal = strchr(value, '=');
        if (!equal || e->settings == MOST_SETTINGS) continue;
        char *text = malloc(strlen(value) + 1);
        if (!text) return cli_usage("out of memory");
        strcpy(text, value);
        text[equal - value] = '\0';
        e->text[e->settings] = text;
        e->setting[e->settings++] =
            (yoke_setting){ text, text + (equal - value) + 1 };
    }
    return CLI_OK;
}

static int take_fmi(export *e, int *argc, char **argv)
{
    const char *fmi = cli_value(argc, argv, "--fmi");

    e->fmi = 3;
    if (!fmi) return CLI_OK;
    if (strcmp(fmi, "2") != 0 && strcmp(fmi, "3") != 0)
        return cli_usage("--fmi = \"%s\" is neither 2 nor 3", fmi);
    e->fmi = fmi[0] - '0';
    return CLI_OK;
}

static int export_system(export *e, const writer *w)
{
    yoke_err err = { YOKE_OK, "" };

    if (cli_overwrites(e->out, e->system.path)) return CLI_USAGE;
    if (yoke_file_check_output(e->system.file, e->out, &err) != YOKE_OK ||
        w->write(e, &err) != YOKE_OK)
        return cli_fail(&err);
    printf("written: %s\n", e->out);
    return CLI_OK;
}

int cmd_export(int argc, char **argv)
{
    static export e;

    e.out = cli_value(&argc, argv, "-o");
    if (!e.out || !e.out[0])
        return cli_usage("export: name the file to write, -o x.fmu");
    const writer *w = find_writer(e.out);
    if (!w) return refuse_format(e.out);
    int status = take_fmi(&e, &argc, argv);
    if (status == CLI_OK) status = keep_settings(&e, argc, argv);
    if (status == CLI_OK) {
        status = cli_load_files(&e.system, &argc, argv);
        if (status == CLI_OK) status = export_system(&e, w);
        cli_unload(&e.system);
    }
    for (int i = 0; i < e.settings; i++) free(e.text[i]);
    return status;
}
