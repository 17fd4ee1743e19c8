/* cli/cmd_sweep.c -- yoke sweep SYSTEM: many runs over parameters.
 *
 * Every run is a process of its own, which reads the system with its
 * parameters: one that crashes is a row with a message.  It tells its numbers
 * through a pipe, which is its standard error too, so that what it has to say
 * in vain becomes the message of its row:
 *
 *     @not certified: the steps of m have a fixed length ...
 *     @message measure t failed: ...
 *     @values 0x1.8p+1 0x1p-3
 *
 * Rows are computed from their number alone and written in its order: the table
 * is the same for any number of jobs.
 */
#define _GNU_SOURCE
#include "cli/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_JOBS = 256, HEARD = 1 << 16 };

/* A run on its way. */
typedef struct running {
    pid_t pid; /* 0: free */
    int row, pipe;
    size_t length;
    char *text; /* what it said; the end of it, if it is much */
} running;

typedef struct sweeper {
    sweep s;
    cli_measures measures;
    const char *output, *picture;
    bool json, quiet, restart;
    int jobs;
    int words; /* of the command line that each run gets, with the system */
    char **word;
    char path[1024]; /* of the system */
    char journal_path[1100];
    int journal;
    int next; /* row to be started */
    running *slot;
    double began, shown;
    int begun_with; /* rows that an earlier call had finished */
} sweeper;

/* ---- one run, in its process --------------------------------------------- */

typedef struct one_run {
    yoke_file *file;
    yoke_run *run;
    yoke_err measured;
} one_run;

static bool on_window(void *context, double t, const yoke_iterate_result *r)
{
    one_run *o = context;

    (void)t, (void)r;
    return yoke_file_measure_window(o->file, o->run, &o->measured) != YOKE_OK;
}

static void tell_values(const yoke_file *file)
{
    yoke_measured m;

    for (int i = 0; yoke_file_measured(file, i, &m); i++)
        if (m.text[0]) {
            fprintf(stderr, "\n@message %s\n", m.text);
            break;
        }
    fputs("\n@values", stderr);
    for (int i = 0; yoke_file_measured(file, i, &m); i++)
        fprintf(stderr, " %a", m.value);
    fputc('\n', stderr);
}

/* What the exit status of this run does not certify, in one line. */
static void tell_uncertain(yoke_run *run)
{
    const char *text = NULL;

    for (int i = 0; yoke_run_uncertain(run, i, &text); i++) {
        fputs(i ? "; " : "\n@not certified: ", stderr);
        for (; *text; text++) fputc(*text == '\n' ? ' ' : *text, stderr);
    }
    fputc('\n', stderr);
}

static int run_model(cli_system *system)
{
    one_run o = { .file = system->file };
    const yoke_watcher watcher = { .window = on_window, .context = &o };
    yoke_run_options options = system->options;
    yoke_run_result r = { .converged = false };
    yoke_err err = { YOKE_OK, "" };

    options.output = "";
    options.iterates = false;
    options.jobs = 1;
    options.tasks = "";
    if (yoke_run_create(&o.run, system->model, &options, &watcher, &err) !=
        YOKE_OK)
        return cli_fail(&err);
    yoke_status status = yoke_file_measure_begin(o.file, o.run, &err);
    if (status == YOKE_OK) status = yoke_run_advance(o.run, options.stop, &err);
    if (o.measured.status != YOKE_OK) err = o.measured;
    if (status == YOKE_OK) status = yoke_file_measure(o.file, &err);
    yoke_run_summary(o.run, &r);
    if (status == YOKE_OK && r.converged) tell_uncertain(o.run);
    yoke_run_close(o.run, NULL);
    if (status != YOKE_OK) return cli_fail(&err);
    if (!r.converged) {
        fputs("yoke: not every window converged\n", stderr);
        return CLI_FAILED;
    }
    tell_values(o.file);
    return CLI_OK;
}

/* The command line of a run, with the values of its parameters, in one block; NULL:
 * no memory. */
static char **command_of(const sweeper *w, int row, int *count)
{
    enum { ROOM = 300 }; /* of a setting */
    const sweep *s = &w->s;
    const size_t most = (size_t)w->words + 2 * (size_t)s->axes + 3;
    char **word = calloc(1, most * sizeof *word + (size_t)s->axes * ROOM);
    static char level[] = "--log-level", error[] = "error", set[] = "--set";

    if (!word) return NULL;
    char *text = (char *)(word + most);
    memcpy(word, w->word, (size_t)w->words * sizeof *word);
    *count = w->words;
    word[1] = (char *)(size_t)w->path;
    word[(*count)++] = level;
    word[(*count)++] = error;
    for (int k = 0; k < s->axes; k++, text += ROOM) {
        sweep_setting(s, row, k, text, ROOM);
        word[(*count)++] = set;
        word[(*count)++] = text;
    }
    return word;
}

