/* part/worker.h -- the process of a closed part, seen from yoke. */
#ifndef YK_PART_WORKER_H
#define YK_PART_WORKER_H

#include "part/channel.h"

enum { YK_SAID = 2000 };

typedef struct yk_worker {
    yk_part_channel channel;
    yk_part_server *inside; /* in place of a process, or NULL */
    pid_t pid;              /* the supervisor; 0: none */
    int output;
    char said[YK_SAID + 1]; /* the last that it wrote */
    size_t said_in_all;
    bool divides; /* the steps of its engine can be chosen */
    bool halves;  /* see yk_part_engine */
    bool looks;   /* jumps can be looked for */
    bool minds;   /* and marks given */
    long exchanges;
    double seconds;
} yk_worker;

/* Starts the program of the settings and lets it make its engine. */
yoke_status yk_worker_start(yk_worker *w, const yk_part_spec *spec,
                            yoke_err *err);

/* Sends `message`, which becomes the answer.  The failure of the part itself is
 * its status and text; YOKE_E_CALLBACK: it died or did not answer, and is
 * ended. */
yoke_status yk_worker_ask(yk_worker *w, const yk_part_spec *spec,
                          yk_part_message *message, yoke_err *err);

/* It has not ended, whatever it answered last. */
bool yk_worker_lives(const yk_worker *w);

/* Without an answer. */
void yk_worker_tell(yk_worker *w, yk_part_word word);

void yk_worker_end(yk_worker *w);

#endif
