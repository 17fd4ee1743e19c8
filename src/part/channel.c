/* part/channel.c -- messages and shared memory of a closed part. */
#define _GNU_SOURCE
#include "part/channel.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FIRST = 1 << 16, ALIGN = 8 };

static yoke_status map(yk_part_channel *c, size_t bytes, yoke_err *err)
{
    void *at = c->map ? mremap(c->map, c->bytes, bytes, MREMAP_MAYMOVE)
                      : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                             c->memory, 0);

    if (at == MAP_FAILED)
        return yk_fail(err, YOKE_E_MEMORY, "no memory to share: %zu bytes: %s",
                       bytes, strerror(errno));
    c->map = at;
    c->bytes = bytes;
    return YOKE_OK;
}

/* The memory has at least this many bytes now. */
static yoke_status enlarge(yk_part_channel *c, size_t bytes, yoke_err *err)
{
    size_t room = c->bytes ? c->bytes : FIRST;

    if (bytes <= c->bytes) return YOKE_OK;
    while (room < bytes) room *= 2;
    /* The other side may have made more of it already. */
    const off_t there = lseek(c->memory, 0, SEEK_END);
    if (there < (off_t)room && ftruncate(c->memory, (off_t)room) != 0)
        return yk_fail(err, YOKE_E_MEMORY, "no memory to share: %zu bytes: %s",
                       room, strerror(errno));
    return map(c, room, err);
}

yoke_status yk_channel_open(yk_part_channel *c, int socket, int memory,
                            yoke_err *err)
{
    *c = (yk_part_channel){ .socket = socket, .memory = memory };
    return enlarge(c, FIRST, err);
}

void yk_channel_close(yk_part_channel *c)
{
    if (c->map) munmap(c->map, c->bytes);
    if (c->socket >= 0) close(c->socket);
    if (c->memory >= 0) close(c->memory);
    *c = (yk_part_channel){ .socket = -1, .memory = -1 };
}

yk_part_head *yk_channel_head(const yk_part_channel *c)
{
    return (yk_part_head *)(void *)c->map;
}

yoke_status yk_channel_follow(yk_part_channel *c, size_t bytes, yoke_err *err)
{
    const off_t there = lseek(c->memory, 0, SEEK_END);

    if (bytes <= c->bytes) return YOKE_OK;
    if (there < 0 || (size_t)there < bytes)
        return yk_fail(err, YOKE_E_CALLBACK,
                       "a worker speaks of more memory than there is");
    return map(c, bytes, err);
}

bool yk_channel_send(const yk_part_channel *c, yk_part_message *message)
{
    ssize_t sent;

    message->bytes = c->bytes;
    do sent = send(c->socket, message, sizeof *message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *message;
}

bool yk_channel_receive(const yk_part_channel *c, yk_part_message *message)
{
    ssize_t got;

    do got = recv(c->socket, message, sizeof *message, 0);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof *message) return false;
    message->text[sizeof message->text - 1] = '\0';
    return true;
}

/* ---- contents ---------------------------------------------------------- */

size_t yk_channel_begin(void)
{
    return (sizeof(yk_part_head) + ALIGN - 1) / ALIGN * ALIGN;
}

yoke_status yk_channel_put(yk_part_channel *c, size_t *at, const void *from,
                           size_t bytes, yoke_err *err)
{
    YK_TRY(enlarge(c, *at + bytes + ALIGN, err));
    if (bytes) memcpy(c->map + *at, from, bytes);
    *at += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return YOKE_OK;
}

/* Where `bytes` bytes are, or NULL. */
static const unsigned char *look(const yk_part_channel *c, size_t *at,
                                 size_t bytes)
{
    const unsigned char *here = c->map + *at;

    if (*at > c->bytes || bytes > c->bytes - *at) return NULL;
    *at += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return here;
}

static yoke_status too_short(yoke_err *err)
{
    return yk_fail(err, YOKE_E_CALLBACK,
                   "what a worker answered is cut off or damaged");
}

yoke_status yk_channel_get(const yk_part_channel *c, size_t *at, void *to,
                           size_t bytes, yoke_err *err)
{
    const unsigned char *from = look(c, at, bytes);

    if (!from) return too_short(err);
    if (bytes) memcpy(to, from, bytes);
    return YOKE_OK;
}

yoke_status yk_channel_put_text(yk_part_channel *c, size_t *at,
                                const char *text, yoke_err *err)
{
    const size_t bytes = strlen(text) + 1;

    YK_TRY(yk_channel_put(c, at, &bytes, sizeof bytes, err));
    return yk_channel_put(c, at, text, bytes, err);
}

yoke_status yk_channel_get_text(const yk_part_channel *c, size_t *at,
                                const char **text, yoke_err *err)
{
    size_t bytes = 0;

    YK_TRY(yk_channel_get(c, at, &bytes, sizeof bytes, err));
    *text = (const char *)look(c, at, bytes);
    if (!*text || bytes == 0 || (*text)[bytes - 1] != '\0')
        return too_short(err);
    return YOKE_OK;
}

/* dim, pieces, first knot, then of each piece its end, degree, coefficients. */
yoke_status yk_channel_put_wave(yk_part_channel *c, size_t *at,
                                const yk_wave *wave, yoke_err *err)
{
    const int dim = yk_wave_dim(wave), pieces = yk_wave_pieces(wave);
    const double begin = yk_wave_begin(wave);

    YK_TRY(yk_channel_put(c, at, &dim, sizeof dim, err));
    YK_TRY(yk_channel_put(c, at, &pieces, sizeof pieces, err));
    YK_TRY(yk_channel_put(c, at, &begin, sizeof begin, err));
    for (int i = 0; i < pieces; i++) {
        const double end = yk_wave_knot(wave, i + 1);
        const int degree = yk_wave_degree(wave, i);
        const size_t count = (size_t)(degree + 1) * (size_t)dim;

        YK_TRY(yk_channel_put(c, at, &end, sizeof end, err));
        YK_TRY(yk_channel_put(c, at, &degree, sizeof degree, err));
        YK_TRY(yk_channel_put(c, at, yk_wave_coef(wave, i),
                              count * sizeof(double), err));
    }
    return YOKE_OK;
}

static yoke_status get_piece(const yk_part_channel *c, size_t *at,
                             yk_wave *wave, yoke_err *err)
{
    double end = 0.0;
    int degree = 0;

    YK_TRY(yk_channel_get(c, at, &end, sizeof end, err));
    YK_TRY(yk_channel_get(c, at, &degree, sizeof degree, err));
    if (degree < 0 || degree > YOKE_WAVE_MAX_DEGREE) return too_short(err);

    const size_t count = (size_t)(degree + 1) * (size_t)yk_wave_dim(wave);
    const void *coef = look(c, at, count * sizeof(double));
    if (!coef) return too_short(err);
    return yk_wave_append(wave, end, degree, coef, err);
}

yoke_status yk_channel_get_wave(const yk_part_channel *c, size_t *at,
                                yk_wave *wave, yoke_err *err)
{
    int dim = 0, pieces = 0;
    double begin = 0.0;

    YK_TRY(yk_channel_get(c, at, &dim, sizeof dim, err));
    YK_TRY(yk_channel_get(c, at, &pieces, sizeof pieces, err));
    YK_TRY(yk_channel_get(c, at, &begin, sizeof begin, err));
    if (dim != yk_wave_dim(wave) || pieces < 0) return too_short(err);
    yk_wave_clear(wave, begin);
    for (int i = 0; i < pieces; i++) YK_TRY(get_piece(c, at, wave, err));
    return YOKE_OK;
}
