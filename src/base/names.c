/* base/names.c -- a hash table with linear probing (FNV-1a). */
#include "base/names.h"

#include <string.h>

static unsigned hash(const char *name)
{
    unsigned long long h = 14695981039346656037ull;

    for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211ull;
    return (unsigned)(h ^ (h >> 32));
}

static yk_names_slot *find(const yk_names *names, const char *name, unsigned h)
{
    size_t i = h & (names->room - 1);

    while (names->slot[i].name &&
           (names->slot[i].hash != h || strcmp(names->slot[i].name, name) != 0))
        i = (i + 1) & (names->room - 1);
    return &names->slot[i];
}

/* Puts a name where there is none of the same letters. */
static void insert(yk_names *names, const yk_names_slot *slot)
{
    size_t i = slot->hash & (names->room - 1);

    while (names->slot[i].name) i = (i + 1) & (names->room - 1);
    names->slot[i] = *slot;
}

void yk_names_clear(yk_names *names)
{
    yk_free(names->slot);
    *names = (yk_names){ 0 };
}

static yoke_status enlarge(yk_names *names, yoke_err *err)
{
    yk_names larger = { .count = names->count,
                        .room = names->room ? 2 * names->room : 16 };

    YK_TRY(YK_NEW(&larger.slot, larger.room, err));
    for (size_t i = 0; i < names->room; i++)
        if (names->slot[i].name) insert(&larger, &names->slot[i]);
    yk_names_clear(names);
    *names = larger;
    return YOKE_OK;
}

yoke_status yk_names_add(yk_names *names, const char *name, int number,
                         yoke_err *err)
{
    if (2 * ((size_t)names->count + 1) > names->room)
        YK_TRY(enlarge(names, err));
    const unsigned h = hash(name);
    yk_names_slot *slot = find(names, name, h);
    if (!slot->name) names->count++;
    *slot = (yk_names_slot){ name, h, number };
    return YOKE_OK;
}

int yk_names_find(const yk_names *names, const char *name)
{
    if (names->room == 0) return -1;
    const yk_names_slot *slot = find(names, name, hash(name));
    return slot->name ? slot->number : -1;
}
