/* tests/fmu/constraint_test.c -- constraints between closed parts against exact
 * solutions: every row of the result, multipliers included.
 */
#define _GNU_SOURCE
#include "check.h"
#include "yoke/file.h"
#include "yoke/result.h"
#include "yoke/run.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- two oscillators of one velocity -------------------------------------
 *
 *     m v' = F cos(w t) - k x - c v + force,   each; x1 = x2, v1 = v2
 */
typedef struct part {
    double m, k, c, F, w;
} part;

typedef struct exact {
    part a, b;
    double complex r[2], C[2], X[2]; /* modes; amplitudes; forced ones */
} exact;

static exact solve(part a, part b, double x0)
{
    exact e = { .a = a, .b = b };
    const double m = a.m + b.m, k = a.k + b.k, c = a.c + b.c;
    const double complex root = csqrt(c * c - 4.0 * m * k);

    e.r[0] = (-c + root) / (2.0 * m);
    e.r[1] = (-c - root) / (2.0 * m);
    e.X[0] = a.F / (k - m * a.w * a.w + I * a.w * c);
    e.X[1] = b.F / (k - m * b.w * b.w + I * b.w * c);
    const double x = x0 - creal(e.X[0] + e.X[1]);
    const double v = -creal(I * a.w * e.X[0] + I * b.w * e.X[1]);
    e.C[1] = (v - e.r[0] * x) / (e.r[1] - e.r[0]);
    e.C[0] = x - e.C[1];
    return e;
}

static double complex power(double complex a, int n)
{
    return n == 0 ? 1.0 : a * power(a, n - 1);
}

/* Derivative `order` of x. */
static double motion(const exact *e, double t, int order)
{
    const double w[] = { e->a.w, e->b.w };
    double complex sum = 0.0;

    for (int i = 0; i < 2; i++) {
        sum += e->C[i] * cexp(e->r[i] * t) * power(e->r[i], order);
        sum += creal(e->X[i] * cexp(I * w[i] * t) * power(I * w[i], order));
    }
    return creal(sum);
}

static double multiplier(const exact *e, double t)
{
    const part *a = &e->a;

    return a->m * motion(e, t, 2) - a->F * cos(a->w * t) +
           a->k * motion(e, t, 0) + a->c * motion(e, t, 1);
}

/* ---- runs ---------------------------------------------------------------- */

typedef struct rows {
    int columns, count, lambda, v, x;
    double *value;
    bool open; /* the table of results */
} rows;

static yoke_status begin(void *context, yoke_err *err)
{
    (void)err;
    ((rows *)context)->count = 0;
    return YOKE_OK;
}

static yoke_status table(void *context, const char *name, int columns,
                         const char *const *column, const char *const *unit,
                         yoke_err *err)
{
    rows *r = context;

    (void)unit, (void)err;
    r->open = r->columns == 0 && strcmp(name, "result") == 0;
    for (int k = 0; r->open && k < columns; k++) {
        if (strstr(column[k], "lambda")) r->lambda = k;
        if (strcmp(column[k], "b.p.v") == 0) r->v = k;
        if (strcmp(column[k], "a.x") == 0) r->x = k;
    }
    if (r->open) r->columns = columns;
    return YOKE_OK;
}

static yoke_status take(void *context, int number, int count,
                        const double *value, yoke_err *err)
{
    rows *r = context;
    const size_t old = (size_t)(r->count * r->columns),
                 more = (size_t)(count * r->columns);

    (void)err;
    if (number != 0) return YOKE_OK;
    r->value = realloc(r->value, (old + more) * sizeof *r->value);
    memcpy(r->value + old, value, more * sizeof *value);
    r->count += count;
    return YOKE_OK;
}

typedef struct ran {
    yoke_status status;
    yoke_err err;
    yoke_run_result result;
    rows rows;
} ran;

static ran run_text(const char *text)
{
    ran r = { .status = YOKE_OK };
    yoke_file *file = NULL;
    yoke_run *run = NULL;

    r.status = yoke_file_parse(&file, FMUS "/system.yaml", text, strlen(text),
                               NULL, &r.err);
    if (r.status != YOKE_OK) return r;
    const yoke_sink sink = { begin, table, take, NULL, &r.rows };
    const yoke_watcher watcher = { .sink = &sink };
    const yoke_run_options *o = yoke_file_run_options(file);
    r.status =
        yoke_run_create(&run, yoke_file_model(file), o, &watcher, &r.err);
    if (r.status == YOKE_OK) r.status = yoke_run_advance(run, o->stop, &r.err);
    if (run) yoke_run_summary(run, &r.result);
    if (run) yoke_run_close(run, NULL);
    yoke_file_free(file);
    return r;
}

