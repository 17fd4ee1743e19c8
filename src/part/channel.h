/* part/channel.h -- what yoke and a worker say to each other.
 *
 * Messages of one size over a socket that keeps their boundaries; whatever is
 * longer lies in memory that both map.  Each side may enlarge that memory; the
 * next message says how large it is.  What comes from a worker is not believed:
 * lengths are checked against the memory, values by yk_wave_append.
 */
#ifndef YK_PART_CHANNEL_H
#define YK_PART_CHANNEL_H

#include "part/part.h"

typedef enum yk_part_word {
    YK_PART_MAKE,   /* the engine of the settings in the memory */
    YK_PART_START,  /* at t with inputs u; the answer has the outputs */
    YK_PART_SWEEP,  /* to t with the waveform u; the answer has that of y */
    YK_PART_ACCEPT, /* the last sweep */
    YK_PART_BACK,   /* to a copy: end, your original goes on; no answer */
    YK_PART_QUIT,   /* end; no answer */
    YK_PART_DONE,   /* answer */
    YK_PART_DIED    /* in place of an answer */
} yk_part_word;

typedef struct yk_part_message {
    yk_part_word word;
    double t;
    size_t bytes;              /* of the memory */
    int steps;                 /* of a sweep, where they can be chosen */
    double look_from, look_to; /* where jumps are looked for; NAN: nowhere */
    int marks;                 /* behind the waveform of the inputs */
    /* Answers. */
    yoke_status status;
    yk_part_way way;
    int signal, code; /* of death; signal = 0: it ended with this code */
    bool divides;     /* its steps can be chosen */
    bool looks;       /* and jumps looked for */
    bool minds;       /* and marks passed in steps of their own */
    bool halves;      /* see yk_part_engine */
    int instants;     /* times behind the waveform */
    double step, next_break;
    yoke_work work;
    char text[YOKE_ERR_SIZE];
} yk_part_message;

/* At the beginning of the memory. */
typedef struct yk_part_head {
    volatile pid_t base;    /* the process that has the accepted state */
    volatile pid_t dropped; /* a copy that ended because it was told to */
    volatile int quitting;
} yk_part_head;

typedef struct yk_part_channel {
    int socket, memory; /* socket -1: both sides are one process */
    unsigned char *map;
    size_t bytes;
} yk_part_channel;

yoke_status yk_channel_open(yk_part_channel *c, int socket, int memory,
                            yoke_err *err);
void yk_channel_close(yk_part_channel *c);
yk_part_head *yk_channel_head(const yk_part_channel *c);

/* The memory is as large as the other side says. */
yoke_status yk_channel_follow(yk_part_channel *c, size_t bytes, yoke_err *err);

/* An engine in this process, over the same memory: `ask` makes the answer of
 * the message.  Borrows the channel. */
typedef struct yk_part_server yk_part_server;
yoke_status yk_part_server_create(yk_part_server **out,
                                  yk_part_channel *channel,
                                  const yk_part_maker *makers, yoke_err *err);
void yk_part_server_ask(yk_part_server *s, yk_part_message *message);
void yk_part_server_free(yk_part_server *s); /* accepts NULL */

/* False: the other side is gone. */
bool yk_channel_send(const yk_part_channel *c, yk_part_message *message);
bool yk_channel_receive(const yk_part_channel *c, yk_part_message *message);

/* Values, texts and waveforms one behind the other in the memory, from its
 * beginning; *at: where to write or read next. */
size_t yk_channel_begin(void);
yoke_status yk_channel_put(yk_part_channel *c, size_t *at, const void *from,
                           size_t bytes, yoke_err *err);
yoke_status yk_channel_get(const yk_part_channel *c, size_t *at, void *to,
                           size_t bytes, yoke_err *err);
yoke_status yk_channel_put_text(yk_part_channel *c, size_t *at,
                                const char *text, yoke_err *err);
/* Borrowed from the memory. */
yoke_status yk_channel_get_text(const yk_part_channel *c, size_t *at,
                                const char **text, yoke_err *err);
yoke_status yk_channel_put_wave(yk_part_channel *c, size_t *at,
                                const yk_wave *wave, yoke_err *err);
yoke_status yk_channel_get_wave(const yk_part_channel *c, size_t *at,
                                yk_wave *wave, yoke_err *err);

/* ---- tree.c: processes that a part has begun ------------------------------- */

/* Ends all that descend from `root`, which adopts orphans and stays. */
void yk_part_end_children(pid_t root);

#endif
