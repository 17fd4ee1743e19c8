/* Constraints between subsystems that stay apart and have events: two masses,
 * rigidly joined, pushed by forces that switch at known times or where the
 * position crosses a level, against the closed form, every row and the
 * multiplier included.
 *
 *     m x'' = F + 2 [t > T] - 2 [x > L] - k x -+ f,   each
 *
 * If both velocities are set at T so that they stay equal, that is no shock.
 */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include "yoke/result.h"

#include <math.h>

static const double stop = 6.0, never = 1e9;

/* ---- the closed form ----------------------------------------------------- */

typedef struct mass {
    double m, k, F, T, L;
    double r; /* v becomes r v at T; 0: it stays */
} mass;

typedef struct piece {
    double t, x, v, force[2]; /* what is at its beginning */
} piece;

typedef struct exact {
    mass a[2];
    int pieces, rises[2];
    piece piece[64];
} exact;

static double frequency(const exact *e)
{
    return sqrt((e->a[0].k + e->a[1].k) / (e->a[0].m + e->a[1].m));
}

/* x or v at time t on a piece. */
static double along(const exact *e, const piece *p, double t, bool speed)
{
    const double w = frequency(e), s = t - p->t;
    const double middle = (p->force[0] + p->force[1]) / (e->a[0].k + e->a[1].k);

    if (speed) return p->v * cos(w * s) - (p->x - middle) * w * sin(w * s);
    return middle + (p->x - middle) * cos(w * s) + p->v / w * sin(w * s);
}

/* When the motion of a piece comes to the level again. */
static double crossing(const exact *e, const piece *p, double level)
{
    const double w = frequency(e);
    const double middle = (p->force[0] + p->force[1]) / (e->a[0].k + e->a[1].k);
    const double size = hypot(p->x - middle, p->v / w);
    const double phase = atan2(p->v / w, p->x - middle);
    double least = INFINITY;

    if (fabs(level - middle) >= size) return least;
    for (int side = -1; side < 2; side += 2)
        for (int turn = -1; turn < 3; turn++) {
            const double s = (phase + side * acos((level - middle) / size) +
                              turn * 6.28318530717958647693) /
                             w;
            if (s > 1e-9) least = fmin(least, s);
        }
    return p->t + least;
}

static double force_of(const mass *a, double t, bool above)
{
    return a->F + (t >= a->T ? 2.0 : 0.0) - (above ? 2.0 : 0.0);
}

static exact solve(mass a, mass b)
{
    exact e = { .a = { a, b }, .pieces = 1 };
    bool above[2] = { false };

    e.piece[0] = (piece){ 0.0, 0.0, 1.0, { a.F, b.F } };
    for (piece *p = e.piece; p->t < stop; p++) {
        piece *next = p + 1;
        next->t = stop + 1.0;
        for (int i = 0; i < 2; i++) {
            const double at = crossing(&e, p, e.a[i].L);
            if (e.a[i].T > p->t) next->t = fmin(next->t, e.a[i].T);
            if (at > p->t) next->t = fmin(next->t, at);
        }
        next->x = along(&e, p, next->t, false);
        next->v = along(&e, p, next->t, true);
        if (next->t == a.T && a.r != 0.0) next->v *= a.r;
        for (int i = 0; i < 2; i++) {
            if (fabs(next->x - e.a[i].L) < 1e-9) {
                above[i] = next->v > 0.0;
                e.rises[i] += above[i] && next->t < stop;
            }
            next->force[i] = force_of(&e.a[i], next->t, above[i]);
        }
        assert_true(++e.pieces < 60);
    }
    return e;
}

/* x, v, and the multiplier, which pushes the second mass. */
static void value_on(const exact *e, const piece *p, double t, double out[3])
{
    out[0] = along(e, p, t, false);
    out[1] = along(e, p, t, true);
    const double push =
        (p->force[0] + p->force[1] - (e->a[0].k + e->a[1].k) * out[0]) /
        (e->a[0].m + e->a[1].m);
    out[2] = e->a[1].m * push + e->a[1].k * out[0] - p->force[1];
}

