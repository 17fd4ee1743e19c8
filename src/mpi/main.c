/* mpi/main.c -- the program yoke-mpi: `yoke run` with its units in many processes.
 *
 *     mpirun -n 8 yoke-mpi run system.yaml
 *     mpirun -n 8 yoke-mpi resume CHECKPOINT
 *
 * Every rank reads the system.  Rank 0 is the program as it is, with an executor
 * and places of its own; the others are silent and serve it.
 */
#define _GNU_SOURCE
#include "cli/keep.h"
#include "mpi/ranks.h"

#include "base/base.h"
#include "base/image.h"
#include "base/loaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- ranks that serve ---------------------------------------------------- */

typedef struct silence {
    FILE *said; /* on standard error, while the system is read */
    int error;  /* the real one */
    bool served;
    bool resumes; /* the run goes on from a checkpoint */
    int argc;
    char **argv; /* of the run */
    struct reading *reading;
} silence;

/* Units have parts of them until the end. */
typedef struct reading {
    cli_system system;
    struct reading *before;
} reading;

static void be_silent(silence *s)
{
    fflush(stderr);
    s->said = tmpfile();
    s->error = dup(STDERR_FILENO);
    if (s->said) dup2(fileno(s->said), STDERR_FILENO);
}

/* What was said, without the name of the program in front and the end of the
 * line behind. */
static void end_silence(silence *s, char *text, size_t room)
{
    fflush(stderr);
    text[0] = '\0';
    if (s->said) {
        rewind(s->said);
        text[fread(text, 1, room - 1, s->said)] = '\0';
        fclose(s->said);
    }
    if (s->error >= 0) {
        dup2(s->error, STDERR_FILENO);
        close(s->error);
    }
    if (strncmp(text, "yoke: ", 6) == 0)
        memmove(text, text + 6, strlen(text + 6) + 1);
    text[strcspn(text, "\n")] = '\0';
    if (!text[0]) snprintf(text, room, "the system could not be read");
}

/* Once more each time, so the words are copied. */
static yoke_model *read_system(void *self, int count,
                               const yoke_file_absent *absent, char *why,
                               size_t room)
{
    silence *s = self;
    int argc = s->argc, status = CLI_FAILED;
    char **argv = calloc((size_t)argc + 1, sizeof *argv);
    reading *r = calloc(1, sizeof *r);

    be_silent(s);
    for (int i = 0; argv && i < argc; i++) argv[i] = s->argv[i];
    cli_leave_out(count, absent);
    if (argv && r) status = cli_load(&r->system, &argc, argv);
    cli_leave_out(0, NULL);
    end_silence(s, why, room);
    free(argv);
    if (!r) return NULL;
    r->before = s->reading;
    s->reading = r;
    return status == CLI_OK ? r->system.model : NULL;
}

static int serve(void *self, int argc, char **argv)
{
    silence *s = self;
    char text[1000] = "";
    yoke_model *model = NULL;

    s->served = true;
    s->argc = argc;
    s->argv = argv;
    end_silence(s, text, sizeof text);
    if (argc > 0) text[0] = '\0';
    if (argc > 0 && s->resumes)
        model = read_system(s, 0, NULL, text, sizeof text);
    if (model) text[0] = '\0';
    const int status = yk_serve(model, read_system, s, text);
    for (reading *r = s->reading, *before = NULL; r; r = before) {
        before = r->before;
        cli_unload(&r->system);
        free(r);
    }
    return status;
}

/* Rank 0 knows the command, and others need not have the file.  False: there is
 * nothing to go on with. */
static bool resume_silently(void)
{
    static cli_keep keep = { .later = true };
    static char *word[CLI_WORDS + 8];
    yk_bytes in = { 0 };
    int words = 0;

    if (!yk_serve_words(&in)) return false;
    if (chdir(yk_bytes_get_text(&in)) != 0)
        fprintf(stderr, "yoke: the folder that the run was started in is not "
                        "there\n");
    else {
        const int count = yk_bytes_get_int(&in);
        for (; words < count && words < CLI_WORDS + 6; words++)
            word[words] = (char *)(size_t)yk_bytes_get_text(&in);
        if (in.status == YOKE_OK) (void)cli_run_words(words, word, &keep);
    }
    yk_bytes_free(&in);
    return true;
}

/* Its status is that of rank 0, so nothing that it does is an error. */
static int run_silently(int argc, char **argv)
{
    silence s = { .error = -1 };
    const cli_processes others = { .serve = serve, .self = &s };

    s.resumes = argc > 1 && strcmp(argv[1], "resume") == 0;
    yk_serve_outlive();
    if (!freopen("/dev/null", "w", stdout)) _exit(1);
    be_silent(&s);
    cli_use_processes(&others);
    if (s.resumes) {
        cli_signals();
        s.served = !resume_silently() || s.served;
    } else {
        (void)cli_main(argc, argv);
    }
    if (!s.served) serve(&s, 0, NULL);
    yk_link_close(true);
    return CLI_OK;
}

