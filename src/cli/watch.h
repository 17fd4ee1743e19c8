/* cli/watch.h -- yoke run --watch: the page of a running run at an address of
 * this machine. */
#ifndef YK_CLI_WATCH_H
#define YK_CLI_WATCH_H

#include "cli/live.h"

typedef struct cli_watch {
    bool on, stay; /* asked for; until Ctrl-C */
    int port;      /* 0: one that is free */
    cli_live *live;
    struct cli_server *server;
} cli_watch;

/* Takes --watch, --watch PORT, --watch=PORT and --stay out of argv. */
int cli_watch_take(cli_watch *watch, int *argc, char **argv);

/* The run has been created: the address is written to standard error. */
int cli_watch_begin(cli_watch *watch, const yoke_run *run, const char *title,
                    double stop);

/* The run has ended; pages that are open get to know. */
void cli_watch_end(cli_watch *watch, const yoke_run *run, cli_live_state state,
                   const char *said);

/* After all is written: waits for Ctrl-C, if that was asked for, and closes. */
void cli_watch_close(cli_watch *watch);

#endif
