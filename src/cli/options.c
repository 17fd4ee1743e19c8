/* cli/options.c -- command line options from the library's own table. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_SIZE = 64, TEXT_SIZE = 1000 };

/* Names people know from other tools. */
static const char *const alias[][2] = {
    { "stop-time", "stop" },     { "start-time", "start" },
    { "output-file", "output" }, { "step-size", "step" },
    { "tolerance", "rtol" },
};

static void remove_argument(int *argc, char **argv, int i)
{
    for (int k = i; k < *argc; k++) argv[k] = argv[k + 1];
    --*argc;
}

bool cli_flag(int *argc, char **argv, const char *name)
{
    bool found = false;

    for (int i = 1; i < *argc;)
        if (strcmp(argv[i], name) == 0) {
            remove_argument(argc, argv, i);
            found = true;
        } else {
            i++;
        }
    return found;
}

const char *cli_value(int *argc, char **argv, const char *name)
{
    const size_t length = strlen(name);

    for (int i = 1; i < *argc; i++) {
        if (strncmp(argv[i], name, length) != 0) continue;
        const char *value = argv[i] + length;
        if (value[0] && !(value[0] == '=' && name[1] == '-')) continue;
        const bool separate = !value[0];
        if (!separate)
            value++;
        else if (i + 1 < *argc)
            value = argv[i + 1];
        remove_argument(argc, argv, i);
        if (separate && value[0]) remove_argument(argc, argv, i);
        return value;
    }
    return NULL;
}

int cli_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    int index = 0;

    for (const char *p = words; *p; index++) {
        const size_t span = strcspn(p, " ");
        if (span == length && strncmp(p, word, span) == 0) return index;
        p += span;
        p += strspn(p, " ");
    }
    return -1;
}

/* "--max-sweeps=5" -> "max_sweeps"; returns the text behind "=" or NULL. */
static char *option_name(const char *argument, char *name)
{
    const size_t length = strcspn(argument + 2, "=");

    snprintf(name, NAME_SIZE, "%.*s", (int)length, argument + 2);
    for (size_t k = 0; k < sizeof alias / sizeof alias[0]; k++)
        if (strcmp(name, alias[k][0]) == 0)
            snprintf(name, NAME_SIZE, "%s", alias[k][1]);
    for (char *p = name; *p; p++)
        if (*p == '-') *p = '_';
    return argument[2 + length] == '=' ? (char *)(size_t)(argument + 3 + length)
                                       : NULL;
}