/* How far a value of a row is from the closed form, and the size of that.  The
 * instants of a run are accurate to some tolerances; next to one a row may be
 * on either side. */
static double distance(const exact *e, double t, int which, double value,
                       double tol, double *size)
{
    const double near = 20.0 * tol;
    double least = INFINITY;

    for (int k = 0; k < e->pieces; k++) {
        const piece *p = &e->piece[k];
        double out[3];
        if (t < p->t - near || (k + 1 < e->pieces && t > p[1].t + near))
            continue;
        value_on(e, p, t, out);
        *size = fmax(*size, fabs(out[which]));
        least = fmin(least, fabs(value - out[which]));
    }
    return least;
}

/* ---- runs ---------------------------------------------------------------- */

static const char model[] =
    "model Mass\n"
    "  parameter Real m = 1, k = 1, F = 0, T = 1e9, L = 1e9, r = 0;\n"
    "  input Real f;\n"
    "  output Real x(start = 0, fixed = true);\n"
    "  output Real v(start = 1, fixed = true);\n"
    "  discrete Real n(start = 0, fixed = true);\n"
    "equation\n"
    "  der(x) = v;\n"
    "  m*der(v) = f - k*x + F + (if time > T then 2 else 0)\n"
    "             - (if x > L then 2 else 0);\n"
    "  when x > L then\n"
    "    n = pre(n) + 1;\n"
    "  end when;\n"
    "  when time > T then\n"
    "    reinit(v, if r == 0 then v else r*v);\n"
    "  end when;\n"
    "end Mass;\n";

