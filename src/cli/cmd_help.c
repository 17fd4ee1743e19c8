/* cli/cmd_help.c -- yoke help [VERB]; help --options VERB is for the completion
 * of shells. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

/* Options that are not in the table of the run.  A value in capitals says what
 * it is, one in small letters lists the words, NULL: there is none. */
typedef struct verb_option {
    int (*verb)(int argc, char **argv);
    const char *option, *value, *text;
} verb_option;

static const verb_option options[] = {
    { cmd_run, "--json", NULL, "print the summary as JSON" },
    { cmd_run, "--quiet", NULL, "print nothing but errors" },
    { cmd_run, "--oracle", NULL,
      "measure the overhead: solve each subsystem again, alone" },
    { cmd_run, "--measure", "TEXT",
      "a number to take of the run, max(motor.P) or peak=max(motor.P); may be "
      "repeated" },
    { cmd_run, "--checkpoint", "FILE",
      "save the run there, so that yoke resume FILE can go on after a crash" },
    { cmd_run, "--checkpoint-every", "TIME",
      "of the clock: 60s, 5min, 1h; 0: every window [60s]" },
    { cmd_run, "--watch", "PORT",
      "show the run while it goes on, at an address of this machine [a free "
      "port]" },
    { cmd_run, "--stay", NULL,
      "with --watch: until Ctrl-C, not until the end" },
    { cmd_resume, "--watch", "PORT", "show the run while it goes on" },
    { cmd_resume, "--stop", "T", "when the run ends [as it began]" },
    { cmd_resume, "--jobs", "N", "threads [as it began]" },
    { cmd_resume, "--json", NULL, "print the summary as JSON" },
    { cmd_resume, "--quiet", NULL, "print nothing but errors" },
    { cmd_check, "--json", NULL, "print the result as JSON" },
    { cmd_check, "--dot", NULL, "print the coupling graph for Graphviz" },
    { cmd_check, "--along", "N",
      "the contraction at N times of the run, which is solved as one system; "
      "0: at the start only [a short look]" },
    { cmd_verify, "--json", NULL, "print the result as JSON" },
    { cmd_verify, "--sweeps", "K",
      "windows of the order with K sweeps each [until they converge]" },
    { cmd_sweep, "--vary", "NAME=VALUES",
      "a parameter: motor.R=1:0.1:5 (first:step:last), load.J=log(1e-4,1e-2,20)"
      " or lin(...), 1,2,5; may be repeated: all combinations" },
    { cmd_sweep, "--measure", "TEXT",
      "what is measured of each run, max(motor.P) or peak=max(motor.P); may be "
      "repeated [the section measure]" },
    { cmd_sweep, "--random", "N",
      "N runs with values drawn at random from the ranges" },
    { cmd_sweep, "--seed", "S", "of the random values [1]" },
    { cmd_sweep, "-o", "FILE", "table, .csv or .h5 [sweep.csv]" },
    { cmd_sweep, "--picture", "FILE",
      "a line (.svg, .png) for one parameter, a map (.svg) for two" },
    { cmd_sweep, "--restart", NULL,
      "do not go on with the rows of an interrupted sweep" },
    { cmd_sweep, "--json", NULL, "print the result as JSON" },
    { cmd_sweep, "--quiet", NULL, "print nothing but errors" },
    { cmd_report, "-o", "FILE", "page, .html [the result's name with .html]" },
    { cmd_report, "--title", "TEXT",
      "title [the name of the system or of the file]" },
    { cmd_report, "--variables", "N", "largest number of columns [200]" },
    { cmd_report, "--picture", "FILE",
      "a .svg or .png file at the end of the page; may be repeated" },
    { cmd_report, "--points", "N",
      "largest number of points per variable [5000]" },
    { cmd_plot, "-o", "FILE",
      "picture, .png or .svg [the result's name with .png]" },
    { cmd_plot, "-v", "NAMES",
      "columns, separated by commas, * for any text [a few that change]" },
    { cmd_plot, "--x", "NAME", "column of the horizontal axis [time]" },
    { cmd_plot, "--from", "TIME", "only rows from this time on" },
    { cmd_plot, "--to", "TIME", "only rows up to this time" },
    { cmd_plot, "--table", "result coupling", "what is drawn [result]" },
    { cmd_plot, "--log", NULL, "logarithmic vertical axis" },
    { cmd_plot, "--profile", "NAME",
      "values along a coordinate; yoke info lists the profiles" },
    { cmd_plot, "--at", "TIMES",
      "of a profile, separated by commas [five over the run]" },
    { cmd_plot, "--field", "NAME",
      "the magnetic field of a subsystem at a time; RESULT is followed by its "
      "system; .svg" },
    { cmd_plot, "--title", "TEXT",
      "title of the picture [the name of the system]" },
    { cmd_plot, "--trust", NULL,
      "with --field: .geo files of the system may run programs" },
    { cmd_info, "--json", NULL, "print the result as JSON" },
    { cmd_info, "--draw", "FILE",
      "of a mesh (.msh, .geo): a picture of its regions, .svg" },
    { cmd_info, "--class", "NAME",
      "of an equation model [the file's only one, or its last]" },
    { cmd_compare, "--json", NULL, "print the differences as JSON" },
    { cmd_compare, "--rtol", "R",
      "do they agree?  Allowed is R times the largest value of a variable; "
      "status 1 if not" },
    { cmd_compare, "--atol", "A", "absolute tolerance: A more is allowed [0]" },
    { cmd_export, "-o", "FILE", "what to write, .fmu or .ssp" },
    { cmd_export, "--fmi", "2 3", "version of the FMI standard [3]" },
    { cmd_example, "--force", NULL, "overwrite files that differ" },
    { cmd_example, "--names", NULL, "list the names only" },
};

