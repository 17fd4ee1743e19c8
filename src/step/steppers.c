/* step/steppers.c -- the list of methods and their options. */
#include "step/steppers.h"

#include "base/near.h"
#include "base/options.h"
#include "step/method.h"
#include "sys/closed.h"
#include "yoke/optional.h"

#include <assert.h>
#include <float.h>
#include <string.h>

#define FIELD(type, field) YK_FIELD(type, yoke_stepper_options, field)

static const yk_option table[] = {
    { FIELD(YK_WORD, method), 0, 0, 0, "time stepping method",
      "euler midpoint heun rk4 stormer implicit-euler trapezoidal bdf1 bdf2 "
      "bdf3 bdf4 bdf5 bdf6 trbdf2 genalpha radau5 ida",
      "radau5" },
    { FIELD(YK_REAL, step), 0, DBL_MAX, 0,
      "fixed methods: largest step; adaptive methods: first step", NULL, NULL },
    { FIELD(YK_INT, steps), 0, 1000000000, 0, "fixed methods: steps per window",
      NULL, NULL },
    { FIELD(YK_REAL, rtol), 1e-14, 1, 1e-6,
      "adaptive methods: relative tolerance per step", NULL, NULL },
    { FIELD(YK_REAL, atol), 1e-300, DBL_MAX, 1e-9,
      "adaptive methods: absolute tolerance, times the nominal value", NULL,
      NULL },
    { FIELD(YK_REAL, min_step), 0, DBL_MAX, 0,
      "adaptive methods: shortest step; 0: set by rounding", NULL, NULL },
    { FIELD(YK_REAL, max_step), 0, DBL_MAX, 0,
      "adaptive methods: largest step; 0: none", NULL, NULL },
    { FIELD(YK_REAL, newton), 0, DBL_MAX, 0,
      "Newton's tolerance on the change of x in units of atol + rtol |x|; 0: "
      "by the method",
      NULL, NULL },
    { FIELD(YK_INT, max_newton), 1, 1000, 10,
      "Newton iterations per stage before the step fails", NULL, NULL },
    { FIELD(YK_REAL, rho), 0, 1, 0.8,
      "genalpha: what is left of fast motions after a step, from 0 (all is "
      "damped) to 1 (nothing)",
      NULL, NULL },
    { FIELD(YK_ENUM, dense), 0, 0, YOKE_DENSE_NATURAL,
      "outputs between the points of the grid",
      "natural constant linear cubic spline stages", NULL },
    { FIELD(YK_FLAG, given), 0, 1, 0,
      "initial values are taken as given, without making them consistent", NULL,
      NULL },
    { FIELD(YK_FLAG, latent), 0, 1, 1,
      "in systems that declare cells, those at rest are not solved", NULL,
      NULL },
    { FIELD(YK_REAL, turns), 0, DBL_MAX, 0,
      "half periods of a free oscillation whose errors fit into the tolerance; "
      "0: as many as there are",
      NULL, NULL },
    { FIELD(YK_WORD, host), 0, 0, 0,
      "yoke-mpi: the machine that it is solved on", NULL, "" },
    { FIELD(YK_FLAG, warm), 0, 1, 1,
      "the last sweep's waveform of x is the guess for the next sweep", NULL,
      NULL },
};
enum { OPTIONS = sizeof table / sizeof *table };

#ifndef YOKE_HAVE_SUNDIALS
static const yk_method missing = {
    .name = "ida",
    .text = "SUNDIALS IDA (not in this build)",
};
#endif

static const yk_method *const methods[] = {
    &yk_euler,   &yk_midpoint,       &yk_heun,        &yk_rk4,
    &yk_stormer, &yk_implicit_euler, &yk_trapezoidal, &yk_bdf[0],
    &yk_bdf[1],  &yk_bdf[2],         &yk_bdf[3],      &yk_bdf[4],
    &yk_bdf[5],  &yk_trbdf2,         &yk_genalpha,    &yk_radau5,
#ifdef YOKE_HAVE_SUNDIALS
    &yk_ida,
#else
    &missing,
#endif
};
enum { METHODS = sizeof methods / sizeof *methods };

yoke_stepper_options yoke_stepper_defaults(void)
{
    yoke_stepper_options options = { 0 };

    yk_options_defaults(table, OPTIONS, &options);
    return options;
}

