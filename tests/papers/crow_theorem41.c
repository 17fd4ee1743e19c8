/* Crow and Ilic 1990, Theorem 4.1: with the same BDF and the same steps in all
 * parts, the discretised sweeps converge if and only if the algebraic
 * relaxation converges at every step, that is, if the eigenvalues of
 *
 *     h (E - h M)^-1 N,     A = M - N,  M block diagonal,
 *
 * lie inside the unit circle (h stands for 2h/3 with BDF2).  In the proof,
 * "since it is assumed that the WR iterates converge" must read "the algebraic
 * iterates".
 *
 * Random systems E x' = A x + r with two parts of three unknowns, the third of
 * each algebraic; four points per window (003.theorem41).  The verdict of the
 * eigenvalues is compared with that of actual sweeps.
 */
#include "crow_system.h"

#include "base/base.h"

#include <lapacke.h>

enum { N = 3, ALL = 2 * N, CASES = 240, POINTS = 4, SWEEPS = 300 };

/* The start is exact for zero solutions: r = 0 on the first step, which BDF2
 * makes by another method, and r = `load` after it. */
typedef struct problem {
    int order;
    double h;
    double a[ALL][ALL];
    double load[2][N];
} problem;

typedef struct load {
    const double *value;
    double begin;
} load;

static void step_load(void *context, double t, double *r)
{
    const load *l = context;

    for (int i = 0; i < N; i++) r[i] = t > l->begin ? l->value[i] : 0.0;
}

static double normal_like(unsigned long long *seed)
{
    return 2.0 * (yk_random(seed) + yk_random(seed) + yk_random(seed)) - 3.0;
}

static problem random_problem(unsigned long long *seed)
{
    problem p = { 0 };

    p.order = yk_random(seed) < 0.5 ? 1 : 2;
    p.h = pow(10.0, -2.5 * yk_random(seed));
    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < ALL; j++) p.a[i][j] = normal_like(seed);
    for (int i = 0; i < N; i++) {
        p.load[0][i] = normal_like(seed);
        p.load[1][i] = normal_like(seed);
    }
    return p;
}

/* ---- by eigenvalues ----------------------------------------------------- */

/* (E - h M)^-1 h N for one step; Gauss elimination by LAPACK. */
static void relaxation_matrix(const problem *p, double *m, double *n)
{
    const double h = p->order == 1 ? p->h : p->h * 2.0 / 3.0;

    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < ALL; j++) {
            const bool own = i / N == j / N;
            const double e = i == j && i % N < 2 ? 1.0 : 0.0;
            m[ALL * i + j] = own ? e - h * p->a[i][j] : 0.0;
            n[ALL * i + j] = own ? 0.0 : h * p->a[i][j];
        }
}

static double spectral_radius(const problem *p)
{
    double m[ALL * ALL], n[ALL * ALL], re[ALL], im[ALL], radius = 0.0;
    lapack_int pivot[ALL];

    relaxation_matrix(p, m, n);
    assert_int_equal(
        LAPACKE_dgesv(LAPACK_ROW_MAJOR, ALL, ALL, m, ALL, pivot, n, ALL), 0);
    assert_int_equal(LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', ALL, n, ALL, re,
                                   im, NULL, ALL, NULL, ALL),
                     0);
    for (int i = 0; i < ALL; i++) radius = fmax(radius, hypot(re[i], im[i]));
    return radius;
}

/* ---- by sweeps ---------------------------------------------------------- */

static yoke_system *part(const problem *p, int which, const load *l)
{
    static const double e[N * N] = { 1, 0, 0, 0, 1, 0, 0, 0, 0 };
    double a[N * N], b[N * N];
    const yoke_linear linear = {
        .n = N,
        .m = N,
        .E = e,
        .A = a,
        .B = b,
        .source = step_load,
        .context = (void *)(uintptr_t)l,
    };
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[N * i + j] = p->a[N * which + i][N * which + j];
            b[N * i + j] = p->a[N * which + i][N * (1 - which) + j];
        }
    CHECK_OK(yoke_linear_create(&system, which ? "q" : "p", &linear, &err),
             &err);
    return system;
}