/* Options of all verbs that read a system. */
static const verb_option system_options[] = {
    { NULL, "--set", "NAME=VALUE",
      "a parameter, left.m=3, an option of a stepper, left.stepper=euler, or "
      "of the run, run.rtol=1e-8" },
    { NULL, "--interpret", NULL,
      "do not compile equation models and expressions" },
    { NULL, "--max-elements", "N",
      "largest number of array elements of an equation model [1000000]" },
    { NULL, "--variant", "NAME",
      "of an SSP package: which description [SystemStructure.ssd]" },
    { NULL, "--trust", NULL,
      ".geo files go to gmsh as they are: they may run programs" },
    { NULL, "--log-level", CLI_LEVELS,
      "what is printed on standard error: failures; also warnings; also "
      "progress; also every model and sweep [note]" },
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool reads_system(const cli_verb *v)
{
    return v->run == cmd_run || v->run == cmd_check || v->run == cmd_verify ||
           v->run == cmd_info || v->run == cmd_export || v->run == cmd_sweep;
}

static void print_steppers(void)
{
    const char *name = NULL, *text = NULL;

    puts("\nSteppers (--stepper):");
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++)
        printf("  %-15s %s\n", name, text);
}

static void print_option(const verb_option *o, bool plain)
{
    const char *value = o->value ? o->value : "";
    const bool words = strchr(value, ' ') != NULL;
    char both[40], text[500];

    if (!plain) {
        printf("%s\t%s\t%s\n", o->option, value, o->text);
        return;
    }
    snprintf(both, sizeof both, "%s %s", o->option, words ? "WORD" : value);
    snprintf(text, sizeof text, "%s%s%s%s", o->text, words ? " (" : "",
             words ? value : "", words ? ")" : "");
    cli_print_entry(both, text);
}

/* Those of the table of the run stand elsewhere. */
static void print_own(const cli_verb *v, bool plain)
{
    for (size_t k = 0; reads_system(v) && k < COUNT(system_options); k++)
        print_option(&system_options[k], plain);
    for (size_t k = 0; k < COUNT(options); k++)
        if (options[k].verb == v->run) print_option(&options[k], plain);
}

