/* comp/equation/events/hybrid_fixture.h -- models of one output against its exact
 * value, interpreted and as native code, with fixed and adaptive steps. */
#ifndef YK_HYBRID_FIXTURE_H
#define YK_HYBRID_FIXTURE_H

#include "comp/equation/compile_fixture.h"

#include "yoke/equation.h"

/* ---- Helpers ------------------------------------------------------------ */

static const struct {
    const char *method;
    double step; /* 0: adaptive */
} methods[] = { { "radau5", 0.0 }, { "trbdf2", 0.0 }, { "radau5", 0.7 } };

enum { METHODS = sizeof methods / sizeof *methods, FIXED = 2 };

static inline yoke_system *read_with(const char *text, const char *compiler)
{
    const yoke_equation_options options = { .compiler = compiler,
                                            .cache = cache };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_equation_parse(&system, "m", "m.mo", text, strlen(text),
                                 &options, NULL, &err),
             &err);
    return system;
}

/* The output y at `end`, in `windows` windows with two sweeps each. */
static inline yoke_status solve(yoke_system *s, int method, double rtol,
                                int windows, double end, double *y,
                                yoke_err *err)
{
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yk_wave *in = NULL, *out = NULL;
    double all[8];
    yoke_status status = YOKE_OK;

    snprintf(o.method, sizeof o.method, "%s", methods[method].method);
    o.step = methods[method].step;
    o.rtol = o.atol = rtol;
    CHECK_OK(yk_stepper_create(&p, s, &o, 0, NULL, err), err);
    CHECK_OK(yk_wave_create(&in, p.m, err), err);
    CHECK_OK(yk_wave_create(&out, p.p, err), err);
    yk_wave_clear(in, 0.0);
    status = p.ops->start(p.self, 0.0, NULL, NULL, all, err);
    for (int k = 1; k <= windows && status == YOKE_OK; k++)
        for (int sweep = 0; sweep < 2 && status == YOKE_OK; sweep++) {
            status = p.ops->sweep(p.self, end * k / windows, in, out, err);
            if (status == YOKE_OK && sweep) status = p.ops->accept(p.self, err);
        }
    if (status == YOKE_OK) {
        const yoke_system_info *facts = yoke_system_facts(s);
        int k = 0;
        while (strcmp(facts->y_name[k], "y") != 0) k++;
        yk_wave_eval(out, end, NULL, all);
        *y = all[k];
    }
    p.ops->free(p.self);
    yk_wave_free(in);
    yk_wave_free(out);
    return status;
}

typedef struct item {
    const char *text; /* what follows "model M " */
    double end, value;
    double tol; /* 0: rounding */
} item;

static inline double error_of(yoke_system *s, const item *m, int method,
                              double rtol)
{
    double y = NAN;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(solve(s, method, rtol, 3, m->end, &y, &err), &err);
    return fabs(y - m->value);
}

/* Piecewise polynomials: exact but for the instants, which are found to
 * rounding. */
static inline void check_all(const item *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[2000];
        snprintf(text, sizeof text, "model M %s end M;", list[i].text);
        for (int native = 0; native < 2; native++) {
            yoke_system *s = read_with(text, native ? "cc" : NULL);
            const double tol = list[i].tol > 0.0 ? list[i].tol : 1e-10;
            for (int k = 0; k < METHODS; k++) {
                const double error = error_of(s, &list[i], k, 1e-6);
                if (!(error <= tol * (1.0 + fabs(list[i].value))))
                    fail_msg("%s: %s, off by %g", list[i].text,
                             methods[k].method, error);
            }
            yoke_system_free(s);
        }
    }
}

#define X0    "output Real y(start = 0, fixed = true); "
#define C0    "Real c(start = 0, fixed = true); "
#define COUNT "output Real y = n; Integer n(start = 0); "

#endif