/* "-": the result goes where our words went; they go to standard error. */
static const char *take_standard_output(void)
{
    static char name[32];

    if (name[0]) return name;
    fflush(stdout);
    const int there = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (there < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return "-";
    snprintf(name, sizeof name, "/dev/fd/%d", there);
    return name;
}

/* Several results are one text, a line for each. */
static const char *add_output(cli_system *s, const char *file)
{
    if (strcmp(file, "-") == 0) file = take_standard_output();
    const size_t before = s->outputs ? strlen(s->outputs) : 0;
    char *text = realloc(s->outputs, before + strlen(file) + 2);

    if (!text) return NULL;
    s->outputs = text;
    if (before > 0) text[before] = '\n';
    strcpy(text + before + (before > 0), file);
    return text;
}

bool cli_seconds(const char *text, double *seconds)
{
    /* 100us is 100/1e6, which is 1e-4; 100*1e-6 is 9.999999999999999e-05. */
    static const struct {
        const char *unit;
        double factor, parts;
    } units[] = { { "s", 1, 1 },           { "ms", 1, 1e3 }, { "us", 1, 1e6 },
                  { "\xc2\xb5s", 1, 1e6 }, { "ns", 1, 1e9 }, { "ps", 1, 1e12 },
                  { "fs", 1, 1e15 },       { "min", 60, 1 }, { "h", 3600, 1 },
                  { "d", 86400, 1 } };
    char *unit = NULL;

    const double number = strtod(text, &unit);
    if (unit == text || !isfinite(number)) return false;
    while (*unit == ' ') unit++;
    *seconds = number;
    if (!*unit) return true;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (strcmp(unit, units[k].unit) == 0) {
            *seconds = number * units[k].factor / units[k].parts;
            return true;
        }
    return false;
}

static bool is_time(const char *name)
{
    return cli_word("start stop window step every", name) >= 0;
}

/* "100ms" of an option that is a time: in seconds.  Other texts stay. */
static const char *in_seconds(const char *name, const char *value, char *room)
{
    double seconds = 0.0;

    if (!is_time(name) || !cli_seconds(value, &seconds)) return value;
    snprintf(room, NAME_SIZE, "%.17g", seconds);
    return room;
}

static bool in_table(const char *name)
{
    yoke_option_text o;

    for (int i = 0; yoke_run_list(i, &o); i++)
        if (strcmp(o.name, name) == 0) return true;
    return false;
}

static int set_option(cli_system *s, const char *name, const char *value)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_option_text o;
    char room[NAME_SIZE];
    double number = 0.0;

    value = in_seconds(name, value, room);
    if (strcmp(name, "output") == 0 && value[0] &&
        !(value = add_output(s, value)))
        return cli_usage("out of memory");
    if (yoke_run_set(&s->options, name, value, &err) != YOKE_OK)
        return cli_usage("%s%s", err.text,
                         is_time(name) && !cli_seconds(value, &number)
                             ? "; a time is 0.1, 100ms, 2min or 12h"
                             : "");
    for (int i = 0; i < CLI_OPTIONS && yoke_run_list(i, &o); i++)
        if (strcmp(o.name, name) == 0) s->given[i] = true;
    return CLI_OK;
}

int cli_run_options(int *argc, char **argv, cli_system *s)
{
    for (int i = 1; i < *argc;) {
        const bool is_output = strcmp(argv[i], "-o") == 0;
        char name[NAME_SIZE] = "output";
        if (strncmp(argv[i], "--", 2) != 0 && !is_output) {
            i++;
            continue;
        }
        const char *value = is_output ? NULL : option_name(argv[i], name);
        if (!in_table(name)) return cli_unknown_option(argv[0], argv[i]);
        if (!value) {
            value = i + 1 < *argc ? argv[i + 1] : NULL;
            if (!value) return cli_usage("%s needs a value", argv[i]);
            remove_argument(argc, argv, i);
        }
        const int status = set_option(s, name, value);
        if (status != CLI_OK) return status;
        remove_argument(argc, argv, i);
    }
    return CLI_OK;
}

void cli_print_results(const char *output)
{
    while (*output) {
        const size_t length = strcspn(output, "\n");
        if (strncmp(output, "/dev/fd/", 8) == 0)
            puts("result: standard output");
        else if (length > 0)
            printf("result: %.*s\n", (int)length, output);
        output += length + (output[length] == '\n');
    }
}

void cli_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

void cli_json_number(double value)
{
    if (isfinite(value))
        printf("%.17g", value);
    else
        printf("null");
}

static void print_roff(const yoke_option_text *o, const char *dashed)
{
    printf(".TP\n.BR \\-\\-%s \" \\fIvalue\\fR\"\n%s.", dashed, o->text);
    if (o->words) printf(" One of: %s.", o->words);
    if (o->preset[0]) printf(" Default: %s.", o->preset);
    putchar('\n');
}

void cli_print_entry(const char *name, const char *text)
{
    enum { FIRST = 18, LAST = 80 };
    int column = printf("  %-15s", name);
    bool begun = column < FIRST; /* a longer name has a line of its own */

    if (!begun) putchar('\n');
    while (*text) {
        const int word = (int)strcspn(text, " ");
        if (begun ? column + 1 + word > LAST && column >= FIRST : true) {
            printf("%s%*s", begun ? "\n" : "", FIRST - 1, "");
            column = FIRST - 1;
        }
        column += printf(" %.*s", word, text);
        begun = true;
        text += word + (text[word] == ' ');
    }
    putchar('\n');
}

