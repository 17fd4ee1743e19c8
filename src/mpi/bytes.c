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

/* ---- what is known already ----------------------------------------------- */

static bool is_same(const yk_bytes *a, const yk_bytes *b)
{
    return a->used > 0 && a->used == b->used &&
           memcmp(a->data, b->data, a->used) == 0;
}

/* `next` becomes the newest. */
static void remember(yk_echo *e)
{
    for (int k = YK_ECHOES - 1; k > 0; k--)
        yk_bytes_swap(&e->last[k], &e->last[k - 1]);
    yk_bytes_swap(&e->last[0], &e->next);
}

void yk_echo_put_wave(yk_echo *e, yk_bytes *b, const yk_wave *wave)
{
    int k = 0;

    yk_bytes_clear(&e->next);
    yk_bytes_put_wave(&e->next, wave);
    if (b->status == YOKE_OK) b->status = e->next.status;
    if (b->status != YOKE_OK) return;
    while (k < YK_ECHOES && !is_same(&e->last[k], &e->next)) k++;
    yk_bytes_put_int(b, k);
    if (k < YK_ECHOES) return;
    const size_t used = e->next.used;
    yk_bytes_put(b, &used, sizeof used);
    yk_bytes_put(b, e->next.data, used);
    remember(e);
}

void yk_echo_get_wave(yk_echo *e, yk_bytes *b, yk_wave *wave)
{
    int k = yk_bytes_get_int(b);

    if (k == YK_ECHOES) {
        size_t used = 0;
        yk_bytes_get(b, &used, sizeof used);
        const void *from = next(b, used);
        yk_bytes_clear(&e->next);
        yk_bytes_put(&e->next, from, from ? used : 0);
        if (b->status == YOKE_OK) b->status = e->next.status;
        remember(e);
        k = 0;
    }
    if (b->status == YOKE_OK && (k < 0 || k >= YK_ECHOES))
        b->status = YOKE_E_CALLBACK;
    if (b->status != YOKE_OK) return;
    e->last[k].at = 0;
    yk_bytes_get_wave(&e->last[k], wave);
    b->status = e->last[k].status;
}

void yk_echo_forget(yk_echo *e)
{
    for (int k = 0; k < YK_ECHOES; k++) yk_bytes_clear(&e->last[k]);
}

void yk_echo_free(yk_echo *e)
{
    for (int k = 0; k < YK_ECHOES; k++) yk_bytes_free(&e->last[k]);
    yk_bytes_free(&e->next);
}

typedef unsigned long word; /* 64 of them have one that says which changed */
enum { WORD = sizeof(word), BITS = 8 * WORD };

static void put_changed(yk_bytes *b, const yk_bytes *last, const yk_bytes *now,
                        size_t from, size_t words)
{
    const unsigned char *x = last->data + from * WORD,
                        *y = now->data + from * WORD;
    word mask = 0;

    for (size_t i = 0; i < words; i++)
        if (memcmp(x + i * WORD, y + i * WORD, WORD) != 0) mask |= 1ul << i;
    yk_bytes_put(b, &mask, sizeof mask);
    for (size_t i = 0; i < words; i++)
        if (mask >> i & 1ul) yk_bytes_put(b, y + i * WORD, WORD);
}

void yk_bytes_put_changes(yk_bytes *b, yk_bytes *last, yk_bytes *now)
{
    const size_t words = now->used / WORD;
    const bool same = words > 0 && last->used == now->used;

    if (b->status == YOKE_OK) b->status = now->status;
    if (b->status != YOKE_OK) return;
    yk_bytes_put_int(b, same);
    if (!same) {
        yk_bytes_put(b, &words, sizeof words);
        yk_bytes_put(b, now->data, now->used);
    }
    for (size_t from = 0; same && from < words; from += BITS)
        put_changed(b, last, now, from,
                    words - from < BITS ? words - from : BITS);
    yk_bytes_swap(last, now);
}

void yk_bytes_get_changes(yk_bytes *b, yk_bytes *last)
{
    size_t words = last->used / WORD;

    last->at = 0;
    if (!yk_bytes_get_int(b)) {
        yk_bytes_get(b, &words, sizeof words);
        const void *all = next(b, words * WORD);
        yk_bytes_clear(last);
        yk_bytes_put(last, all, all ? words * WORD : 0);
        if (b->status == YOKE_OK) b->status = last->status;
        return;
    }
    for (size_t i = 0; i < words && b->status == YOKE_OK; i += BITS) {
        word mask = 0;
        yk_bytes_get(b, &mask, sizeof mask);
        for (size_t k = i; k < words && k < i + BITS; k++)
            if (mask >> (k - i) & 1ul)
                yk_bytes_get(b, last->data + k * WORD, WORD);
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
