/* bench/12_port_hamiltonian/main.c -- coupled port-Hamiltonian systems: sweeps,
 * work and time of Algorithm 1 of Bartel, Guenther, Jacob and Reis and of what
 * makes it faster, until the stages agree with those of the whole system to
 * 1e-10 of their norm in every window.
 */
#include "papers/ph_chain.h"

#include <stdio.h>
#include <string.h>

typedef enum way {
    PAPER,        /* Algorithm 1, parameters of the paper */
    BEST_LAMBDA,  /* the same with lambda* */
    MATRIX,       /* matrix-valued lambda */
    JACOBI,       /* plain exchange, all at once */
    GAUSS_SEIDEL, /* plain exchange, colour by colour */
    WAVES_JACOBI, /* port waves, all at once */
    WAVES,        /* port waves, colour by colour */
    WAVES_GMRES,  /* with GMRES */
    DIRECT,       /* condensed ports */
    MONOLITHIC,   /* all as one system */
    WAYS
} way;

static const char *const way_name[WAYS] = {
    "algorithm-1",  "lambda-star", "matrix-lambda", "jacobi", "gauss-seidel",
    "waves-jacobi", "waves",       "waves-gmres",   "direct", "monolithic"
};

typedef struct problem {
    const char *name;
    void (*make)(ph_problem *p);
    double T;
    int steps, windows;
    double mu, alpha, lambda; /* of the paper; lambda 0: lambda* */
} problem;

enum { MOST_SWEEPS = 450 };
static const double tol = 1e-10;

static void make_example_12(ph_problem *p)
{
    ph_two(p, 15.0, 0.01, 1.0, 1.0);
}

static void make_circuit(ph_problem *p)
{
    ph_circuit(p, 4);
}

static void make_chain(ph_problem *p)
{
    ph_chain(p, 16, 8);
}

static void make_ladder(ph_problem *p)
{
    ph_ladder(p, 16, 6);
}

static void make_large(ph_problem *p)
{
    ph_chain(p, 256, 39);
}

static const problem problems[] = {
    { "figure-4", ph_masses, 10.0, 2000, 20, 2.0, 0.5, 1.5 },
    { "figure-6", make_circuit, 0.02, 2000, 5, 1.0, 0.2, 1.2 },
    { "example-12", make_example_12, 10.0, 10000, 100, 2.0, 1.0, 0.0 },
    { "chain-16", make_chain, 4.0, 400, 16, 2.0, 0.5, 0.0 },
    { "ladder-16", make_ladder, 4.0, 400, 16, 2.0, 0.5, 0.0 },
    { "chain-256", make_large, 1.0, 100, 4, 2.0, 0.5, 0.0 },
};

/* ---- one window ---------------------------------------------------------- */

typedef struct methods {
    yk_window *w;
    yk_waves *waves;
    yk_ports *ports;
    yk_gmres *gmres;
    yk_direct *direct;
    yk_mercier *mercier;
    yk_lti *whole;
    double *f, *e1;
    double **X;
    double size;
} methods;

static bool close_enough(void *context, const yk_wave_sweep *s)
{
    const methods *m = context;

    (void)s;
    return ph_distance(m->w, 0.0, m->w->X, m->X) <= tol * m->size;
}

static void make(methods *m, const ph_problem *p, const problem *q, way how,
                 int steps, double length)
{
    const yk_rk *rk = yk_rk_find("implicit-midpoint");
    const bool ordered =
        how == WAVES || how == WAVES_GMRES || how == GAUSS_SEIDEL;
    const double h = length / steps;
    yoke_err err = { YOKE_OK, "" };
    yk_guarantee g;

    CHECK_OK(yk_window_create(&m->w, p->net, rk, steps, &err), &err);
    m->X = ph_stages(p->net, steps);
    CHECK_OK(yk_doubles(&m->e1, (size_t)p->net->n, &err), &err);
    if (how <= MATRIX) {
        yk_bounds b;
        CHECK_OK(yk_bounds_find(p->net, q->alpha, q->mu, 0.0, &b, &err), &err);
        const yk_mercier_options o = { .alpha = how == MATRIX ? 0.0 : q->alpha,
                                       .mu = q->mu,
                                       .omega = yk_rk_omega(rk, q->mu, h),
                                       .lambda =
                                           how == MATRIX ? 0.0
                                           : how == PAPER && q->lambda > 0.0
                                               ? q->lambda
                                               : b.lambda };
        CHECK_OK(yk_mercier_create(&m->mercier, p->net, m->w, &o, &err), &err);
        return;
    }
    if (how == MONOLITHIC) return;
    CHECK_OK(yk_waves_create(&m->waves, p->net, m->w, ordered, &err), &err);
    CHECK_OK(yk_ports_create(&m->ports, p->net, &err), &err);
    CHECK_OK(yk_ports_choose(m->ports, rk, h, length, 30.0, tol, ordered, 0.0,
                             &g, &err),
             &err);
    CHECK_OK(how == JACOBI || how == GAUSS_SEIDEL
                 ? yk_waves_plain(m->waves, &err)
                 : yk_waves_match(m->waves, m->ports, &g, &err),
             &err);
    CHECK_OK(yk_gmres_create(&m->gmres, m->waves, 40, &err), &err);
    CHECK_OK(yk_direct_create(&m->direct, m->waves, &err), &err);
}