/* What stands behind the option; of a flag the word that changes it. */
static const char *value_of(const yoke_option_text *o)
{
    if (is_time(o->name)) return "TIME";
    if (strcmp(o->preset, "true") == 0) return "false";
    if (strcmp(o->preset, "false") == 0) return "true";
    if (o->words) return "WORD";
    if (o->least != 0.0 || o->most != 0.0) return "N";
    if (cli_word("output tasks", o->name) >= 0) return "FILE";
    if (cli_word("record order monitor", o->name) >= 0) return "NAMES";
    return "TEXT";
}

static void print_plain(const yoke_option_text *o, const char *dashed)
{
    char name[NAME_SIZE + 8], text[TEXT_SIZE];
    const char *words = o->words ? o->words : "";

    snprintf(name, sizeof name, "--%s %s", dashed, value_of(o));
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", o->text, words[0] ? " (" : "",
             words, words[0] ? ")" : "", o->preset[0] ? " [" : "", o->preset,
             o->preset[0] ? "]" : "");
    cli_print_entry(name, text);
}

/* "max_sweeps" -> "max-sweeps" */
static void dashes(const char *name, char *dashed)
{
    snprintf(dashed, NAME_SIZE, "%s", name);
    for (char *p = dashed; *p; p++)
        if (*p == '_') *p = '-';
}

/* Options that people use, and those that say what is recorded and how steps
 * are made; the others are for experts. */
static bool in_list(const char *name, const char *list)
{
    return cli_word(list, name) >= 0;
}

static cli_option_kind kind_of(const char *name)
{
    if (in_list(name, "stop rtol atol")) return CLI_OPTIONS_COMMON;
    if (in_list(name, "every output record")) return CLI_OPTIONS_RESULT;
    if (in_list(name, "start step stepper monitor iterates given jobs scheme "
                      "window cluster spot"))
        return CLI_OPTIONS_MORE;
    return CLI_OPTIONS_EXPERT;
}

void cli_print_options(cli_option_kind kind)
{
    yoke_option_text o;

    for (int i = 0; yoke_run_list(i, &o); i++) {
        char dashed[NAME_SIZE];
        dashes(o.name, dashed);
        if (kind == CLI_OPTIONS_ROFF)
            print_roff(&o, dashed);
        else if (kind == kind_of(o.name))
            print_plain(&o, dashed);
    }
}

static void print_steppers(void)
{
    const char *name = NULL, *text = NULL;

    for (int i = 0; yoke_stepper_list(i, &name, &text); i++)
        printf("%s%s", i ? " " : "", name);
}

static void print_listed(const char *option, const yoke_option_text *o)
{
    const bool truth =
        strcmp(o->preset, "true") == 0 || strcmp(o->preset, "false") == 0;

    printf("--%s\t", option);
    if (strcmp(o->name, "stepper") == 0)
        print_steppers();
    else if (strcmp(o->name, "output") == 0)
        printf("FILE");
    else
        printf("%s", o->words ? o->words : truth ? "false true" : "VALUE");
    printf("\t%s\n", o->text);
}

void cli_each_option(void (*each)(void *context, const char *option),
                     void *context)
{
    yoke_option_text o;
    char option[NAME_SIZE + 2] = "--";

    for (int i = 0; yoke_run_list(i, &o); i++) {
        dashes(o.name, option + 2);
        each(context, option);
    }
    for (size_t k = 0; k < sizeof alias / sizeof alias[0]; k++) {
        snprintf(option, sizeof option, "--%s", alias[k][0]);
        each(context, option);
    }
    each(context, "-o");
}

void cli_list_options(void)
{
    yoke_option_text o;

    for (int i = 0; yoke_run_list(i, &o); i++) {
        char dashed[NAME_SIZE];
        dashes(o.name, dashed);
        print_listed(dashed, &o);
        if (strcmp(o.name, "output") == 0) printf("-o\tFILE\t%s\n", o.text);
        for (size_t k = 0; k < sizeof alias / sizeof alias[0]; k++)
            if (strcmp(alias[k][1], o.name) == 0) print_listed(alias[k][0], &o);
    }
}
