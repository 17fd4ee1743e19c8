/* cli/system.c -- from the first argument to a model with its options. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SETTINGS = 1000 };

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

/* Models may depend on the time at which the run begins: --start is known
 * before they are read.  The text stays in argv. */
static void look_for_start(int argc, char **argv, settings *s)
{
    static const char name[] = "--start";

    for (int i = 1; i < argc && s->count < MOST_SETTINGS; i++) {
        const char *value = NULL;
        if (strcmp(argv[i], name) == 0 && i + 1 < argc) value = argv[i + 1];
        if (strncmp(argv[i], "--start=", sizeof name) == 0)
            value = argv[i] + sizeof name;
        if (!value) continue;
        s->text[s->count] = NULL;
        s->set[s->count++] = (yoke_setting){ "run.start", value };
    }
}

/* A folder that the environment names; relative names are not meant seriously
 * (XDG base directories). */
static const char *named_folder(const char *variable)
{
    const char *name = getenv(variable);

    return name && name[0] == '/' ? name : NULL;
}

/* Compiled models are kept beside other caches of the user; without a home,
 * nowhere. */
static const char *cache_folder(char *path, size_t room)
{
    const char *base = named_folder("XDG_CACHE_HOME");
    const char *home = named_folder("HOME");
    int wrote = -1;

    if (base)
        wrote = snprintf(path, room, "%s/yoke", base);
    else if (home)
        wrote = snprintf(path, room, "%s/.cache/yoke", home);
    return wrote > 0 && (size_t)wrote < room ? path : NULL;
}

/* A folder such as one written by `yoke example` has its system inside. */
static bool find_file(const char *name, char *path, size_t room)
{
    struct stat about;
    int wrote = -1;

    if (stat(name, &about) != 0) return false;
    static const char *const inside[] = { "system.yaml",
                                          "SystemStructure.ssd" };
    for (int i = 0; S_ISDIR(about.st_mode) && i < 2; i++) {
        wrote = snprintf(path, room, "%s/%s", name, inside[i]);
        if (wrote > 0 && (size_t)wrote < room && access(path, F_OK) == 0)
            return true;
        if (i == 1) return false;
    }
    wrote = snprintf(path, room, "%s", name);
    return wrote > 0 && (size_t)wrote < room;
}

/* Without native code a model is right, but slow; without a cache it is
 * compiled each time, which is reported once. */
static void tell_code(const yoke_file_subsystem *part, bool *told)
{
    if (!part->code_text) return;
    if (!part->compiled)
        cli_log(CLI_WARNING, "%s is interpreted, which is slow: %s", part->name,
                part->code_text);
    else if (!*told)
        cli_log(CLI_WARNING, "compiled models are not kept: %s",
                part->code_text);
    *told = *told || part->compiled;
}

static void tell(const cli_system *s)
{
    yoke_file_subsystem part;
    const char *text = NULL;
    bool told = false;

    for (int i = 0; (text = yoke_file_warning(s->file, i)); i++)
        cli_log(CLI_WARNING, "%s", text);

    for (int i = 0; yoke_file_subsystem_at(s->file, i, &part); i++) {
        if (part.report) cli_log(CLI_DEBUG, "%s", part.report);
        tell_code(&part, &told);
    }
}

static bool trusted, looking;
static int most_elements;
static const char *variant; /* --variant */
static const yoke_file_absent *absent;
static int absents;

void cli_leave_out(int count, const yoke_file_absent *parts)
{
    absents = count;
    absent = parts;
}

int cli_take_limits(int *argc, char **argv)
{
    const char *value = NULL;
    char *end = NULL;

    while ((value = cli_value(argc, argv, "--max-elements"))) {
        const double number = strtod(value, &end);
        if (end == value || *end || !(number >= 1.0 && number <= 1e8))
            return cli_usage(
                "--max-elements = \"%s\" is not a number from 1 to 1e8", value);
        most_elements = (int)number;
    }
    return CLI_OK;
}

int cli_most_elements(void)
{
    return most_elements;
}