/* ---- rank 0 -------------------------------------------------------------- */

/* lost: they need not wait for all to end, since one will not. */
static void say_goodbye(yk_ranks *r, bool lost)
{
    for (int i = 1; i < r->count; i++) {
        yk_bytes_clear(&r->out);
        yk_ranks_head(&r->out, YK_MAIL_BYE, lost);
        if (!r->rank[i].lost) (void)yk_link_send(i, &r->out, NULL);
    }
    yk_link_flush();
}

/* The others read the model of a run that goes on, too. */
static void send_words(void *self, int words, char **word, const char *folder)
{
    yk_ranks *r = self;

    for (int i = 1; i < r->count; i++) {
        yk_bytes_clear(&r->out);
        yk_ranks_head(&r->out, YK_MAIL_WORDS, 0);
        yk_bytes_put_text(&r->out, folder);
        yk_bytes_put_int(&r->out, words);
        for (int k = 0; k < words; k++) yk_bytes_put_text(&r->out, word[k]);
        (void)yk_link_send(i, &r->out, NULL);
    }
    yk_link_flush();
}

static int run_all(int argc, char **argv)
{
    yk_ranks r = { .count = yk_link_ranks() };
    int status = CLI_FAILED;

    r.places = (yk_places){ .ops = &yk_ranks_places, .self = &r };
    if (YK_NEW(&r.rank, r.count, NULL) == YOKE_OK)
        r.places.executor = yk_jobs_executor(&r);
    if (r.places.executor.ops) {
        const cli_processes others = { .places = &r.places,
                                       .words = send_words,
                                       .self = &r };
        cli_use_processes(&others);
        yk_seen_watch(&r.files); /* a checkpoint has a list of its own */
        status = cli_main(argc, argv);
        yk_seen_watch(NULL);
    }
    /* A rank that is lost is not waited for: then mpirun ends what is left. */
    const bool lost = yk_ranks_find_lost(&r) != 0;
    say_goodbye(&r, lost);
    yk_link_close(!lost);
    if (lost) {
        fflush(NULL);
        _exit(status == CLI_OK ? CLI_FAILED : status);
    }
    yk_jobs_free(&r);
    yk_ranks_clear(&r);
    return status;
}

/* What a run in many processes cannot do, before anything is begun. */
static int check(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--version") == 0) return CLI_OK;
    if (argc < 2 ||
        (strcmp(argv[1], "run") != 0 && strcmp(argv[1], "resume") != 0))
        return cli_usage(
            "yoke-mpi run SYSTEM [options], yoke-mpi resume CHECKPOINT: as "
            "yoke run and yoke resume; all other commands are those of yoke");
    return CLI_OK;
}

/* Before MPI begins, since it cannot begin twice: a process that is to be saved may
 * have to begin again (cli/keep.h). */
static void find_place(int argc, char **argv)
{
    bool saved = argc > 1 && strcmp(argv[1], "resume") == 0;

    for (int i = 2; i < argc; i++)
        saved = saved || strncmp(argv[i], "--checkpoint", 12) == 0;
    if (saved && cli_keep_place(argc - 1, (const char *const *)argv + 1) != 0)
        exit(CLI_FAILED);
}

/* Libraries of MPI depend on how many ranks there are.  Nothing that is saved
 * refers to them, but a word that was left on a stack may look so. */
static bool open_link(int *argc, char ***argv)
{
    yk_loaded *before = NULL;
    int count = 0;
    const yoke_status status = yk_loaded_list(&before, &count, NULL);

    if (!yk_link_open(argc, argv)) return false;
    if (status == YOKE_OK) (void)yk_loaded_leave_out(before, count, NULL);
    return true;
}

int main(int argc, char **argv)
{
    cli_begin(argv);
    find_place(argc, argv);
    if (!open_link(&argc, &argv)) return CLI_FAILED;
    yk_image_choose(yk_link_rank());
    if (yk_link_rank() > 0) {
        if (!freopen("/dev/null", "r", stdin)) _exit(1);
    }
    int status = yk_link_rank() == 0 ? check(argc, argv) : CLI_OK;
    if (yk_link_rank() > 0) return run_silently(argc, argv);
    if (status == CLI_OK) return run_all(argc, argv);
    yk_ranks r = { .count = yk_link_ranks() };
    if (YK_NEW(&r.rank, r.count, NULL) == YOKE_OK) say_goodbye(&r, false);
    yk_link_close(true);
    return status;
}
