/* io/pages.c -- a file whose changes reach the disk together or not at all. */
#define _POSIX_C_SOURCE 200809L
#include "io/pages.h"

#include "base/base.h"
#include "base/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The end of a record: `count` entries of a number and a page begin at `at`. */
typedef struct trailer {
    char mark[8];
    unsigned long long at, count, sum;
} trailer;

static const char mark[8] = "yokeredo";
enum { ENTRY = sizeof(unsigned long long) + YK_PAGE };

/* ---- Bytes --------------------------------------------------------------- */

/* What is not there is 0. */
static int get(int descriptor, unsigned char *out, size_t size,
               unsigned long long at)
{
    size_t done = 0;
    const int why = yk_read_bytes(descriptor, out, size, (long long)at, &done);

    if (!why) memset(out + done, 0, size - done);
    return why;
}

/* Fowler, Noll and Vo's sum, 1a. */
static unsigned long long add_up(unsigned long long sum, const void *from,
                                 size_t size)
{
    const unsigned char *p = from;

    for (size_t i = 0; i < size; i++) sum = (sum ^ p[i]) * 1099511628211ULL;
    return sum;
}

static unsigned long long sum_of(const trailer *t, const unsigned char *entries)
{
    unsigned long long sum = 14695981039346656037ULL;

    sum = add_up(sum, &t->at, sizeof t->at);
    sum = add_up(sum, &t->count, sizeof t->count);
    return add_up(sum, entries, (size_t)t->count * ENTRY);
}

/* ---- Pages --------------------------------------------------------------- */

