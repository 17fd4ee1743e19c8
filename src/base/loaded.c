/* base/loaded.c -- the program and its libraries in memory.
 *
 * A word of an image counts as an address if it lies in a library that was
 * loaded.  As a double such a word is below 1e-309.  As two integers the upper one
 * is a number that the system drew at random for this process; but beside an
 * integer in a structure there may be a gap, with the upper half of an address that
 * was there before.  So the lower halves of addresses must not be what integers
 * are: small, or small and negative (yk_loaded_distinct).  A process that was put
 * elsewhere has to be started again.
 */
#define _GNU_SOURCE
#include "base/loaded.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Integers are not larger, nor below minus the second: counts, indices, statuses. */
#define YK_LOADED_POSITIVE ((uint64_t)1 << 28)
#define YK_LOADED_NEGATIVE ((uint64_t)1 << 24)

typedef struct listing {
    yk_loaded *item;
    size_t count, room;
    yoke_status status;
} listing;

static void write_id(yk_loaded *l, const unsigned char *id, size_t length)
{
    size_t used = 0;

    for (size_t i = 0; i < length && used + 3 < sizeof l->id; i++)
        used +=
            (size_t)snprintf(l->id + used, sizeof l->id - used, "%02x", id[i]);
}

static size_t padded(size_t length)
{
    return (length + 3) & ~(size_t)3;
}

/* The number of the linker among the notes of a library. */
static void find_id(yk_loaded *l, const char *note, size_t size)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, note, sizeof head);
        const size_t name = padded(head.n_namesz), text = padded(head.n_descsz);
        if (size - sizeof head < name || size - sizeof head - name < text)
            return;
        const char *at = note + sizeof head;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
            memcmp(at, "GNU", 4) == 0)
            write_id(l, (const unsigned char *)at + name, head.n_descsz);
        note = at + name + text;
        size -= sizeof head + name + text;
    }
}

/* Without one: its file, when it was changed and how long it is. */
static void find_file(yk_loaded *l)
{
    struct stat about;

    if (l->id[0]) return;
    if (stat(l->name, &about) == 0)
        snprintf(l->id, sizeof l->id, "file-%lld-%lld.%09ld",
                 (long long)about.st_size, (long long)about.st_mtim.tv_sec,
                 about.st_mtim.tv_nsec);
    else
        snprintf(l->id, sizeof l->id, "unknown");
}

static int add(struct dl_phdr_info *info, size_t size, void *context)
{
    listing *list = context;
    uint64_t from = UINT64_MAX, to = 0;
    yk_loaded l = { 0 };

    (void)size;
    snprintf(l.name, sizeof l.name, "%s",
             info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            find_id(&l, (const char *)(info->dlpi_addr + p->p_vaddr), // NOLINT
                    p->p_memsz);
        if (p->p_type != PT_LOAD) continue;
        if (p->p_vaddr < from) from = p->p_vaddr;
        if (p->p_vaddr + p->p_memsz > to) to = p->p_vaddr + p->p_memsz;
    }
    if (to <= from) return 0;
    l.begin = info->dlpi_addr + from;
    l.length = to - from;
    find_file(&l);
    list->status = yk_grow((void **)&list->item, &list->room, list->count + 1,
                           sizeof l, NULL);
    if (list->status != YOKE_OK) return 1;
    list->item[list->count++] = l;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const yk_loaded *x = a, *y = b;

    return (x->begin > y->begin) - (x->begin < y->begin);
}

static struct {
    yk_loaded *item;
    int count;
} left_out;

/* Another one may be loaded to the address of one that is gone. */
static bool is_among(const yk_loaded *list, int count, const yk_loaded *l)
{
    for (int i = 0; i < count; i++)
        if (list[i].begin == l->begin && strcmp(list[i].id, l->id) == 0)
            return true;
    return false;
}

yoke_status yk_loaded_list(yk_loaded **out, int *count, yoke_err *err)
{
    listing list = { NULL, 0, 0, YOKE_OK };

    dl_iterate_phdr(add, &list);
    if (list.status != YOKE_OK) {
        yk_free(list.item);
        return yk_fail(err, YOKE_E_MEMORY, "out of memory: list of libraries");
    }
    qsort(list.item, list.count, sizeof *list.item, compare);
    *out = list.item;
    *count = 0;
    for (size_t i = 0; i < list.count; i++)
        if (!is_among(left_out.item, left_out.count, &list.item[i]))
            list.item[(*count)++] = list.item[i];
    return YOKE_OK;
}

yoke_status yk_loaded_leave_out(yk_loaded *before, int count, yoke_err *err)
{
    yk_loaded *now = NULL;
    int all = 0;
    yoke_status status = YOKE_OK;

    YK_GO(yk_loaded_list(&now, &all, err));
    const size_t room = (size_t)(left_out.count + all) + 1;
    yk_loaded *item = realloc(left_out.item, room * sizeof *item);
    if (!item) YK_GO(yk_fail(err, YOKE_E_MEMORY, "out of memory"));
    left_out.item = item;
    for (int i = 0; i < all; i++)
        if (!is_among(before, count, &now[i]))
            left_out.item[left_out.count++] = now[i];
done:
    YK_FREE(now, before);
    return status;
}

/* The one that `word` lies in, or -1; by address. */
static int find(const yk_loaded *list, int count, uint64_t word)
{
    int low = 0, high = count;

    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (list[middle].begin <= word)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && word - list[low - 1].begin < list[low - 1].length
               ? low - 1
               : -1;
}

void yk_loaded_mark(yk_loaded *list, int count, const char *bytes, size_t size)
{
    for (size_t k = 0; k + sizeof(uint64_t) <= size; k += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes + k, sizeof word);
        const int at = find(list, count, word);
        if (at >= 0) list[at].used = true;
    }
}

bool yk_loaded_distinct(const yk_loaded *list, int count, bool all, int *which)
{
    const uint64_t half = (uint64_t)1 << 32;
    const uint64_t least = YK_LOADED_POSITIVE * (all ? 2 : 1);
    const uint64_t most = half - YK_LOADED_NEGATIVE * (all ? 2 : 1);

    for (int k = 0; k < count; k++) {
        const uint64_t low = list[k].begin % half;
        if (!all && !list[k].used) continue;
        *which = k;
        if (low < least || low + list[k].length > most) return false;
    }
    return true;
}

static int same(const yk_loaded *one, const yk_loaded *list, int count)
{
    for (int k = 0; k < count; k++)
        if (list[k].length == one->length && strcmp(list[k].id, one->id) == 0)
            return k;
    return -1;
}

yoke_status yk_loaded_match(const yk_loaded *there, int count,
                            const yk_loaded *here, int others, int *place,
                            yoke_err *err)
{
    for (int k = 0; k < count; k++) {
        place[k] = same(&there[k], here, others);
        if (place[k] < 0)
            return yk_fail(err, YOKE_E_ARG,
                           "%s is not the one of the run (%s): the program or "
                           "a library was changed since then",
                           there[k].name, there[k].id);
    }
    return YOKE_OK;
}

void yk_loaded_move(const yk_loaded *there, int count, const yk_loaded *here,
                    const int *place, char *bytes, size_t size)
{
    for (size_t k = 0; k + sizeof(uint64_t) <= size; k += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes + k, sizeof word);
        const int at = find(there, count, word);
        if (at < 0) continue;
        word = word - there[at].begin + here[place[at]].begin;
        memcpy(bytes + k, &word, sizeof word);
    }
}