/* Largest error of a column over that of its exact values. */
typedef struct errors {
    double x, v, lambda;
} errors;

static errors compare(const ran *r, const exact *e)
{
    const rows *w = &r->rows;
    errors most = { 0 }, size = { 0 };

    for (int k = 0; k < w->count; k++) {
        const double *row = w->value + k * w->columns, t = row[0];
        const double x = motion(e, t, 0), v = motion(e, t, 1),
                     lambda = multiplier(e, t);
        most.x = fmax(most.x, fabs(row[w->x] - x));
        most.v = fmax(most.v, fabs(row[w->v] - v));
        most.lambda = fmax(most.lambda, fabs(row[w->lambda] - lambda));
        size.x = fmax(size.x, fabs(x));
        size.v = fmax(size.v, fabs(v));
        size.lambda = fmax(size.lambda, fabs(lambda));
    }
    return (errors){ most.x / size.x, most.v / size.v,
                     most.lambda / size.lambda };
}

static const char pair[] =
    "yoke: 1\n"
    "subsystems:\n"
    "  a: {fmu: port.fmu, kind: %s, parameters: {m: %g, k: %g, c: %g, F: %g, "
    "w: %g, x: 0.5}}\n"
    "  b: {fmu: port.fmu, kind: %s, parameters: {m: %g, k: %g, c: %g, F: %g, "
    "w: %g, x: 0.5}}\n"
    "couplings:\n"
    "  - %s\n"
    "run: {stop: 3, rtol: %g, atol: %g}\n";

static const char by_velocity[] = "connect: [a.p, b.p]";
static const char by_position[] =
    "constraint: {equation: a.x - b.x = 0, form: velocity, multiplier: lambda, "
    "enters: [a.p.f = lambda, b.p.f = -lambda]}";

/* lambda within 5 tolerances, the states within one; few sweeps. */
static void check_joined(const char *kind, const char *how, part a, part b,
                         double tol)
{
    const exact e = solve(a, b, 0.5);
    char text[1000];

    snprintf(text, sizeof text, pair, kind, a.m, a.k, a.c, a.F, a.w, kind, b.m,
             b.k, b.c, b.F, b.w, how, tol, 0.01 * tol);
    ran r = run_text(text);
    CHECK_OK(r.status, &r.err);
    const errors off = compare(&r, &e);
    const double sweeps =
        (double)r.result.iterate.sweeps / r.result.iterate.windows;
    if (!(off.lambda <= 5.0 * tol) || off.x > tol || off.v > tol ||
        sweeps > 6.3)
        print_error("%s, masses 1 : %g, tolerance %g: x %g, v %g, lambda %g "
                    "tolerances, %g sweeps\n",
                    kind, b.m / a.m, tol, off.x / tol, off.v / tol,
                    off.lambda / tol, sweeps);
    assert_true(r.rows.count > 100);
    assert_true(off.lambda <= 5.0 * tol);
    assert_true(off.x <= tol && off.v <= tol);
    assert_true(sweeps <= 6.3);
    free(r.rows.value);
}

static void check_pair(const char *kind, part a, part b, double tol)
{
    check_joined(kind, by_velocity, a, b, tol);
}

static void masses(const char *kind, double mu, double tol)
{
    check_pair(kind, (part){ 1.0, 4.0, 0.1, 1.0, 3.0 },
               (part){ mu, mu, 0.2 * mu, 0.3 * mu, 1.0 }, tol);
}

/* The same with equal positions, whose derivatives the FMU declares. */
static void joined(const char *kind, double mu, double tol)
{
    check_joined(kind, by_position, (part){ 1.0, 4.0, 0.1, 1.0, 3.0 },
                 (part){ mu, mu, 0.2 * mu, 0.3 * mu, 1.0 }, tol);
}

/* ---- tests --------------------------------------------------------------- */