/* The first page whose number is not below. */
static size_t place_of(const yk_pages *f, unsigned long long number)
{
    size_t low = 0, high = f->pages;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->page[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static yk_page *find(const yk_pages *f, unsigned long long number)
{
    const size_t k = place_of(f, number);

    return k < f->pages && f->page[k].number == number ? &f->page[k] : NULL;
}

static int new_page(yk_pages *f, unsigned char **out)
{
    if (YK_GROW(&f->page, &f->room, f->pages + 1, NULL) != YOKE_OK ||
        YK_GROW(&f->spare, &f->spare_room, f->pages + f->spares + 1, NULL) !=
            YOKE_OK)
        return ENOMEM;
    if (f->spares > 0) {
        *out = f->spare[--f->spares];
        memset(*out, 0, YK_PAGE);
        return 0;
    }
    return yk_alloc((void **)out, YK_PAGE, 1, NULL) == YOKE_OK ? 0 : ENOMEM;
}

int yk_pages_prepare(yk_pages *f, size_t bytes)
{
    const size_t need = bytes / YK_PAGE + 2;

    if (YK_GROW(&f->page, &f->room, need, NULL) != YOKE_OK ||
        YK_GROW(&f->spare, &f->spare_room, f->pages + need + 1, NULL) !=
            YOKE_OK ||
        yk_grow((void **)&f->record, &f->record_room, need, ENTRY, NULL) !=
            YOKE_OK)
        return ENOMEM;
    while (f->pages + f->spares < need) {
        if (yk_alloc((void **)&f->spare[f->spares], YK_PAGE, 1, NULL) !=
            YOKE_OK)
            return ENOMEM;
        f->spares++;
    }
    return 0;
}

/* The page to be changed, with what the file has there. */
static int touch(yk_pages *f, unsigned long long number, unsigned char **bytes)
{
    const size_t k = place_of(f, number);
    int code = 0;

    if (k < f->pages && f->page[k].number == number) {
        *bytes = f->page[k].bytes;
        return 0;
    }
    code = new_page(f, bytes);
    if (code) return code;
    if (number * YK_PAGE < f->kept)
        code = get(f->descriptor, *bytes, YK_PAGE, number * YK_PAGE);
    if (code) {
        f->spare[f->spares++] = *bytes;
        return code;
    }
    memmove(&f->page[k + 1], &f->page[k], (f->pages - k) * sizeof *f->page);
    f->page[k] = (yk_page){ number, *bytes };
    f->pages++;
    return 0;
}

/* Their memory is used again. */
static void drop(yk_pages *f)
{
    for (size_t k = 0; k < f->pages; k++)
        f->spare[f->spares++] = f->page[k].bytes;
    f->pages = 0;
}

static size_t least(size_t a, unsigned long long b)
{
    return b < a ? (size_t)b : a;
}

int yk_pages_read(const yk_pages *f, unsigned long long at, size_t size,
                  void *out)
{
    unsigned char *to = out;

    while (size > 0) {
        const unsigned long long number = at / YK_PAGE;
        const size_t offset = (size_t)(at % YK_PAGE);
        const yk_page *page = find(f, number);
        size_t n = least(size, YK_PAGE - offset);
        if (page)
            memcpy(to, page->bytes + offset, n);
        else {
            const size_t k = place_of(f, number);
            n = k < f->pages ? least(size, f->page[k].number * YK_PAGE - at)
                             : size;
            const int code = get(f->descriptor, to, n, at);
            if (code) return code;
        }
        to += n;
        at += n;
        size -= n;
    }
    return 0;
}

int yk_pages_write(yk_pages *f, unsigned long long at, size_t size,
                   const void *from)
{
    const unsigned char *p = from;

    while (size > 0) {
        const size_t offset = (size_t)(at % YK_PAGE);
        const size_t n = least(size, YK_PAGE - offset);
        unsigned char *bytes = NULL;
        const int code = touch(f, at / YK_PAGE, &bytes);
        if (code) return code;
        memcpy(bytes + offset, p, n);
        p += n;
        at += n;
        size -= n;
        if (at > f->end) f->end = at;
    }
    return 0;
}

/* ---- Commit -------------------------------------------------------------- */

/* Pages that begin before the committed end. */
static size_t count_old(const yk_pages *f)
{
    return place_of(f, (f->kept + YK_PAGE - 1) / YK_PAGE);
}

static int put_page(const yk_pages *f, const yk_page *page)
{
    const unsigned long long at = page->number * YK_PAGE;

    if (at >= f->end) return 0;
    return yk_write_bytes(f->descriptor, page->bytes,
                          least(YK_PAGE, f->end - at), (long long)at, NULL);
}

static int reserve(const yk_pages *f, unsigned long long size)
{
    if (size <= f->kept) return 0;
    const int code =
        posix_fallocate(f->descriptor, (off_t)f->kept, (off_t)(size - f->kept));
    /* Where the file system cannot reserve we go on without. */
    return code == EOPNOTSUPP || code == EINVAL || code == ENOSYS ? 0 : code;
}

static int put_record(yk_pages *f, size_t old)
{
    trailer t = { .at = f->end, .count = old };

    if (yk_grow((void **)&f->record, &f->record_room, old, ENTRY, NULL) !=
        YOKE_OK)
        return ENOMEM;
    for (size_t k = 0; k < old; k++) {
        unsigned char *entry = f->record + k * ENTRY;
        memcpy(entry, &f->page[k].number, sizeof f->page[k].number);
        memcpy(entry + sizeof f->page[k].number, f->page[k].bytes, YK_PAGE);
    }
    memcpy(t.mark, mark, sizeof mark);
    t.sum = sum_of(&t, f->record);
    const int code = yk_write_bytes(f->descriptor, f->record, old * ENTRY,
                                    (long long)t.at, NULL);
    return code ? code
                : yk_write_bytes(f->descriptor, &t, sizeof t,
                                 (long long)(t.at + old * ENTRY), NULL);
}

int yk_pages_commit(yk_pages *f)
{
    const size_t old = count_old(f);
    const size_t record = old > 0 ? old * ENTRY + sizeof(trailer) : 0;

    if (f->pages == 0 && f->end == f->kept) return 0;
    int code = reserve(f, f->end + record);
    for (size_t k = f->pages; k > old && !code; k--)
        code = put_page(f, &f->page[k - 1]); /* the head of a new file last */
    if (!code && old > 0) code = put_record(f, old);
    if (code) { /* nothing of the old part was touched */
        if (ftruncate(f->descriptor, (off_t)f->kept) != 0) return code;
        return code;
    }
    for (size_t k = 0; k < old && !code; k++) code = put_page(f, &f->page[k]);
    if (!code && ftruncate(f->descriptor, (off_t)f->end) != 0) code = errno;
    if (code) return code; /* the record remains */
    f->kept = f->end;
    drop(f);
    return 0;
}

/* ---- Open ---------------------------------------------------------------- */

static int take_entries(yk_pages *f, const trailer *t)
{
    unsigned char *entries = NULL;
    int code = 0;

    if (yk_alloc((void **)&entries, (size_t)t->count, ENTRY, NULL) != YOKE_OK)
        return ENOMEM;
    code = get(f->descriptor, entries, (size_t)t->count * ENTRY, t->at);
    if (!code && sum_of(t, entries) == t->sum) {
        f->kept = 0; /* the pages are whole */
        for (size_t k = 0; k < t->count && !code; k++) {
            unsigned long long number = 0;
            memcpy(&number, entries + k * ENTRY, sizeof number);
            if (number <= f->end / YK_PAGE)
                code = yk_pages_write(f, number * YK_PAGE, YK_PAGE,
                                      entries + k * ENTRY + sizeof number);
        }
        f->end = t->at;
    }
    yk_free(entries);
    return code;
}

/* A record that is not whole was never begun to be carried out. */
static int take_record(yk_pages *f)
{
    trailer t;

    if (f->end < sizeof t) return 0;
    const unsigned long long at = f->end - sizeof t;
    const int code = get(f->descriptor, (unsigned char *)&t, sizeof t, at);
    if (code || memcmp(t.mark, mark, sizeof mark) != 0) return code;
    if (t.at > at || (at - t.at) % ENTRY != 0 || t.count != (at - t.at) / ENTRY)
        return 0;
    return take_entries(f, &t);
}

static int open_with(yk_pages *f, const char *path, int flags)
{
    struct stat about;

    memset(f, 0, sizeof *f);
    f->descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0666);
    if (f->descriptor < 0) return errno;
    int code = fstat(f->descriptor, &about) != 0 ? errno : 0;
    if (!code && !S_ISREG(about.st_mode)) code = ESPIPE;
    if (!code) {
        f->end = f->kept = (unsigned long long)about.st_size;
        if (!(flags & O_TRUNC)) code = take_record(f);
    }
    if (code) yk_pages_close(f);
    return code;
}

int yk_pages_open(yk_pages *f, const char *path, bool write)
{
    return open_with(f, path, write ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY);
}

/* What a record says is done first. */
int yk_pages_reopen(yk_pages *f, const char *path)
{
    int code = open_with(f, path, O_RDWR);

    if (!code) {
        code = yk_pages_commit(f);
        if (code) yk_pages_close(f);
    }
    return code;
}

void yk_pages_close(yk_pages *f)
{
    drop(f);
    for (size_t k = 0; k < f->spares; k++) yk_free(f->spare[k]);
    YK_FREE(f->spare, f->record, f->page);
    f->spares = 0;
    f->spare = NULL;
    f->record = NULL;
    f->page = NULL;
    if (f->descriptor >= 0) close(f->descriptor);
    f->descriptor = -1;
}