/* *words, which the system refers to, are the caller's. */
static int load(const sweeper *w, int row, cli_system *system, char ***words)
{
    int count = 0;

    *words = command_of(w, row, &count);
    if (!*words) return cli_usage("out of memory");
    const int status = cli_load(system, &count, *words);
    return status == CLI_OK ? cli_add_measures(system->file, &w->measures)
                            : status;
}

static void run_row(const sweeper *w, int row, int pipe)
{
    cli_system system;
    char **words = NULL; /* until the process ends */

    cli_interrupt_forget();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
        dup2(pipe, STDERR_FILENO) < 0)
        _exit(CLI_FAILED);
    int status = load(w, row, &system, &words);
    if (status == CLI_OK) status = run_model(&system);
    fflush(stderr);
    _exit(status);
}

/* ---- runs on their way --------------------------------------------------- */

static int start_row(sweeper *w, running *slot, int row)
{
    int end[2];

    if (pipe(end) != 0) return cli_usage("no pipe: %s", strerror(errno));
    fflush(stdout);
    fflush(stderr);
    const pid_t pid = fork();
    if (pid == 0) {
        close(end[0]);
        run_row(w, row, end[1]);
    }
    close(end[1]);
    if (pid < 0) {
        close(end[0]);
        return cli_usage("no process for a run: %s", strerror(errno));
    }
    (void)fcntl(end[0], F_SETFL, O_NONBLOCK);
    slot->pid = pid;
    slot->row = row;
    slot->pipe = end[0];
    slot->length = 0;
    return CLI_OK;
}

/* Takes what there is; true: there will be no more. */
static bool listen_to(running *s)
{
    for (;;) {
        if (s->length == HEARD - 1) { /* its end matters */
            memmove(s->text, s->text + HEARD / 2, HEARD / 2 - 1);
            s->length = HEARD / 2 - 1;
        }
        const ssize_t n =
            read(s->pipe, s->text + s->length, HEARD - 1 - s->length);
        if (n == 0) return true;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno != EAGAIN;
        s->length += (size_t)n;
    }
}

/* The last line that begins with this, behind it; NULL: there is none. */
static char *line_with(char *text, const char *begin)
{
    char *found = NULL;

    for (char *p = text; (p = strstr(p, begin)); p++)
        if (p == text || p[-1] == '\n') found = p + strlen(begin);
    if (found) found[strcspn(found, "\n")] = '\0';
    return found;
}

/* The last line with something in it. */
static char *last_line(char *text)
{
    size_t n = strlen(text);

    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' ')) text[--n] = 0;
    char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    return strncmp(line, "yoke: ", 6) == 0 ? line + 6 : line;
}

static bool take_values(const sweep *s, const char *text, double *value)
{
    for (int k = 0; k < s->measures; k++) {
        char *end = NULL;
        value[k] = strtod(text, &end);
        if (end == text) return false;
        text = end;
    }
    return true;
}