static yoke_model *two_parts(const problem *p, const load l[2])
{
    const yoke_stepper_options stepper =
        fixed_stepper(p->order == 1 ? "bdf1" : "bdf2", p->h);
    yoke_model *model = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_model_create(&model, &err), &err);
    for (int which = 0; which < 2; which++)
        CHECK_OK(
            yoke_model_add(model, part(p, which, &l[which]), &stepper, &err),
            &err);
    for (int i = 1; i <= N; i++)
        for (int which = 0; which < 2; which++) {
            char to[16], from[16];
            snprintf(to, sizeof to, "%c.u%d", which ? 'q' : 'p', i);
            snprintf(from, sizeof from, "%c.x%d", which ? 'p' : 'q', i);
            CHECK_OK(
                yoke_graph_signal(yoke_model_graph(model), to, from, 1.0, &err),
                &err);
        }
    return model;
}

/* Changes of SWEEPS sweeps over the points h ... (POINTS + 1) h.  False: they
 * became infinite. */
static bool sweep_window(const problem *p, history *past)
{
    const load l[2] = { { p->load[0], 1.5 * p->h },
                        { p->load[1], 1.5 * p->h } };
    yoke_model *model = two_parts(p, l);
    yoke_run_options options = one_window((POINTS + 1) * p->h, "p, q");
    const yoke_watcher watcher = { .sweep = note_sweep, .context = past };
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };

    *past = (history){ 0 };
    options.iterate.stop = YOKE_STOP_COUNT;
    options.iterate.max_sweeps = SWEEPS;
    CHECK_OK(yoke_run_create(&run, model, &options, &watcher, &err), &err);
    CHECK_OK(yoke_run_advance(run, p->h, &err), &err);
    const yoke_status status = yoke_run_advance(run, options.stop, &err);
    if (status != YOKE_OK) {
        CHECK_STATUS(status, YOKE_RETRY, &err);
        CHECK_CONTAINS(err.text, "not finite");
    }
    yoke_run_close(run, NULL);
    yoke_model_free(model);
    return status == YOKE_OK;
}

/* Of all six unknowns; of two sweeps, for some stand still in one of them. */
static double change_near(const history *past, int k)
{
    double most = 0.0;

    for (int v = 0; v < ALL; v++)
        most = fmax(most, fmax(past->variable[v][k], past->variable[v][k - 1]));
    return most;
}

/* Mean reduction per sweep over the last half, 0 if rounding was reached. */
static double measured_rate(const history *past)
{
    double most = 0.0;

    for (int k = 1; k <= SWEEPS; k++) most = fmax(most, change_near(past, k));
    assert_true(most > 0.0);
    if (change_near(past, SWEEPS) <= 1e-12 * most) return 0.0;
    return pow(change_near(past, SWEEPS) / change_near(past, SWEEPS / 2),
               2.0 / SWEEPS);
}

/* ---- tests -------------------------------------------------------------- */

typedef struct tally {
    int convergent, divergent, overflown, close, disagree;
    double worst; /* |rate / rho - 1| of the divergent ones */
} tally;

/* On four points the powers grow like k^3 rho^k: over the last 150 of 300
 * sweeps up to 2^(3/150) = 1.014 per sweep.  Closer to 1 than this a
 * measurement of 300 sweeps says nothing. */
static const double margin = 0.02;

static void judge(const problem *p, tally *t)
{
    static history past;
    const double rho = spectral_radius(p);

    if (fabs(rho - 1.0) < margin) {
        print_message("rho = %.5f is too close to 1 for %d sweeps: skipped\n",
                      rho, SWEEPS);
        t->close++;
        return;
    }
    const bool finite = sweep_window(p, &past);
    const double rate = finite ? measured_rate(&past) : INFINITY;
    t->convergent += rho < 1.0;
    t->divergent += rho > 1.0;
    t->overflown += !finite;
    if ((rate < 1.0) != (rho < 1.0)) {
        print_message("BDF%d, h = %g: rho %.6f, measured %.6f\n", p->order,
                      p->h, rho, rate);
        t->disagree++;
    }
    if (finite && rho > 1.0) t->worst = fmax(t->worst, fabs(rate / rho - 1.0));
}

static void eigenvalues_and_sweeps_agree(void **state)
{
    unsigned long long seed = 1990;
    tally t = { 0 };

    (void)state;
    for (int i = 0; i < CASES; i++) {
        const problem p = random_problem(&seed);
        judge(&p, &t);
    }
    print_message("%d convergent, %d divergent (%d to infinity), %d too close "
                  "to call, %d disagree; rates within %.2g\n",
                  t.convergent, t.divergent, t.overflown, t.close, t.disagree,
                  t.worst);
    assert_int_equal(t.disagree, 0);
    assert_true(t.convergent >= 50 && t.divergent >= 50);
    assert_true(t.close <= CASES / 20);
    CHECK_BETWEEN(t.worst, 0.0, 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_and_sweeps_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