static void mass_ratios(void **unused)
{
    (void)unused;
    masses("cs", 1e-3, 1e-6);
    masses("cs", 1.0, 1e-6);
    masses("cs", 1e3, 1e-6);
    masses("me", 1e-3, 1e-6);
    masses("me", 1e3, 1e-6);
}

static void tolerances(void **unused)
{
    (void)unused;
    masses("cs", 1e3, 1e-4);
    masses("cs", 1.0, 1e-8);
    masses("me", 1e3, 1e-8);
}

static void positions(void **unused)
{
    (void)unused;
    for (double mu = 1e-3; mu < 2e3; mu *= 1e3) {
        joined("cs", mu, 1e-4);
        joined("cs", mu, 1e-6);
        joined("cs", mu, 1e-8);
        joined("me", mu, 1e-6);
    }
    joined("me", 1.0, 1e-8);
    joined("me", 1e3, 1e-8);
}

/* C v' = -G v - i + current, L i' = v: index 2, with 1/C in place of 1/m. */
static void capacitors(void **unused)
{
    (void)unused;
    check_pair("cs", (part){ 1.0, 2.0, 1.0, 1.0, 4.0 },
               (part){ 0.01, 0.03, 0.02, 0.0, 0.0 }, 1e-6);
    check_pair("cs, isolate: none", (part){ 1.0, 2.0, 1.0, 1.0, 4.0 },
               (part){ 0.5, 0.3, 2.0, 0.0, 0.0 }, 1e-6);
}

/* ---- resistances ----------------------------------------------------------
 *
 *     x' = a x + b u,  y = x + d u;   y1 = y2, u1 = lambda, u2 = -lambda:
 *     lambda = (x2 - x1) / (d1 + d2)
 */
static void resist(const double d[2], double t, double out[2])
{
    const double sum = d[0] + d[1];
    const double M[2][2] = { { -1.0 - 1.0 / sum, 1.0 / sum },
                             { 3.0 / sum, -2.0 - 3.0 / sum } };
    const double half = 0.5 * (M[0][0] + M[1][1]);
    const double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    const double root = sqrt(half * half - det);
    const double e = exp(half * t) * cosh(root * t),
                 s = exp(half * t) * sinh(root * t) / root;
    const double x[2] = { 1.0, -1.0 };
    double at[2];

    for (int i = 0; i < 2; i++) /* exp(M t) x */
        at[i] = (e - half * s) * x[i] + s * (M[i][0] * x[0] + M[i][1] * x[1]);
    out[1] = (at[1] - at[0]) / sum;
    out[0] = at[0] + d[0] * out[1];
}

static void check_resistances(const char *fmu, double d1, double d2, double tol)
{
    const double d[] = { d1, d2 };
    double most[2] = { 0.0 }, size[2] = { 0.0 };
    char text[1000];

    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n"
             "  a: {fmu: %s, inputs: [u], outputs: [y], parameters: {a: -1, b: "
             "1, x: 1, d: %g}}\n"
             "  b: {fmu: %s, inputs: [u], outputs: [y], parameters: {a: -2, b: "
             "3, x: -1, d: %g}}\n"
             "couplings:\n  - constraint: {equation: a.y - b.y = 0, "
             "multiplier: lambda, enters: [a.u = lambda, b.u = -lambda]}\n"
             "run: {stop: 3, rtol: %g, atol: %g}\n",
             fmu, d1, fmu, d2, tol, 0.01 * tol);
    ran r = run_text(text);
    CHECK_OK(r.status, &r.err);
    assert_true(r.rows.count > 50);
    for (int k = 0; k < r.rows.count; k++) {
        const double *row = r.rows.value + k * r.rows.columns;
        double out[2];
        resist(d, row[0], out);
        const double is[] = { row[1], row[r.rows.lambda] };
        for (int i = 0; i < 2; i++) {
            most[i] = fmax(most[i], fabs(is[i] - out[i]));
            size[i] = fmax(size[i], fabs(out[i]));
        }
    }
    for (int i = 0; i < 2; i++) {
        if (!(most[i] <= tol * size[i]))
            print_error("%s, %g, %g, %g: %g tolerances\n", fmu, d1, d2, tol,
                        most[i] / (tol * size[i]));
        assert_true(most[i] <= tol * size[i]);
    }
    assert_true(r.result.iterate.sweeps <= 4 * r.result.iterate.windows);
    free(r.rows.value);
}

