/* cli/keep.h -- checkpoints of a run, and runs that go on from one. */
#ifndef YK_CLI_KEEP_H
#define YK_CLI_KEEP_H

#include "cli/cli.h"

enum { CLI_WORDS = 2200, CLI_PATH = 4096 };

typedef struct cli_keep {
    char path[CLI_PATH];   /* "": none are written */
    double every;          /* seconds; 0: every window */
    double last;           /* when */
    int written, last_one; /* how many; the program ends by kill -9 after so
                              many, for tests; 0: never */
    bool fails;            /* the last one could not be written */
    bool over;             /* the last one has all windows */
    bool told;             /* the run was stopped, and how it goes on is said */
    double stop;
    yoke_file *file;  /* of the run */
    yoke_file *fresh; /* what was read to go on; that of the run is memory of
                         another process and never freed; NULL: none */
    int words;
    const char *word[CLI_WORDS]; /* the command line, for who goes on */
    yoke_checkpoint *from;       /* what the run goes on from, or NULL */
    bool later;          /* such memory comes later, from another process */
    const char *program; /* that goes on with it */
} cli_keep;

/* Begins the program again where the system has put it to addresses that a
 * checkpoint cannot have; words: of the verb. */
int cli_keep_place(int words, const char *const *word);

/* Takes --checkpoint and --checkpoint-every out of argv; memory is that of a run
 * that can be saved from then on. */
int cli_keep_begin(cli_keep *keep, int *argc, char **argv);

/* Can it be written where it is to be, beside these results? */
int cli_keep_check(const cli_keep *keep, const char *output);

/* The run has begun, or goes on: it is saved from now on. */
void cli_keep_run(cli_keep *keep, yoke_run *run, yoke_file *file, double stop);

/* A run that is saved stops between two windows only: until then no.  Behind the
 * last one, where it may be solved a second time, it stops at once. */
bool cli_keep_waits(const cli_keep *keep);

/* Behind the last window the run was stopped: how does it go on? */
void cli_keep_tell(const cli_keep *keep, yoke_err *err);

/* cmd_run.c: the verb `run`, from a checkpoint (NULL: from the beginning). */
int cli_run_words(int argc, char **argv, cli_keep *keep);

#endif
