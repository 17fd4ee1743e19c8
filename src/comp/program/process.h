/* comp/program/process.h -- a program with pipes to its standard streams. */
#ifndef YK_PROGRAM_PROCESS_H
#define YK_PROGRAM_PROCESS_H

#include "base/base.h"

#include <sys/types.h>

enum { YK_PROCESS_SAID = 200 };

typedef struct yk_process {
    pid_t pid;                   /* 0: none */
    int in, out, noise;          /* its standard input, output, error */
    char *line;                  /* what has come of the next line */
    size_t room, length;         /* of `line` */
    size_t used;                 /* of it, that is done with */
    char said[YK_PROCESS_SAID];  /* last line of its standard error */
    char heard[YK_PROCESS_SAID]; /* last line of its standard output */
    size_t said_length;
    bool said_ended;
} yk_process;

/* Starts `word[0]`, NULL at the end of the list, in a folder (NULL: here).  It
 * ends with this process. */
yoke_status yk_process_start(yk_process *p, const char *folder,
                             char *const *word, yoke_err *err);

/* Sends a text and takes lines of the answer until `*ended`.  What goes to the
 * standard error is passed on to ours.  A program that has ended, or closed its
 * output, is a failure that says how. */
typedef yoke_status yk_process_line(void *context, const char *line,
                                    yoke_err *err);
yoke_status yk_process_ask(yk_process *p, const char *text, size_t length,
                           yk_process_line *take, void *context,
                           const bool *ended, yoke_err *err);

/* Tells it `last`, waits a moment, ends it. */
void yk_process_end(yk_process *p, const char *last);

#endif
