/* comp/fmu/engine.h -- FMUs as engines of closed parts.
 *
 * The settings of the part: `folder`, where the FMU is unpacked; `use`, cs or
 * me; `start:NAME`, values of parameters and start values; `tolerance`, `stop`,
 * `step`; `in:NAME` and `out:NAME`, inputs and outputs in their order; and for me
 * those of the stepper, `stepper:NAME`.
 */
#ifndef YK_FMU_ENGINE_H
#define YK_FMU_ENGINE_H

#include "comp/fmu/binary.h"
#include "part/part.h"
#include "yoke/system.h"

/* The description of the FMU `path`, which is unpacked into *folder. */
yoke_status yk_fmu_unpack(char **folder, yk_fmu_description **out,
                          const char *path, yoke_err *err);

/* Inputs and outputs of an FMU as signals, in the order of the description. */
typedef struct yk_fmu_signals {
    int count;
    yk_fmu_signal *signal; /* in an arena */
    bool *discrete;        /* changes at events only */
    const char **name;
} yk_fmu_signals;

yoke_status yk_fmu_list(const yk_fmu_description *d, yk_fmu_causality causality,
                        yk_fmu_signals *out, yoke_err *err);

/* The signals of variables, or elements of arrays, with these names, in this
 * order.  *bad: the first that is none with numbers, or -1. */
yoke_status yk_fmu_choose(const yk_fmu_description *d, int count,
                          const char *const *name, yk_fmu_signals *out,
                          int *bad, yoke_err *err);

/* Inputs or outputs of one sort. */
typedef struct yk_fmu_some {
    int count;
    yk_fmu_signal *signal;
    int *at;       /* their places among all inputs or outputs */
    double *value; /* last given */
} yk_fmu_some;

/* Those of `all` that change at events only (`discrete`), or the others; with
 * `reals` only Float64 that are no arrays. */
yoke_status yk_fmu_some_choose(const yk_fmu_description *d,
                               const yk_fmu_signals *all, bool discrete,
                               bool reals, yk_fmu_some *out, yoke_err *err);
void yk_fmu_some_clear(yk_fmu_some *some);

/* x, or x[3] of an array. */
yoke_status yk_fmu_name_signal(const yk_fmu_description *d,
                               const yk_fmu_variable *v, int element,
                               const char **out, yoke_err *err);

/* What a subsystem that is an FMU was made with: names and values of what is
 * set, "start:NAME".  False: it is none.  Everything is borrowed. */
typedef struct yk_fmu_made {
    const yk_fmu_description *description;
    const yk_fmu_signals *input, *output;
    bool exchange, replay;
    double seconds, bytes;
    int settings;
    char *const *key, *const *value;
} yk_fmu_made;

bool yk_fmu_made_of(const yoke_system *system, yk_fmu_made *out);

/* An FMU that is loaded and not started. */
typedef struct yk_fmu_engine {
    char name[100]; /* of the part */
    yk_fmu_description *description;
    yk_fmu_instance *instance;
    yk_fmu_signals input, output;
    double tolerance, atol, stop, step; /* atol: of nominal values */
    bool replay;                        /* it is not asked for its state */
} yk_fmu_engine;

yoke_status yk_fmu_engine_open(yk_fmu_engine *e, const yk_part_spec *spec,
                               bool exchange, yoke_err *err);
void yk_fmu_engine_close(yk_fmu_engine *e);

/* Parameters and start values, then initialisation with the inputs u0. */
yoke_status yk_fmu_engine_start(yk_fmu_engine *e, double t0, const double *u0,
                                yoke_err *err);

yoke_status yk_fmu_make_simulation(const yk_part_spec *spec,
                                   yk_part_engine *out, yoke_err *err);
yoke_status yk_fmu_make_exchange(const yk_part_spec *spec, yk_part_engine *out,
                                 yoke_err *err);

/* The engine that the settings ask for. */
yoke_status yk_fmu_make(const yk_part_spec *spec, yk_part_engine *out,
                        yoke_err *err);

#endif