/* A run has ended. */
static int finish_row(sweeper *w, running *slot, int status)
{
    sweep *s = &w->s;
    double *value = calloc((size_t)s->measures, sizeof *value);
    char death[120];

    if (!value) return cli_usage("out of memory");
    slot->text[slot->length] = '\0';
    const char *values =
        line_with(slot->text, "@values"); /* behind the other */
    char *message = line_with(slot->text, "@message ");
    const char *note = line_with(slot->text, "@not certified: ");
    const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && values &&
                      take_values(s, values, value);
    if (!good && WIFSIGNALED(status)) {
        snprintf(death, sizeof death, "the run was ended by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
        message = death;
    } else if (!good) {
        message = last_line(slot->text);
        if (!message[0]) message = strcpy(death, "the run said nothing");
    }
    sweep_finish(s, slot->row, good ? value : NULL, message,
                 good ? note : NULL);
    free(value);
    return sweep_journal_add(s, w->journal, slot->row, w->journal_path);
}

static int collect(sweeper *w, running *slot)
{
    int status = 0;
    const bool closed = listen_to(slot);
    const pid_t ended = waitpid(slot->pid, &status, closed ? 0 : WNOHANG);

    if (ended == 0 || (ended < 0 && errno == EINTR)) return CLI_OK;
    (void)listen_to(slot);
    close(slot->pipe);
    slot->pid = 0;
    return finish_row(w, slot, status);
}

static void end_runs(sweeper *w)
{
    for (int k = 0; k < w->jobs; k++) {
        if (w->slot[k].pid == 0) continue;
        kill(w->slot[k].pid, SIGKILL);
        while (waitpid(w->slot[k].pid, NULL, 0) < 0 && errno == EINTR) {
        }
        close(w->slot[k].pipe);
        w->slot[k].pid = 0;
    }
}

/* ---- the whole ----------------------------------------------------------- */

static void show_progress(sweeper *w)
{
    const bool terminal = isatty(STDERR_FILENO) != 0;
    const double time = cli_clock(), spent = time - w->began;
    const int made = w->s.finished - w->begun_with;
    const bool last = w->s.finished == w->s.rows;
    char duration[CLI_DURATION];

    if (w->quiet || w->json || !cli_logs(CLI_NOTE)) return;
    if (time - w->shown < (terminal ? 0.2 : 10.0) && !(last && terminal))
        return;
    w->shown = time;
    fprintf(stderr, "%s%d of %d runs", terminal ? "\r" : "", w->s.finished,
            w->s.rows);
    if (w->s.failed > 0) fprintf(stderr, ", %d failed", w->s.failed);
    if (made > 0 && !last)
        fprintf(
            stderr, ", %s left",
            cli_duration(spent / made * (w->s.rows - w->s.finished), duration));
    fputs(terminal ? "          " : "\n", stderr);
    if (terminal && last) fputc('\n', stderr);
    fflush(stderr);
}

static int start_rows(sweeper *w)
{
    for (int k = 0; k < w->jobs; k++) {
        if (w->slot[k].pid != 0) continue;
        while (w->next < w->s.rows && w->s.done[w->next]) w->next++;
        if (w->next == w->s.rows) return CLI_OK;
        const int status = start_row(w, &w->slot[k], w->next++);
        if (status != CLI_OK) return status;
    }
    return CLI_OK;
}

static void wait_for_news(const sweeper *w)
{
    struct pollfd list[MOST_JOBS];
    nfds_t count = 0;

    for (int k = 0; k < w->jobs; k++)
        if (w->slot[k].pid != 0)
            list[count++] =
                (struct pollfd){ .fd = w->slot[k].pipe, .events = POLLIN };
    (void)poll(list, count, 200);
}

static int run_all(sweeper *w)
{
    int status = CLI_OK;

    w->began = w->shown = cli_clock();
    w->begun_with = w->s.finished;
    while (status == CLI_OK && w->s.finished < w->s.rows) {
        status = start_rows(w);
        if (status == CLI_OK) wait_for_news(w);
        if (cli_interrupted()) break;
        for (int k = 0; k < w->jobs && status == CLI_OK; k++)
            if (w->slot[k].pid != 0) status = collect(w, &w->slot[k]);
        show_progress(w);
    }
    end_runs(w);
    if (w->s.finished == w->s.rows) return CLI_OK;
    fprintf(stderr,
            "%syoke: %d of %d runs are finished and kept in %s; the same "
            "command goes on with the others\n",
            status == CLI_OK ? "\n" : "",
            w->s.finished - (status != CLI_OK), /* the last is not kept */
            w->s.rows, w->journal_path);
    return CLI_FAILED;
}

/* ---- before the first run ------------------------------------------------ */

/* FNV-1a over texts and their lengths. */
static uint64_t mix(uint64_t h, const void *bytes, size_t length)
{
    const unsigned char *p = bytes;

    for (size_t k = 0; k < length; k++) h = (h ^ p[k]) * 0x100000001b3u;
    return (h ^ length) * 0x100000001b3u;
}

static uint64_t mix_text(uint64_t h, const char *text)
{
    return mix(h, text, strlen(text));
}

static uint64_t mix_file(uint64_t h, const char *path)
{
    char block[4096];
    size_t n;
    FILE *in = fopen(path, "rb");

    while (in && (n = fread(block, 1, sizeof block, in)) > 0)
        h = mix(h, block, n);
    if (in) fclose(in);
    return h;
}

/* All that a row depends on. */
static uint64_t identity_of(const sweeper *w, const yoke_file *file)
{
    uint64_t h = mix_text(0xcbf29ce484222325u, yoke_version());

    for (int k = 2; k < w->words; k++) h = mix_text(h, w->word[k]);
    for (int k = 0; k < w->s.axes; k++) h = mix_text(h, w->s.axis[k].text);
    for (int k = 0; k < w->measures.count; k++)
        h = mix_text(h, w->measures.text[k]);
    h = mix(h, &w->s.seed, w->s.random ? sizeof w->s.seed : 0);
    h = mix_file(h, w->path);
    for (int k = 0; yoke_file_source_at(file, k); k++)
        h = mix_file(h, yoke_file_source_at(file, k));
    return h;
}

static int name_measures(sweeper *w, const yoke_file *file)
{
    yoke_measured m;
    int count = 0;

    while (yoke_file_measured(file, count, &m)) count++;
    if (count == 0)
        return cli_usage("sweep: nothing is measured; give --measure "
                         "\"max(motor.P)\", or the system file a section "
                         "measure");
    const int status = sweep_create(&w->s, count);
    for (int k = 0; status == CLI_OK && yoke_file_measured(file, k, &m); k++) {
        w->s.measure[k] = strdup(m.name);
        if (!w->s.measure[k]) return cli_usage("out of memory");
    }
    return status;
}

/* The system with the parameters of one row: are the names right, what is
 * measured, which files does it have? */
static int look_at(sweeper *w, int row)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_run *run = NULL;
    cli_system system = { 0 };
    char **words = NULL;
    int status = load(w, row, &system, &words);

    if (status == CLI_OK) {
        yoke_run_options options = system.options;
        options.output = "";
        options.jobs = 1;
        options.tasks = "";
        if (yoke_run_create(&run, system.model, &options, NULL, &err) !=
                YOKE_OK ||
            yoke_file_measure_begin(system.file, run, &err) != YOKE_OK)
            status = cli_fail(&err);
    }
    if (status == CLI_OK) {
        const char *name = yoke_file_name(system.file);
        snprintf(w->s.title, sizeof w->s.title, "%.100s", name ? name : "");
        status = sweep_find_units(&w->s, system.file);
    }
    if (status == CLI_OK) status = name_measures(w, system.file);
    if (status == CLI_OK) {
        w->journal = sweep_journal_open(
            &w->s, w->journal_path, identity_of(w, system.file), w->restart);
        if (w->journal < 0) status = CLI_FAILED;
    }
    yoke_run_close(run, NULL);
    cli_unload(&system);
    free(words);
    return status;
}