static void resistances(void **unused)
{
    (void)unused;
    for (double d = 0.01; d < 200.0; d *= 100.0) {
        check_resistances("gives.fmu, kind: cs", 1.0, d, 1e-4);
        check_resistances("gives.fmu, kind: me", 1.0, d, 1e-6);
    }
    check_resistances("block2.fmu, kind: cs", 1.0, 1.0, 1e-6);
    /* It tells outputs of its last step until the next one. */
    check_resistances("cached.fmu, kind: cs", 1.0, 1.0, 1e-6);
    check_resistances("cached.fmu, kind: cs", 1.0, 100.0, 1e-4);
    check_resistances("gives.fmu, kind: cs", 1.0, 1.0, 1e-8);
}

static void expect(const char *couplings, yoke_status status, const char *word)
{
    char text[1500];

    snprintf(
        text, sizeof text,
        "yoke: 1\nsubsystems:\n"
        "  a: {fmu: port.fmu, parameters: {k: 4, F: 1, w: 3, x: 0.5}}\n"
        "  b: {fmu: port.fmu, parameters: {m: 2, k: 1, x: 0.5}}\n"
        "  c: {linear: {x: [x, v], A: [[0, 1], [-1, 0]], B: [[0], [1]], u: "
        "[f], y: [x, v], H: [[1, 0], [0, 1]], x0: [0.5, 0]}}\n"
        "couplings:\n%srun: {stop: 1, rtol: 1e-6}\n",
        couplings);
    ran r = run_text(text);
    if (r.status != status || (word && !strstr(r.err.text, word)))
        print_error("%s: %s\n", couplings, r.err.text);
    assert_int_equal(r.status, status);
    if (word) assert_non_null(strstr(r.err.text, word));
    free(r.rows.value);
}

static void closed_and_open(void **unused)
{
    (void)unused;
    expect("  - connect: [a.p, b.p]\n  - signal: c.f = a.x\n", YOKE_OK, NULL);
    expect("  - constraint: {equation: a.p.v - c.v = 0, multiplier: l, enters: "
           "[a.p.f = l, c.f = -l]}\n  - signal: b.p.f = c.x\n",
           YOKE_OK, NULL);
    expect("  - constraint: {equation: [a.p.v - c.v = 0, c.v - b.p.v = 0], "
           "multiplier: [l, k], enters: [a.p.f = l, c.f = k - l, b.p.f = "
           "-k]}\n",
           YOKE_OK, NULL);
}

static void refusals(void **unused)
{
    static const char rest[] = "  - signal: c.f = a.x\n";
    char text[500];

    (void)unused;
    snprintf(text, sizeof text,
             "  - constraint: {equation: a.x - b.x = 0, multiplier: l, enters: "
             "[a.p.f = l, b.p.f = -l]}\n%s",
             rest);
    expect(text, YOKE_E_MODEL, "form: velocity");
    snprintf(text, sizeof text,
             "  - constraint: {equation: a.p.v - b.p.v = 0, form: velocity, "
             "multiplier: l, enters: [a.p.f = l, b.p.f = -l]}\n%s",
             rest);
    expect(text, YOKE_E_ARG, "declares the derivative");
    snprintf(text, sizeof text,
             "  - constraint: {equation: a.x - b.x = 0.1, form: velocity, "
             "multiplier: l, enters: [a.p.f = l, b.p.f = -l]}\n%s",
             rest);
    expect(text, YOKE_E_MODEL, "positions at the start do not satisfy");
    snprintf(text, sizeof text,
             "  - constraint: {equation: a.p.v - b.p.v = 1, multiplier: l, "
             "enters: [a.p.f = l, b.p.f = -l]}\n%s",
             rest);
    expect(text, YOKE_E_MODEL, "does not hold at the start");
    snprintf(text, sizeof text,
             "  - constraint: {equation: [a.p.v - b.p.v = 0, 2*a.p.v = "
             "2*b.p.v], multiplier: [l, k], enters: [a.p.f = l + k, b.p.f = -l "
             "- k]}\n%s",
             rest);
    expect(text, YOKE_E_MODEL, "redundant");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_ratios), cmocka_unit_test(tolerances),
        cmocka_unit_test(capacitors),  cmocka_unit_test(closed_and_open),
        cmocka_unit_test(positions),   cmocka_unit_test(resistances),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