static yoke_file *read_pair(const exact *e, const char *of, double tol)
{
    const char *const path = in_scratch("m.mo");
    char text[2000];
    int used;

    write_file("m.mo", model);
    used = snprintf(text, sizeof text,
                    "yoke: 1\nrun: {stop: %g, rtol: %g, atol: %g, "
                    "cluster: none, output: %s}\nsubsystems:\n",
                    stop, tol, 1e-4 * tol, in_scratch("r.csv"));
    for (int i = 0; i < 2; i++) {
        const mass *a = &e->a[i];
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  %c: {model: %s, class: Mass, parameters: {m: "
                         "%.17g, k: %.17g, F: %g, T: %g, L: %g, r: %g}}\n",
                         'a' + i, path, a->m, a->k, a->F, a->T, a->L, a->r);
    }
    snprintf(text + used, sizeof text - (size_t)used,
             "couplings:\n  - constraint:\n      name: rod\n"
             "      equation: a.%s - b.%s = 0\n      multiplier: f\n"
             "      enters: [a.f = -f, b.f = f]\n",
             of, of);
    return parse(text);
}

/* The largest error of a column, in tolerances of its largest size. */
static double error_of(const yoke_table *table, const exact *e,
                       const char *name, int which, double tol)
{
    const int column = yoke_table_find(table, name);
    double most = 0.0, size = 0.0;

    assert_true(column > 0);
    for (int k = 0; k < table->rows; k++) {
        const double *row = table->value + k * table->cols;
        most = fmax(most, distance(e, row[0], which, row[column], tol, &size));
    }
    return most / (tol * size);
}

static void check(mass a, mass b, const char *of, double tol)
{
    static const char *const name[] = { "a.x", "b.x", "a.v", "b.v", "rod.f" };
    static const int which[] = { 0, 0, 1, 1, 2 };
    const exact e = solve(a, b);
    yoke_file *file = read_pair(&e, of, tol);
    yoke_run *run = run_file(file);
    yoke_run_result result;

    yoke_run_summary(run, &result);
    CHECK_NEAR(value_of(run, "a.n"), e.rises[0], 0.0);
    CHECK_NEAR(value_of(run, "b.n"), e.rises[1], 0.0);
    assert_int_equal(result.subsystems, 3);
    const double sweeps =
        (double)result.iterate.sweeps / result.iterate.windows;
    yoke_run_close(run, NULL);
    yoke_table *table = read_table(in_scratch("r.csv"), "result");
    assert_true(table->rows > 100);
    for (int c = 0; c < 5; c++) {
        const double error = error_of(table, &e, name[c], which[c], tol);
        if (!(error <= 10.0))
            print_message("masses %g : %g, %s, T %g, L %g, tolerance %g: %s "
                          "off by %.3g tolerances, %.2f sweeps per window\n",
                          a.m, b.m, of, a.T, a.L, tol, name[c], error, sweeps);
        assert_true(error <= 10.0);
    }
    assert_true(sweeps <= 3.0);
    yoke_table_free(table);
    yoke_file_free(file);
}

/* ---- tests --------------------------------------------------------------- */

static mass first(double T, double L)
{
    return (mass){ 1.0, 1.7, 1.0, T, L, 0.0 };
}

static mass second(double m, double T, double L)
{
    return (mass){ m, 2.0 * m, 0.0, T, L, 0.0 };
}

static void forces_that_switch_in_time(void **state)
{
    (void)state;
    for (double mu = 1e-3; mu < 2e3; mu *= 1e3)
        for (double tol = 1e-4; tol > 1e-9; tol *= 1e-2)
            check(first(1.3, never), second(mu, never, never), "x", tol);
}

static void forces_that_switch_at_a_level(void **state)
{
    (void)state;
    for (double mu = 1e-3; mu < 2e3; mu *= 1e3)
        for (double tol = 1e-4; tol > 1e-9; tol *= 1e-2)
            check(first(never, 0.4), second(mu, never, never), "x", tol);
}

/* Index 2, and both masses with events of both kinds. */
static void forces_of_both(void **state)
{
    (void)state;
    for (double tol = 1e-4; tol > 1e-9; tol *= 1e-2) {
        check(first(2.1, 0.4), second(1.0, 0.9, 0.3), "x", tol);
        check(first(2.1, 0.4), second(1e3, 0.9, 0.3), "v", tol);
        check(first(2.1, 0.4), second(1e-3, 0.9, never), "v", tol);
    }
}

static void velocities_that_stay_equal(void **state)
{
    mass a = first(1.3, 0.4), b = second(1e3, 1.3, never);

    (void)state;
    a.r = b.r = -0.5;
    check(a, b, "x", 1e-6);
    check(a, b, "v", 1e-6);
}

/* The velocity of one mass alone jumps: the multiplier would be an impulse. */
static void shocks_are_refused(void **state)
{
    mass a = first(1.3, never);

    (void)state;
    a.r = -0.5;
    const exact e = solve(a, second(1.0, 2.0, never));
    for (int speed = 0; speed < 2; speed++) {
        yoke_file *file = read_pair(&e, speed ? "v" : "x", 1e-6);
        yoke_run *run = NULL;
        yoke_err err = { YOKE_OK, "" };
        CHECK_OK(yoke_run_create(&run, yoke_file_model(file),
                                 yoke_file_run_options(file), NULL, &err),
                 &err);
        assert_int_equal(yoke_run_advance(run, stop, &err), YOKE_JOIN);
        assert_non_null(strstr(err.text, "an event of \"a\""));
        assert_non_null(strstr(err.text, "impulse"));
        assert_non_null(strstr(err.text, "t = 1.3"));
        yoke_run_close(run, NULL);
        yoke_file_free(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_that_switch_in_time),
        cmocka_unit_test(forces_that_switch_at_a_level),
        cmocka_unit_test(forces_of_both),
        cmocka_unit_test(velocities_that_stay_equal),
        cmocka_unit_test(shocks_are_refused),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
