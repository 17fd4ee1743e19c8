/* comp/program/protocol.h -- the lines that Yoke and a program exchange.
 *
 * docs/manual/programs.md has the protocol.  Yoke sends one request, the program
 * answers with lines of which the last is `done`, `error TEXT` or `retry TEXT`.
 * Here an answer is read line by line; nothing of it is believed.
 */
#ifndef YK_PROGRAM_PROTOCOL_H
#define YK_PROGRAM_PROTOCOL_H

#include "comp/closed/subsystem.h"

enum { YK_PROGRAM_VERSION = 1 };

/* What is awaited. */
typedef enum yk_program_kind {
    YK_PROGRAM_HELLO,
    YK_PROGRAM_PORTS, /* inputs or outputs */
    YK_PROGRAM_START,
    YK_PROGRAM_ADVANCE,
    YK_PROGRAM_PLAIN /* done and nothing else */
} yk_program_kind;

typedef struct yk_program_answer {
    yk_program_kind kind;
    int p;
    int lines; /* so far */
    bool ended;

    /* Of `hello`. */
    int version;
    bool saves, controls, waveforms;

    /* Units that the program tells of its ports are compared with these, ""
     * for none; `unit` may be NULL. */
    int names;
    const char *const *name, *const *unit;

    /* Of `start`. */
    double *values; /* p, of the caller */
    bool valued;

    /* Of `advance`, over [t0, t1]. */
    double t0, t1;
    yk_closed_points *points; /* has the one at t0 */
} yk_program_answer;

/* Takes a line without its end.  A failure of the program is its status and
 * text; anything else that is not the protocol is YOKE_E_CALLBACK. */
yoke_status yk_program_line(yk_program_answer *a, const char *line,
                            yoke_err *err);

#endif