/* What people use; the rest is for `--help all`. */
static const char *const common[] = { "--set",   "--json", "--quiet", "--table",
                                      "-o",      "-v",     "--log",   "--title",
                                      "--force", "--fmi",  "--watch", NULL };

static bool is_common(const char *option)
{
    for (int k = 0; common[k]; k++)
        if (strcmp(common[k], option) == 0) return true;
    return false;
}

static int system_help(const cli_verb *v)
{
    puts("\nOptions [default]:");
    cli_print_options(CLI_OPTIONS_COMMON);
    if (v->run == cmd_run) cli_print_options(CLI_OPTIONS_RESULT);
    for (size_t k = 0; k < COUNT(system_options); k++)
        if (is_common(system_options[k].option))
            print_option(&system_options[k], true);
    for (size_t k = 0; k < COUNT(options); k++)
        if (options[k].verb == v->run &&
            (v->run != cmd_run || is_common(options[k].option)))
            print_option(&options[k], true);
    printf("\nTimes take units: --stop 100ms.  yoke %s --help all lists "
           "everything.\n",
           v->name);
    return CLI_OK;
}

static int verb_help(const cli_verb *v, bool all)
{
    printf("yoke %s %s\n  %s\n", v->name, v->arguments, v->text);
    if (reads_system(v) && !all) return system_help(v);
    if (reads_system(v)) {
        puts("\nOptions [default]:");
        cli_print_options(CLI_OPTIONS_COMMON);
        cli_print_options(CLI_OPTIONS_RESULT);
        puts("\nOf the result and of steps:");
        cli_print_options(CLI_OPTIONS_MORE);
        puts("\nFor experts, how the iteration works:");
        cli_print_options(CLI_OPTIONS_EXPERT);
        print_steppers();
    }
    putchar('\n');
    print_own(v, true);
    if (reads_system(v))
        puts("\nAliases: --stop-time --start-time --step-size --output-file "
             "(-o) "
             "--tolerance\n--output-file may be given several times: each file "
             "gets everything.\nTimes take units: --stop 100ms.");
    if (v->run == cmd_report)
        puts("\nyoke run with --output name.h5 --iterates true records all "
             "that a\nreport can show.");
    return CLI_OK;
}

/* One line for each: option, value, text, separated by tabs. */
static int list_options(const char *name)
{
    for (const cli_verb *v = cli_verbs; v->name; v++) {
        if (strcmp(v->name, name) != 0) continue;
        if (reads_system(v)) cli_list_options();
        print_own(v, false);
        return CLI_OK;
    }
    return cli_unknown_verb(name);
}

/* The word of the command line without its value. */
typedef struct search {
    char word[64];
    cli_near near;
    bool found, system; /* system: the verb reads one */
    char best[64];
} search;

static void try_option(void *context, const char *option)
{
    search *s = context;

    const char *name = option + strspn(option, "-");

    if (strcmp(s->word, option) == 0) s->found = true;
    cli_near_try(&s->near, name);
    if (!s->best[0] && s->near.wanted[0] == name[0] && !s->near.wanted[1])
        s->near.best = name; /* -q: --quiet */
    if (s->near.best != name) return;
    snprintf(s->best, sizeof s->best, "%s", option);
    s->near.best = s->best;
}

static void search_options(search *s, const char *verb, const char *option)
{
    const cli_verb *v = cli_verbs;

    *s = (search){ .near = { .wanted = s->word + strspn(option, "-") } };
    snprintf(s->word, sizeof s->word, "%.*s", (int)strcspn(option, "="),
             option);
    for (char *p = s->word + (s->word[0] && s->word[1] == '-'); *p; p++)
        if (*p == '_') *p = '-';
    while (v->name && strcmp(v->name, verb) != 0) v++;
    s->system = reads_system(v);
    for (size_t k = 0; s->system && k < COUNT(system_options); k++)
        try_option(s, system_options[k].option);
    if (s->system) cli_each_option(try_option, s);
    for (size_t k = 0; k < COUNT(options); k++)
        if (v->name && options[k].verb == v->run)
            try_option(s, options[k].option);
}

