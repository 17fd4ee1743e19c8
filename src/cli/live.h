/* cli/live.h -- what the page of a running run shows.
 *
 * The run adds to it, another thread reads it as JSON, in the form of the data
 * of a report.  All of it is bounded, whatever the run does: old rows are thinned
 * to the least and the largest of several.  Its memory is not that of the run,
 * so that checkpoints do not hold it.
 */
#ifndef YK_CLI_LIVE_H
#define YK_CLI_LIVE_H

#include "cli/cli.h"

#include <stdio.h>

typedef struct cli_live cli_live;

typedef enum cli_live_state {
    CLI_LIVE_RUNS,
    CLI_LIVE_ENDED,
    CLI_LIVE_FAILED
} cli_live_state;

/* NULL: no memory.  The run has been created; `stop` is when it ends. */
cli_live *cli_live_create(const yoke_run *run, const char *title, double stop);
void cli_live_free(cli_live *live); /* accepts NULL */

/* By the run, between its windows and sweeps. */
void cli_live_window(cli_live *live, yoke_run *run, double t,
                     const yoke_iterate_result *so_far);
void cli_live_sweep(cli_live *live, const yoke_sweep *sweep);

/* The run has come to its end; `text`: its message or its summary. */
void cli_live_end(cli_live *live, const yoke_run *run, cli_live_state state,
                  const char *text);

/* By any thread.  NULL: no memory; otherwise freed by the caller. */
char *cli_live_json(cli_live *live, size_t *length);

/* The page with that data in it. */
char *cli_live_page(cli_live *live, size_t *length);

#endif
