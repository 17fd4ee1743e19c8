/* comp/fmu/instance.h -- an instance of an FMU, for the files that call it:
 * binary.c (loading), values.c (variables), calls.c (everything else).
 */
#ifndef YK_FMU_INSTANCE_H
#define YK_FMU_INSTANCE_H

#include "comp/fmu/binary.h"
#include "part/manners.h"

#include <string.h>

enum { YK_FMU_MESSAGE = 500, YK_FMU_CALLS = 64 };

typedef void yk_fmu_function(void);

struct yk_fmu_instance {
    const yk_fmu_description *d;
    const yk_fmu_kind *kind;
    bool exchange;
    void *library, *c; /* c: the component of the standard */
    char *name;
    char message[YK_FMU_MESSAGE]; /* the last one that speaks of an error */
    bool initialised, fatal;
    void *block; /* scratch of get and set */
    size_t room;
    unsigned *reference;
    size_t reference_room;
    struct callbacks2 *callbacks; /* FMI 2 keeps a pointer to it */
    yk_fmu_midway *midway;        /* during a step, or NULL */
    void *midway_context;
    int calls; /* functions found so far */
    struct {
        char name[40];
        yk_fmu_function *at;
    } call[YK_FMU_CALLS];
};

/* The function fmiN<name> of the binary. */
yoke_status yk_fmu_call_find(yk_fmu_instance *f, const char *name,
                             yk_fmu_function **out, yoke_err *err);

/* What a returned status means. */
yoke_status yk_fmu_call_judge(yk_fmu_instance *f, const char *name, int status,
                              yoke_err *err);

/* References of n signals into f->reference; room for n numbers in f->block. */
yoke_status yk_fmu_references(yk_fmu_instance *f, int n,
                              const yk_fmu_signal *signal, yoke_err *err);

/* Calls fmiN<name> with the component and these arguments; `types` are the
 * types of all of them. */
#define CALL(f, err, ...) CALL_BETWEEN(f, err, (void)0, (void)0, __VA_ARGS__)

/* The same, and arithmetic and decimal point are as before; not for what is
 * called in each evaluation, since it costs 0.2 us. */
#define CALL_KEPT(f, err, ...)                                                 \
    do {                                                                       \
        yk_manners own_;                                                       \
                                                                               \
        CALL_BETWEEN(f, err, yk_manners_keep(&own_),                           \
                     yk_manners_put_back(&own_), __VA_ARGS__);                 \
    } while (0)

#define CALL_BETWEEN(f, err, before, behind, name, types, ...)                 \
    do {                                                                       \
        int(*call_) types;                                                     \
        yk_fmu_function *found_ = NULL;                                        \
                                                                               \
        YK_TRY(yk_fmu_call_find((f), name, &found_, (err)));                   \
        memcpy(&call_, &found_, sizeof call_);                                 \
        (f)->message[0] = '\0';                                                \
        before;                                                                \
        const int answer_ = call_(__VA_ARGS__);                                \
        behind;                                                                \
        YK_TRY(yk_fmu_call_judge((f), name, answer_, (err)));                  \
    } while (0)

static inline bool is_two(const yk_fmu_instance *f)
{
    return f->d->version == 2;
}

#endif
