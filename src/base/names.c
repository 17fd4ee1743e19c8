/* base/names.c -- a hash table with linear probing (FNV-1a). */
#include "base/names.h"

#include <string.h>

static size_t hash(const char *name)
{
    unsigned long long h = 14695981039346656037ull;

    for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211ull;
    return (size_t)(h ^ (h >> 32));
}

static size_t slot(const yk_names *names, const char *name)
{
    size_t i = hash(name) & (names->room - 1);

    while (names->name[i] && strcmp(names->name[i], name) != 0)
        i = (i + 1) & (names->room - 1);
    return i;
}

void yk_names_clear(yk_names *names)
{
    yk_free(names->name);
    yk_free(names->number);
    *names = (yk_names){ 0 };
}

static yoke_status enlarge(yk_names *names, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_names larger = { .room = names->room ? 2 * names->room : 16 };

    YK_GO(YK_NEW(&larger.name, larger.room, err));
    YK_GO(yk_ints(&larger.number, larger.room, err));
    for (size_t i = 0; i < names->room; i++) {
        if (!names->name[i]) continue;
        const size_t to = slot(&larger, names->name[i]);
        larger.name[to] = names->name[i];
        larger.number[to] = names->number[i];
    }
    larger.count = names->count;
    yk_names_clear(names);
    *names = larger;
    return YOKE_OK;
done:
    yk_names_clear(&larger);
    return status;
}

yoke_status yk_names_add(yk_names *names, const char *name, int number,
                         yoke_err *err)
{
    if (2 * ((size_t)names->count + 1) > names->room)
        YK_TRY(enlarge(names, err));
    const size_t i = slot(names, name);
    if (!names->name[i]) names->count++;
    names->name[i] = name;
    names->number[i] = number;
    return YOKE_OK;
}

int yk_names_find(const yk_names *names, const char *name)
{
    if (names->room == 0) return -1;
    const size_t i = slot(names, name);
    return names->name[i] ? names->number[i] : -1;
}