void cli_take_trust(int *argc, char **argv)
{
    while (cli_flag(argc, argv, "--trust")) trusted = true;
}

void cli_only_look(void)
{
    looking = true;
}

bool cli_trusts(void)
{
    return trusted;
}

static int refuse_result(const char *path)
{
    return cli_usage("%s is a result, not a system: yoke info, plot, report "
                     "and compare read it",
                     path);
}

static int load_file(cli_system *s, const settings *set, bool interpret)
{
    char cache[1024];
    yoke_err err = { YOKE_OK, "" };
    const yoke_file_options options = {
        .settings = set->count,
        .setting = set->set,
        .compiler = interpret ? NULL : "cc",
        .cache = cache_folder(cache, sizeof cache),
        .scratch = named_folder("TMPDIR"),
        .variant = variant,
        .trust = trusted,
        .look = looking,
        .most_elements = most_elements,
        .absents = absents,
        .absent = absent,
    };

    if (cli_ends_in(s->path, ".csv") || cli_ends_in(s->path, ".h5") ||
        cli_ends_in(s->path, ".raw"))
        return refuse_result(s->path);
    if (yoke_file_read(&s->file, s->path, &options, &err) != YOKE_OK)
        return cli_fail(&err);
    s->model = yoke_file_model(s->file);
    s->options = *yoke_file_run_options(s->file);
    s->name = yoke_file_name(s->file);
    tell(s);
    return CLI_OK;
}

static void remove_folder(cli_system *s)
{
    if (s->example) cli_example_remove(s->example, s->folder);
    s->example = NULL;
}

/* Is the message about this option?  It then begins with its name: "rtol = 2",
 * "record: ...", "schedule "a > b": ...". */
static bool is_about(const char *text, const char *option)
{
    const size_t length = strlen(option);

    return strncmp(text, option, length) == 0 &&
           (text[length] == ':' || strncmp(text + length, " =", 2) == 0 ||
            strncmp(text + length, " \"", 2) == 0);
}

int cli_fail_options(const cli_system *s, const yoke_err *err)
{
    yoke_option_text o;
    int line = 0;

    for (int i = 0; yoke_run_list(i, &o); i++) {
        if (!is_about(err->text, o.name) || s->given[i] ||
            yoke_file_option_origin(s->file, i, &line) != YOKE_FROM_FILE)
            continue;
        fprintf(stderr, "yoke: %s:%d: %s\n", s->path, line, err->text);
        return CLI_FAILED;
    }
    return cli_fail(err);
}

bool cli_names_system(const char *path)
{
    static const char *const ending[] = { ".yaml", ".yml", ".cir",
                                          ".sp",   ".net", ".mo",
                                          ".bmo",  ".fmu", ".ssp" };

    for (size_t k = 0; k < sizeof ending / sizeof *ending; k++)
        if (cli_ends_in(path, ending[k])) return true;
    return false;
}

/* The file beside `path` that is called nearly so, or so but for its ending,
 * under the name that the command line takes; "": none. */
static void near_file(const char *path, char *out, size_t room)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path) + 1 : 0;
    char where[1000], best[256] = "";
    cli_near near = { .wanted = path + folder };

    out[0] = '\0';
    snprintf(where, sizeof where, "%.*s", folder ? folder : 1,
             folder ? path : ".");
    DIR *there = near.wanted[0] ? opendir(where) : NULL;
    if (!there) return;
    for (const struct dirent *e; (e = readdir(there));) {
        const size_t stem = strcspn(e->d_name, ".");
        const char *before = near.best;
        if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof best) continue;
        if (!cli_names_system(e->d_name)) continue;
        cli_near_try(&near, e->d_name);
        const bool same = stem == strcspn(near.wanted, ".") &&
                          strncmp(e->d_name, near.wanted, stem) == 0;
        if (near.best == before && !same) continue;
        snprintf(best, sizeof best, "%s", e->d_name);
        near.best = best;
    }
    closedir(there);
    if (best[0]) snprintf(out, room, "%.*s%s", folder, path, best);
}

