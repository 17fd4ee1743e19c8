/* mpi/bytes.h -- what a message holds, written and read in order.
 *
 * A failure stays: what follows does nothing, and `status` is asked at the end.
 * All ranks run the same program on machines of one kind, so values are copied as
 * they are.
 */
#ifndef YK_MPI_BYTES_H
#define YK_MPI_BYTES_H

#include "wave/wave.h"

typedef struct yk_bytes {
    unsigned char *data;
    size_t used, room, at; /* at: where the next is read */
    yoke_status status;
} yk_bytes;

void yk_bytes_clear(yk_bytes *b); /* empty; keeps its memory */
void yk_bytes_free(yk_bytes *b);
void yk_bytes_swap(yk_bytes *a, yk_bytes *b);

/* Room for so many bytes in all, as when a message comes. */
yoke_status yk_bytes_reserve(yk_bytes *b, size_t bytes);

void yk_bytes_put(yk_bytes *b, const void *from, size_t bytes);
void yk_bytes_put_int(yk_bytes *b, int value);
void yk_bytes_put_double(yk_bytes *b, double value);
void yk_bytes_put_doubles(yk_bytes *b, const double *value, int count);
void yk_bytes_put_text(yk_bytes *b, const char *text);
void yk_bytes_put_wave(yk_bytes *b, const yk_wave *wave);

/* Nothing is written beyond the end of a message. */
void yk_bytes_get(yk_bytes *b, void *to, size_t bytes);
int yk_bytes_get_int(yk_bytes *b);
double yk_bytes_get_double(yk_bytes *b);
void yk_bytes_get_doubles(yk_bytes *b, double *value, int count);
const char *yk_bytes_get_text(yk_bytes *b); /* borrowed; never NULL */
void yk_bytes_get_wave(yk_bytes *b, yk_wave *wave);

/* The last waveforms that went one way, known on both sides: one of them that goes
 * again is a number. */
enum { YK_ECHOES = 2 };
typedef struct yk_echo {
    yk_bytes last[YK_ECHOES]; /* the newest first */
    yk_bytes next;
} yk_echo;

void yk_echo_put_wave(yk_echo *echo, yk_bytes *b, const yk_wave *wave);
void yk_echo_get_wave(yk_echo *echo, yk_bytes *b, yk_wave *wave);
/* The writer does not know what was read: what follows goes as it is. */
void yk_echo_forget(yk_echo *echo);
void yk_echo_free(yk_echo *echo);

/* `now` becomes `last`, known on both sides; only words of it that changed are
 * written. */
void yk_bytes_put_changes(yk_bytes *b, yk_bytes *last, yk_bytes *now);
void yk_bytes_get_changes(yk_bytes *b, yk_bytes *last);

/* The failure with a message, if there is one. */
yoke_status yk_bytes_check(const yk_bytes *b, yoke_err *err);

#endif