/* Does the system exist for this row?  Tried in a process, in silence. */
static bool can_begin(const sweeper *w, int row)
{
    int status = 0;
    const pid_t pid = fork();

    if (pid == 0) {
        cli_system system;
        char **words = NULL;
        const int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere >= 0) (void)dup2(nowhere, STDERR_FILENO);
        if (nowhere >= 0) (void)dup2(nowhere, STDOUT_FILENO);
        yoke_err err = { YOKE_OK, "" };
        yoke_run *run = NULL;
        if (load(w, row, &system, &words) != CLI_OK) _exit(1);
        system.options.output = "";
        system.options.jobs = 1;
        system.options.tasks = "";
        _exit(yoke_run_create(&run, system.model, &system.options, NULL,
                              &err) != YOKE_OK);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The first row may be one of those that fail: another will do. */
static int look(sweeper *w)
{
    const int try[] = { 0, w->s.rows - 1, w->s.rows / 2 };

    for (int k = 0; k < 3; k++)
        if (can_begin(w, try[k])) return look_at(w, try[k]);
    return look_at(w, 0); /* for its message */
}

/* ---- the command --------------------------------------------------------- */

static int take_int(int *argc, char **argv, const char *name, long least,
                    long most, long *out)
{
    const char *text = NULL;
    char *end = NULL;

    while ((text = cli_value(argc, argv, name))) {
        *out = strtol(text, &end, 10);
        if (end == text || *end || *out < least || *out > most)
            return cli_usage("sweep: %s = \"%s\" is not a whole number from "
                             "%ld to %ld",
                             name, text, least, most);
    }
    return CLI_OK;
}

static int take_options(sweeper *w, int *argc, char **argv)
{
    long jobs = sysconf(_SC_NPROCESSORS_ONLN), random = 0, seed = 1;
    const char *text = NULL;
    int status = CLI_OK;

    if (jobs < 1 || jobs > MOST_JOBS) jobs = jobs < 1 ? 1 : MOST_JOBS;
    while (status == CLI_OK && (text = cli_value(argc, argv, "--vary")))
        status = sweep_read_axis(&w->s, text);
    if (status == CLI_OK) status = cli_take_measures(argc, argv, &w->measures);
    if (status == CLI_OK)
        status = take_int(argc, argv, "--random", 1, SWEEP_MOST_ROWS, &random);
    if (status == CLI_OK)
        status = take_int(argc, argv, "--seed", 0, 1000000000, &seed);
    if (status == CLI_OK)
        status = take_int(argc, argv, "--jobs", 1, MOST_JOBS, &jobs);
    while ((text = cli_value(argc, argv, "-o"))) w->output = text;
    while ((text = cli_value(argc, argv, "--output"))) w->output = text;
    while ((text = cli_value(argc, argv, "--picture"))) w->picture = text;
    w->s.seed = seed;
    w->jobs = (int)jobs;
    if (status != CLI_OK) return status;
    if (w->s.axes == 0)
        return cli_usage("sweep: nothing is varied; give --vary "
                         "motor.R=1:0.1:5");
    if (*argc < 2)
        return cli_usage("sweep: name a system file or an example; see yoke "
                         "example");
    return sweep_count_rows(&w->s, (int)random);
}

static int check_names(sweeper *w)
{
    static const char *const table[] = { ".csv", ".h5" };
    bool good = false;

    if (!w->output) w->output = "sweep.csv";
    for (int k = 0; k < 2; k++) good = good || cli_ends_in(w->output, table[k]);
    if (!good || strlen(w->output) > 1000)
        return cli_usage("sweep: the table is a .csv or .h5 file, not \"%s\"",
                         w->output);
    if (w->picture && !cli_ends_in(w->picture, ".svg") &&
        !(cli_ends_in(w->picture, ".png") && w->s.axes == 1))
        return cli_usage("--picture is a .svg file, or .png for one parameter, "
                         "not \"%s\"",
                         w->picture);
    if (w->picture && w->s.axes > 2)
        return cli_usage("--picture shows one parameter or two, these are %d",
                         w->s.axes);
    snprintf(w->journal_path, sizeof w->journal_path, "%s.rows", w->output);
    return CLI_OK;
}

/* The files of an example stay until all runs have read them. */
static int find_system(sweeper *w, const char *name, char *folder, size_t room,
                       const char **example)
{
    if (access(name, F_OK) == 0 || !cli_example_there(name)) {
        snprintf(w->path, sizeof w->path, "%s", name);
        return CLI_OK;
    }
    const int status = cli_example_unpack(name, folder, room);
    if (status != CLI_OK) return status;
    *example = name;
    snprintf(w->path, sizeof w->path, "%s/%s", folder,
             cli_example_system(name));
    return CLI_OK;
}

static int sweep_system(sweeper *w)
{
    int status = look(w);

    if (status != CLI_OK) return status;
    if (w->s.finished > 0 && !w->quiet)
        fprintf(stderr, "yoke: %d of %d runs are finished already\n",
                w->s.finished, w->s.rows);
    cli_interrupt_begin();
    status = run_all(w);
    cli_interrupt_end();
    if (status == CLI_OK) status = sweep_write_table(&w->s, w->output);
    close(w->journal);
    if (status != CLI_OK) return status;
    (void)unlink(w->journal_path);
    if (w->json)
        sweep_json(&w->s, w->output);
    else if (!w->quiet)
        sweep_print(&w->s, w->output);
    if (w->picture) status = sweep_picture(&w->s, w->picture);
    if (w->picture && status == CLI_OK && !w->quiet && !w->json)
        printf("picture: %s\n", w->picture);
    return status == CLI_OK && w->s.failed > 0 ? CLI_FAILED : status;
}

static int make_slots(sweeper *w)
{
    w->slot = calloc((size_t)w->jobs, sizeof *w->slot);
    for (int k = 0; w->slot && k < w->jobs; k++)
        if (!(w->slot[k].text = malloc(HEARD)))
            return cli_usage("out of memory");
    return w->slot ? CLI_OK : cli_usage("out of memory");
}

static void sweeper_free(sweeper *w)
{
    for (int k = 0; w->slot && k < w->jobs; k++) free(w->slot[k].text);
    free(w->slot);
    sweep_clear(&w->s);
    free(w);
}

int cmd_sweep(int argc, char **argv)
{
    sweeper *w = calloc(1, sizeof *w);
    const char *example = NULL;
    char folder[512];

    if (!w) return cli_usage("out of memory");
    w->json = cli_flag(&argc, argv, "--json");
    w->quiet = cli_flag(&argc, argv, "--quiet");
    w->restart = cli_flag(&argc, argv, "--restart");
    int status = take_options(w, &argc, argv);
    if (status == CLI_OK) status = cli_system_first(argc, argv);
    if (status == CLI_OK) status = check_names(w);
    if (status == CLI_OK) status = make_slots(w);
    if (status == CLI_OK)
        status = find_system(w, argv[1], folder, sizeof folder, &example);
    w->words = argc;
    w->word = argv;
    if (status == CLI_OK) status = sweep_system(w);
    if (example) cli_example_remove(example, folder);
    sweeper_free(w);
    return status;
}