static void clear(methods *m, const yk_ph_net *net)
{
    ph_stages_free(net, m->X);
    yk_free(m->e1);
    yk_mercier_free(m->mercier);
    yk_gmres_free(m->gmres);
    yk_direct_free(m->direct);
    yk_waves_free(m->waves);
    yk_ports_free(m->ports);
    yk_window_free(m->w);
}

/* Sweeps of the window, or a negative number: not within MOST_SWEEPS. */
static int solve(methods *m, way how, const double *x0, int before)
{
    yk_wave_test test = { .rtol = 1e-300,
                          .fraction = 1.0,
                          .max_sweeps = MOST_SWEEPS,
                          .watch = close_enough,
                          .context = m };
    yk_wave_result r = { 0 };
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;

    if (how <= MATRIX) {
        CHECK_OK(yk_mercier_ready(m->mercier, &err), &err);
        yk_mercier_guess(m->mercier, x0);
        status = yk_mercier_iterate(m->mercier, &test, &r, &err);
    } else {
        CHECK_OK(yk_waves_ready(m->waves, &err), &err);
        if (before > 0)
            yk_waves_guess(m->waves, before, 0);
        else
            yk_waves_begin(m->waves, x0);
        if (how == WAVES_GMRES) {
            test.rtol = tol;
            test.watch = NULL;
            status = yk_gmres_iterate(m->gmres, m->waves, &test, &r, &err);
        } else if (how == DIRECT)
            CHECK_OK(yk_direct_solve(m->direct, m->waves, &r, &err), &err);
        else
            status = yk_waves_iterate(m->waves, &test, &r, &err);
    }
    return status == YOKE_OK && close_enough(m, NULL) ? r.sweeps : -r.sweeps;
}

/* ---- a run --------------------------------------------------------------- */

static void put(const problem *q, way how, int windows, const char *what,
                double value)
{
    char name[80];

    snprintf(name, sizeof name, "%s-%s-%d", q->name, way_name[how], windows);
    bench_put(name, what, value);
}

/* What is left of the values at the start for guesses of z. */
static void recover(const ph_problem *p, const methods *m, double *x)
{
    for (int i = 0; i < p->net->blocks; i++) {
        const int n = p->net->block[i].n;
        memcpy(x + p->net->first[i],
               m->w->X[i] + (size_t)(m->w->points - 1) * (size_t)n,
               (size_t)n * sizeof *x);
    }
}

static void run(const ph_problem *p, const problem *q, way how, int windows)
{
    const int steps = q->steps / windows;
    const double length = q->T / windows;
    methods m = { 0 };
    double *x = bench_new((size_t)p->net->n, sizeof *x);
    double sweeps = 0.0, seconds = 0.0;
    bool good = true;

    make(&m, p, q, how, steps, length);
    memcpy(x, p->x0, (size_t)p->net->n * sizeof *x);
    ph_begin(p, m.w);
    for (int k = 0; k < windows && good; k++) {
        yk_window_place(m.w, k * length, (k + 1) * length, steps, NULL);
        double begin = bench_clock();
        ph_monolithic(p, m.w, m.X, m.e1);
        if (how == MONOLITHIC) {
            seconds += bench_clock() - begin;
            sweeps += 1.0;
            memcpy(m.w->e0, m.e1, (size_t)p->net->n * sizeof *x);
            continue;
        }
        m.size = ph_distance(m.w, 0.0, m.X, NULL);
        begin = bench_clock();
        const int count = solve(&m, how, x, k > 0 ? steps : 0);
        seconds += bench_clock() - begin;
        good = count > 0;
        sweeps += abs(count);
        recover(p, &m, x);
        memcpy(m.w->e0, m.w->e1, (size_t)p->net->n * sizeof *x);
    }
    put(q, how, windows, "converged", good);
    put(q, how, windows, "sweeps", good ? sweeps / windows : INFINITY);
    put(q, how, windows, "solves", (double)m.w->work.solves);
    put(q, how, windows, "seconds", seconds);
    printf("%-12s %-14s %4d windows  %8.2f sweeps%s %10ld solves %9.4f s\n",
           q->name, way_name[how], windows, sweeps / windows, good ? " " : "+",
           m.w->work.solves, seconds);
    free(x);
    clear(&m, p->net);
}

int main(int count, char **text)
{
    const bench_arguments a = bench_read_arguments(count, text);
    const size_t all = sizeof problems / sizeof *problems;

    bench_open(a.file);
    for (size_t k = 0; k < (a.quick ? 3 : all); k++) {
        const problem *q = &problems[k];
        const bool large = strcmp(q->name, "chain-256") == 0;
        ph_problem p = { 0 };
        q->make(&p);
        for (int how = 0; how < WAYS; how++) {
            if (large && how < GAUSS_SEIDEL) continue;
            if (!large && how != MONOLITHIC) run(&p, q, (way)how, 1);
            run(&p, q, (way)how, q->windows);
        }
        ph_clear(&p);
    }
    bench_close();
    return 0;
}
