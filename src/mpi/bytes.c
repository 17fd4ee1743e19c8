/* mpi/bytes.c -- what a message holds. */
#include "mpi/bytes.h"

#include "base/base.h"

#include <string.h>

enum { ALIGN = 8 };

void yk_bytes_clear(yk_bytes *b)
{
    b->used = b->at = 0;
    b->status = YOKE_OK;
}

void yk_bytes_free(yk_bytes *b)
{
    yk_free(b->data);
    *b = (yk_bytes){ 0 };
}

void yk_bytes_swap(yk_bytes *a, yk_bytes *b)
{
    const yk_bytes c = *a;

    *a = *b;
    *b = c;
}

yoke_status yk_bytes_reserve(yk_bytes *b, size_t bytes)
{
    if (bytes > b->room)
        b->status = yk_grow((void **)&b->data, &b->room, bytes, 1, NULL);
    return b->status;
}

static size_t padded(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

void yk_bytes_put(yk_bytes *b, const void *from, size_t bytes)
{
    const size_t room = padded(bytes);

    if (b->status != YOKE_OK ||
        yk_bytes_reserve(b, b->used + room) != YOKE_OK || bytes == 0)
        return;
    memcpy(b->data + b->used, from, bytes);
    memset(b->data + b->used + bytes, 0, room - bytes);
    b->used += room;
}

void yk_bytes_put_int(yk_bytes *b, int value)
{
    yk_bytes_put(b, &value, sizeof value);
}

void yk_bytes_put_double(yk_bytes *b, double value)
{
    yk_bytes_put(b, &value, sizeof value);
}

void yk_bytes_put_doubles(yk_bytes *b, const double *value, int count)
{
    yk_bytes_put(b, value, (size_t)count * sizeof *value);
}

void yk_bytes_put_text(yk_bytes *b, const char *text)
{
    const size_t bytes = strlen(text) + 1;

    yk_bytes_put(b, &bytes, sizeof bytes);
    yk_bytes_put(b, text, bytes);
}

void yk_bytes_put_wave(yk_bytes *b, const yk_wave *w)
{
    const int dim = yk_wave_dim(w), pieces = yk_wave_pieces(w);

    yk_bytes_put_int(b, pieces);
    yk_bytes_put_double(b, yk_wave_begin(w));
    for (int i = 0; i < pieces; i++) {
        const int degree = yk_wave_degree(w, i);
        yk_bytes_put_double(b, yk_wave_knot(w, i + 1));
        yk_bytes_put_int(b, degree);
        yk_bytes_put_doubles(b, yk_wave_coef(w, i), (degree + 1) * dim);
    }
}

/* Where the next bytes are, or NULL. */
static const void *next(yk_bytes *b, size_t bytes)
{
    const unsigned char *here = b->data + b->at;

    if (b->status == YOKE_OK && bytes > b->used - b->at)
        b->status = YOKE_E_CALLBACK;
    if (b->status != YOKE_OK) return NULL;
    b->at += padded(bytes) < b->used - b->at ? padded(bytes) : b->used - b->at;
    return here;
}

void yk_bytes_get(yk_bytes *b, void *to, size_t bytes)
{
    const void *from = next(b, bytes);

    if (from && bytes) memcpy(to, from, bytes);
}

int yk_bytes_get_int(yk_bytes *b)
{
    int value = 0;

    yk_bytes_get(b, &value, sizeof value);
    return value;
}

double yk_bytes_get_double(yk_bytes *b)
{
    double value = 0.0;

    yk_bytes_get(b, &value, sizeof value);
    return value;
}

void yk_bytes_get_doubles(yk_bytes *b, double *value, int count)
{
    yk_bytes_get(b, value, (size_t)count * sizeof *value);
}

const char *yk_bytes_get_text(yk_bytes *b)
{
    size_t bytes = 0;

    yk_bytes_get(b, &bytes, sizeof bytes);
    const char *text = next(b, bytes);
    if (text && bytes > 0 && text[bytes - 1] == '\0') return text;
    if (b->status == YOKE_OK) b->status = YOKE_E_CALLBACK;
    return "";
}

void yk_bytes_get_wave(yk_bytes *b, yk_wave *w)
{
    const int dim = yk_wave_dim(w), pieces = yk_bytes_get_int(b);

    yk_wave_clear(w, yk_bytes_get_double(b));
    for (int i = 0; i < pieces && b->status == YOKE_OK; i++) {
        const double end = yk_bytes_get_double(b);
        const int degree = yk_bytes_get_int(b);
        if (degree < 0 || degree > YOKE_WAVE_MAX_DEGREE)
            b->status = YOKE_E_CALLBACK;
        const double *coef =
            next(b, (size_t)(degree + 1) * (size_t)dim * sizeof *coef);
        if (b->status == YOKE_OK)
            b->status = yk_wave_append(w, end, degree, coef, NULL);
    }
}

yoke_status yk_bytes_check(const yk_bytes *b, yoke_err *err)
{
    if (b->status == YOKE_OK) return YOKE_OK;
    if (b->status == YOKE_E_MEMORY)
        return yk_fail(err, YOKE_E_MEMORY, "out of memory for a message");
    return yk_fail(err, YOKE_E_CALLBACK,
                   "a message between ranks is cut off or damaged");
}