bool cli_has_option(const char *verb, const char *option)
{
    search s;

    search_options(&s, verb, option);
    return s.found;
}

int cli_unknown_option(const char *verb, const char *option)
{
    search s;

    search_options(&s, verb, option);
    if (s.found)
        return cli_usage("%s: %s does not belong here; see yoke help %s", verb,
                         s.word, verb);
    const char *meant =
        s.system ? yoke_run_option_meant(s.word + strspn(s.word, "-")) : NULL;
    if (meant)
        return cli_usage("%s: there is no option \"%s\"; it is called --%s "
                         "here",
                         verb, s.word, meant);
    if (s.near.best)
        return cli_usage("%s: there is no option \"%s\"; did you mean %s?",
                         verb, s.word, s.near.best);
    return cli_usage("%s: there is no option \"%s\"; yoke help %s%s lists them",
                     verb, s.word, verb, s.system ? " all" : "");
}

static int list_verbs(void)
{
    for (const cli_verb *v = cli_verbs; v->name; v++)
        printf("%s\t%s\n", v->name, v->text);
    return CLI_OK;
}

/* The keys of a component, as a system file writes them; false if there is none
 * of that name. */
static bool component_help(const char *name)
{
    yoke_component_info c;
    yoke_component_key key;

    for (int i = 0; yoke_component_at(i, &c); i++) {
        if (strcmp(c.name ? c.name : c.source, name) != 0) continue;
        printf("%s%s%s: %s\n", c.name ? "component: " : "",
               c.name ? c.name : c.source, c.name ? "" : " (key)", c.text);
        for (int k = 0; yoke_component_key_at(i, k, &key); k++)
            printf("  %-16s %-22s %s\n", key.name, key.kind, key.text);
        return true;
    }
    return false;
}

static int list_components(void)
{
    yoke_component_info c;

    puts("What a subsystem may be made of (yoke help NAME lists the keys):");
    for (int i = 0; yoke_component_at(i, &c); i++)
        printf("  %-12s%-18s %s\n", c.source, c.name ? c.name : "", c.text);
    return CLI_OK;
}

/* A page of the manual; false if there is none of that name. */
static bool topic_help(const char *name)
{
    for (const cli_example_file *f = cli_topics; f->name; f++)
        if (strcmp(f->name, name) == 0) {
            fwrite(f->bytes, 1, f->size, stdout);
            return true;
        }
    return false;
}

int cmd_help(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--roff") == 0) {
        cli_print_options(CLI_OPTIONS_ROFF);
        return CLI_OK;
    }
    if (argc > 1 && strcmp(argv[1], "--options") == 0)
        return argc > 2 ? list_options(argv[2]) : list_verbs();
    for (const cli_verb *v = cli_verbs; argc > 1 && v->name; v++)
        if (strcmp(argv[1], v->name) == 0)
            return verb_help(v, argc > 2 && strcmp(argv[2], "all") == 0);
    if (argc > 1 && strcmp(argv[1], "components") == 0)
        return list_components();
    if (argc > 1 && (topic_help(argv[1]) || component_help(argv[1])))
        return CLI_OK;
    if (argc > 1) return cli_unknown_verb(argv[1]);
    printf("yoke %s: coupled systems by dynamic iteration\n\n"
           "usage: yoke COMMAND ...\n\n",
           yoke_version());
    for (const cli_verb *v = cli_verbs; v->name; v++)
        printf("  %-8s %-36s %s\n", v->name, v->arguments, v->text);
    puts("\nTo begin: yoke example two-masses, then yoke run two-masses\n\n"
         "  yoke help COMMAND      its options (yoke help COMMAND all: all of "
         "them)\n"
         "  yoke help system-file  how to write a system file\n"
         "  yoke help equations    how to write an equation model\n"
         "  yoke help components   what a subsystem can be made of\n"
         "  yoke help json         what --json prints");
    return CLI_OK;
}