static int unknown_system(const char *name)
{
    cli_near near = { .wanted = name };
    struct stat about;
    char file[1300];

    if (stat(name, &about) == 0 && S_ISDIR(about.st_mode))
        return cli_usage("the folder \"%s\" has no system.yaml", name);
    near_file(name, file, sizeof file);
    if (file[0])
        return cli_usage("\"%s\" is neither a file nor an example; did you "
                         "mean \"%s\"?",
                         name, file);
    for (const cli_example_file *f = cli_example_files; f->example; f++)
        cli_near_try(&near, f->example);
    if (near.best)
        return cli_usage("\"%s\" is neither a file nor an example; did you "
                         "mean \"%s\"?",
                         name, near.best);
    return cli_usage("\"%s\" is neither a file nor an example; see yoke "
                     "example",
                     name);
}

static int load_example(cli_system *s, const char *name, const settings *set,
                        bool interpret)
{
    if (!cli_example_there(name)) return unknown_system(name);
    const int status = cli_example_unpack(name, s->folder, sizeof s->folder);
    if (status != CLI_OK) return status;
    s->example = name;
    snprintf(s->path, sizeof s->path, "%s/%s", s->folder,
             cli_example_system(name));
    return load_file(s, set, interpret);
}

void cli_unload(cli_system *s)
{
    yoke_file_free(s->file);
    remove_folder(s);
    free(s->outputs);
}

/* Flags have been taken from argv: every option that is left has a value. */
int cli_system_first(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            char *const system = argv[i];
            for (; i > 1; i--) argv[i] = argv[i - 1];
            argv[1] = system;
            return CLI_OK;
        }
        if (!cli_has_option(argv[0], argv[i]))
            return cli_unknown_option(argv[0], argv[i]);
        if (!strchr(argv[i], '=')) i++;
    }
    return cli_usage("%s: name a system file or an example; see yoke example",
                     argv[0]);
}

/* A file on the command line replaces those of the system file. */
int cli_load_files(cli_system *s, int *argc, char **argv)
{
    settings set = { 0 };
    const bool interpret = cli_flag(argc, argv, "--interpret");

    *s = (cli_system){ .name = "" };
    cli_take_trust(argc, argv);
    int status = cli_take_log_level(argc, argv);
    if (status == CLI_OK) status = cli_take_limits(argc, argv);
    for (const char *v; (v = cli_value(argc, argv, "--variant"));) variant = v;
    if (status == CLI_OK) status = cli_need_room();
    if (status == CLI_OK) status = cli_system_first(*argc, argv);
    if (status == CLI_OK) status = take_settings(argc, argv, &set);
    if (status == CLI_OK) look_for_start(*argc, argv, &set);
    if (status == CLI_OK)
        status = find_file(argv[1], s->path, sizeof s->path)
                     ? load_file(s, &set, interpret)
                     : load_example(s, argv[1], &set, interpret);
    if (status == CLI_OK) status = cli_run_options(argc, argv, s);
    if (status == CLI_OK && *argc > 2 && argv[2][0] == '-')
        status = cli_unknown_option(argv[0], argv[2]);
    else if (status == CLI_OK && *argc > 2)
        status = cli_usage("%s: unexpected argument \"%s\"%s", argv[0], argv[2],
                           cli_word("s ms us ns min h d", argv[2]) >= 0
                               ? "; a unit follows its number without a blank: "
                                 "100ms"
                           : strncmp(argv[2], "\xe2\x80", 2) == 0
                               ? "; an option begins with two plain hyphens"
                               : "");
    settings_clear(&set);
    return status;
}

int cli_load(cli_system *s, int *argc, char **argv)
{
    yoke_err err = { YOKE_OK, "" };
    int status = cli_load_files(s, argc, argv);

    remove_folder(s);
    if (status == CLI_OK && yoke_file_connected(s->file, &err) != YOKE_OK)
        status = cli_fail(&err);
    return status;
}