/* What other programs call a method that is here, or NULL. */
static const char *meant(const char *word)
{
    static const char *const words[][2] = {
        { "ode45", "radau5" },       { "ode23", "radau5" },
        { "dopri5", "radau5" },      { "lsoda", "radau5" },
        { "ode15s", "radau5" },      { "cvode", "radau5" },
        { "radau", "radau5" },       { "esdirk23", "trbdf2" },
        { "ode23t", "trapezoidal" }, { "trap", "trapezoidal" },
        { "ode23tb", "trbdf2" },     { "gear", "bdf2" },
        { "bdf", "bdf2" },           { "ode4", "rk4" },
        { "ode1", "euler" },         { "ode2", "heun" },
        { "ode14x", "radau5" },      { "verlet", "stormer" },
        { "dassl", "ida" },          { "daskr", "ida" },
        { "newmark", "genalpha" },
    };

    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (yk_word_distance(word, words[k][0]) == 0) return words[k][1];
    return NULL;
}

static yoke_status check_method(const char *value, yoke_err *err)
{
    const char *known[METHODS];

    for (int i = 0; i < METHODS; i++) {
        known[i] = methods[i]->name;
        if (strcmp(known[i], value) == 0) return YOKE_OK;
    }
    const char *other = meant(value);
    const char *near = yk_nearest_word(value, METHODS, known);
    yk_fail(err, YOKE_E_ARG, "there is no stepper \"%.60s\"", value);
    if (other)
        yk_suffix(err, "; \"%s\" does its work here.  There are:", other);
    else if (near)
        yk_suffix(err, "; did you mean \"%s\"?  There are:", near);
    else
        yk_suffix(err, "; there are:");
    for (int i = 0; i < METHODS; i++)
        yk_suffix(err, "%s %s", i ? "," : "", known[i]);
    return YOKE_E_ARG;
}

yoke_status yoke_stepper_set(yoke_stepper_options *options, const char *name,
                             const char *value, yoke_err *err)
{
    YK_POINT;

    if (name && value && strcmp(name, "method") == 0)
        YK_TRY(check_method(value, err));
    return yk_options_set(table, OPTIONS, options, name, value, err);
}

bool yk_stepper_option(int i, const char **name, const char **unit)
{
    static const char *const times[] = { "step", "min_step", "max_step" };

    if (i < 0 || i >= OPTIONS) return false;
    const yk_option *o = &table[i];
    *name = o->name;
    *unit = o->type == YK_REAL || o->type == YK_INT ? "1" : "";
    for (int k = 0; k < 3; k++)
        if (strcmp(o->name, times[k]) == 0) *unit = "s";
    if (strcmp(o->name, "atol") == 0) *unit = NULL;
    return true;
}

bool yoke_stepper_list(int i, const char **name, const char **text)
{
    if (i < 0 || i >= METHODS) return false;
    if (name) *name = methods[i]->name;
    if (text) *text = methods[i]->text;
    return true;
}

static const yk_method *find(const char *name)
{
    for (int i = 0; i < METHODS; i++)
        if (strcmp(methods[i]->name, name) == 0) return methods[i];
    return NULL;
}

bool yk_stepper_corrects(const char *method)
{
    const yk_method *found = find(method);

    return found && found->tape;
}

bool yoke_stepper_is_fixed(const char *method)
{
    const yk_method *found = find(method);

    return found && found->stepping == YK_FIXED;
}

static yoke_status check(const yk_method *method, const char *system,
                         const yoke_system_info *facts,
                         const yoke_stepper_options *options, yoke_err *err)
{
    if (!method->create)
        return yk_fail(err, YOKE_E_MISSING,
                       "this build has no stepper \"%s\" (for \"%s\")",
                       method->name, system);
    if (options->dense == YOKE_DENSE_STAGES && !method->stages)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\": method %s has no dense output "
                       "\"stages\"; rk4 and stormer have it",
                       system, method->name);
    if (method->stepping == YK_FREE && facts->help->project)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\": method %s keeps a past of its own "
                       "and cannot be projected on constraints; use another "
                       "method or another formulation",
                       system, method->name);
    if (method->stepping == YK_FIXED && options->step == 0.0 &&
        options->steps == 0)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\": method %s has fixed steps and needs "
                       "`step` or `steps`: --set %s.step=1ms, in a system file "
                       "{..., stepper: %s, step: 1 ms}",
                       system, method->name, system, method->name);
    return YOKE_OK;
}

yoke_status yk_stepper_create(yk_propagator *out, yoke_system *system,
                              const yoke_stepper_options *options, int watches,
                              const int *watch, yoke_err *err)
{
    const char *name = yoke_system_name(system);
    const yk_method *method;

    const yk_closed *closed = yoke_system_facts(system)->closed;

    YK_TRY(yk_options_check(table, OPTIONS, options, err));
    if (closed) return closed->create(closed->self, options, out, err);
    method = find(options->method);
    assert(method); /* both lists have the same names */
    YK_TRY(check(method, name, yoke_system_facts(system), options, err));
    if (options->latent && yk_latent_suits(method, system))
        return yk_latent_create(out, method, system, options, watches, watch,
                                err);
    return yk_drive_create(out, method, system, options, watches, watch, err);
}
