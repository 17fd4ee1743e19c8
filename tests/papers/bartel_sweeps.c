/* tests/papers/bartel_sweeps.c -- the port-wave exchange on the systems of
 * Bartel, Guenther, Jacob and Reis (2022): sweeps until the stages differ from
 * those of the whole system by 1e-10, relative, and what is guaranteed. */
#include "ph_chain.h"

typedef enum way { PLAIN, WAVES, WAVES_JACOBI, GMRES, DIRECT } way;

typedef struct counts {
    double mean, worst; /* sweeps per window */
    double final;       /* error of E x at the end, relative */
    yk_guarantee promise;
} counts;

typedef struct watch {
    const yk_window *w;
    double **X;
    double size, tol;
} watch;

static bool close_enough(void *context, const yk_wave_sweep *s)
{
    const watch *v = context;

    (void)s;
    return ph_distance(v->w, 0.0, v->w->X, v->X) <= v->tol * v->size;
}

static double largest(int n, const double *a, const double *b)
{
    double most = 0.0;

    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - (b ? b[i] : 0.0)));
    return most;
}

/* `windows` windows of `steps` steps each over [0, T].  Each begins with waves
 * that are constant at their last value (in the first, zero) and ends when the
 * true error is small; `proven`: when the bound says so. */
static counts run(const ph_problem *p, way how, double T, int windows,
                  int steps, double tol, bool proven)
{
    const yk_rk *rk = yk_rk_find("implicit-midpoint");
    const double length = T / windows;
    const bool ordered = how == WAVES || how == GMRES;
    yk_window *w = NULL;
    yk_waves *waves = NULL;
    yk_ports *ports = NULL;
    yk_gmres *gmres = NULL;
    yk_direct *direct = NULL;
    yoke_err err = { YOKE_OK, "" };
    double *e1 = NULL, *exact = NULL;
    counts c = { 0 };

    CHECK_OK(yk_window_create(&w, p->net, rk, steps, &err), &err);
    CHECK_OK(yk_waves_create(&waves, p->net, w, ordered, &err), &err);
    CHECK_OK(yk_ports_create(&ports, p->net, &err), &err);
    CHECK_OK(yk_ports_choose(ports, rk, length / steps, length, 30.0, tol,
                             ordered, 0.0, &c.promise, &err),
             &err);
    CHECK_OK(how == PLAIN ? yk_waves_plain(waves, &err)
                          : yk_waves_match(waves, ports, &c.promise, &err),
             &err);
    CHECK_OK(yk_gmres_create(&gmres, waves, 40, &err), &err);
    CHECK_OK(yk_direct_create(&direct, waves, &err), &err);
    CHECK_OK(yk_doubles(&e1, (size_t)p->net->n, &err), &err);
    CHECK_OK(yk_doubles(&exact, (size_t)p->net->n, &err), &err);
    double **X = ph_stages(p->net, steps);
    ph_begin(p, w);
    memcpy(exact, w->e0, (size_t)p->net->n * sizeof *exact);
    for (int k = 0; k < windows; k++) {
        yk_wave_result r = { 0 };
        yk_window_place(w, k * length, (k + 1) * length, steps, NULL);
        CHECK_OK(yk_waves_ready(waves, &err), &err);
        /* the exact run goes on from its own values, for `final` */
        double *own = w->e0;
        w->e0 = exact;
        ph_monolithic(p, w, X, e1);
        memcpy(exact, e1, (size_t)p->net->n * sizeof *exact);
        w->e0 = own;
        ph_monolithic(p, w, X, e1);
        watch v = { w, X, ph_distance(w, 0.0, X, NULL), tol };
        const yk_wave_test test = { .rtol = proven ? tol : 1e-300,
                                    .atol = 0.0,
                                    .fraction = 1.0,
                                    .max_sweeps = 2000,
                                    .watch = proven ? NULL : close_enough,
                                    .context = &v };
        if (k > 0) yk_waves_guess(waves, steps, 0);
        if (how == GMRES)
            CHECK_OK(yk_gmres_iterate(gmres, waves,
                                      &(yk_wave_test){ .rtol = tol,
                                                       .fraction = 1.0,
                                                       .max_sweeps = 2000 },
                                      &r, &err),
                     &err);
        else if (how == DIRECT)
            CHECK_OK(yk_direct_solve(direct, waves, &r, &err), &err);
        else
            CHECK_OK(yk_waves_iterate(waves, &test, &r, &err), &err);
        CHECK_BETWEEN(ph_distance(w, 0.0, w->X, X), 0.0,
                      tol * v.size * (proven ? 30.0 : 1.0) + 1e-300);
        c.mean += (double)r.sweeps / windows;
        c.worst = fmax(c.worst, r.sweeps);
        memcpy(w->e0, w->e1, (size_t)p->net->n * sizeof *w->e0);
    }
    c.final =
        largest(p->net->n, w->e0, exact) / largest(p->net->n, exact, NULL);
    ph_stages_free(p->net, X);
    yk_free(e1);
    yk_free(exact);
    yk_gmres_free(gmres);
    yk_direct_free(direct);
    yk_waves_free(waves);
    yk_ports_free(ports);
    yk_window_free(w);
    return c;
}

/* Without windows: as many sweeps as the reference, plus or minus one. */
static void one_window(void **state)
{
    ph_problem p = { 0 };

    (void)state;
    ph_masses(&p);
    CHECK_BETWEEN(run(&p, PLAIN, 10.0, 1, 2000, 1e-10, false).mean, 49, 51);
    CHECK_BETWEEN(run(&p, WAVES_JACOBI, 10.0, 1, 2000, 1e-10, false).mean, 29,
                  31);
    const counts c = run(&p, WAVES, 10.0, 1, 2000, 1e-10, false);
    CHECK_BETWEEN(c.mean, 15, 17);
    CHECK_NEAR(c.promise.mu, 3.16, 0.35); /* flat: the grid there is coarse */
    CHECK_NEAR(2.0 * c.promise.sweeps, 34.2, 0.3);
    ph_clear(&p);
    ph_circuit(&p, 4);
    CHECK_BETWEEN(run(&p, PLAIN, 0.02, 1, 2000, 1e-10, false).mean, 3, 5);
    CHECK_BETWEEN(run(&p, WAVES_JACOBI, 0.02, 1, 2000, 1e-10, false).mean, 3,
                  5);
    CHECK_BETWEEN(run(&p, WAVES, 0.02, 1, 2000, 1e-10, false).mean, 2, 3);
    ph_clear(&p);
}

/* Algorithm 1 with the parameters of the paper, over one window. */
static int mercier_sweeps(const ph_problem *p, double T, int steps,
                          const yk_mercier_options *o)
{
    const yk_rk *rk = yk_rk_find("implicit-midpoint");
    yk_window *w = NULL;
    yk_mercier *m = NULL;
    yoke_err err = { YOKE_OK, "" };
    double *e1 = NULL;

    CHECK_OK(yk_window_create(&w, p->net, rk, steps, &err), &err);
    yk_window_place(w, 0.0, T, steps, NULL);
    ph_begin(p, w);
    double **X = ph_stages(p->net, steps);
    CHECK_OK(yk_doubles(&e1, (size_t)p->net->n, &err), &err);
    ph_monolithic(p, w, X, e1);
    const double size = ph_distance(w, 0.0, X, NULL);
    CHECK_OK(yk_mercier_create(&m, p->net, w, o, &err), &err);
    CHECK_OK(yk_mercier_ready(m, &err), &err);
    yk_mercier_guess(m, p->x0);
    int sweeps = 0;
    do CHECK_OK(yk_mercier_sweep(m, false, &err), &err);
    while (++sweeps < 400 && ph_distance(w, 0.0, w->X, X) > 1e-10 * size);
    ph_stages_free(p->net, X);
    yk_free(e1);
    yk_mercier_free(m);
    yk_window_free(w);
    return sweeps;
}

static void algorithm_1(void **state)
{
    ph_problem p = { 0 };

    (void)state;
    ph_masses(&p);
    CHECK_BETWEEN(mercier_sweeps(&p, 10.0, 2000,
                                 &(yk_mercier_options){ .alpha = 0.5,
                                                        .mu = 2.0,
                                                        .omega = 2.2,
                                                        .lambda = 1.5 }),
                  119, 121);
    ph_clear(&p);
    ph_circuit(&p, 4);
    CHECK_BETWEEN(mercier_sweeps(&p, 0.02, 2000,
                                 &(yk_mercier_options){ .alpha = 0.2,
                                                        .mu = 1.0,
                                                        .omega = 2.2,
                                                        .lambda = 1.2 }),
                  141, 143);
    ph_clear(&p);
    ph_two(&p, 15.0, 0.01, 1.0, 1.0);
    CHECK_BETWEEN(
        mercier_sweeps(&p, 10.0, 4000,
                       &(yk_mercier_options){ .alpha = 1.0,
                                              .mu = 2.0,
                                              .omega = 2.0,
                                              .lambda = 1.0 / sqrt(229.0) }),
        281, 287);
    ph_clear(&p);
}

/* The numbers that matter, with windows, colour by colour. */
static void few_sweeps_per_window(void **state)
{
    ph_problem p = { 0 };

    (void)state;
    ph_masses(&p);
    counts c = run(&p, WAVES, 10.0, 20, 100, 1e-10, false);
    print_message("Figure 4: %.2f sweeps per window, final %.1e\n", c.mean,
                  c.final);
    CHECK_BETWEEN(c.mean, 0, 6);
    CHECK_BETWEEN(c.final, 0, 1e-8);
    c = run(&p, WAVES, 10.0, 40, 50, 1e-10, true);
    print_message("Figure 4, proven: %.2f\n", c.mean);
    CHECK_BETWEEN(c.mean, 0, 6);
    ph_clear(&p);

    ph_circuit(&p, 4);
    c = run(&p, WAVES, 0.02, 5, 400, 1e-10, false);
    print_message("Figure 6: %.2f, final %.1e\n", c.mean, c.final);
    CHECK_BETWEEN(c.mean, 0, 4);
    c = run(&p, WAVES, 0.02, 5, 400, 1e-10, true);
    print_message("Figure 6, proven: %.2f\n", c.mean);
    CHECK_BETWEEN(c.mean, 0, 4);
    ph_clear(&p);

    ph_two(&p, 15.0, 0.01, 1.0, 1.0);
    c = run(&p, WAVES, 10.0, 100, 100, 1e-10, false);
    print_message("Example 12, T = 10: %.2f, final %.1e\n", c.mean, c.final);
    CHECK_BETWEEN(c.mean, 0, 8);
    c = run(&p, WAVES, 10.0, 200, 50, 1e-10, true);
    print_message("Example 12, proven: %.2f\n", c.mean);
    CHECK_BETWEEN(c.mean, 0, 8);
    ph_clear(&p);
}

/* Independent of the number of subsystems. */
static void many_subsystems(void **state)
{
    static const int blocks[] = { 2, 16, 256 };

    (void)state;
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        ph_problem p = { 0 };
        ph_chain(&p, blocks[k], 39);
        counts c = run(&p, WAVES, 2.0, 8, 25, 1e-10, false);
        print_message("chain of %d blocks, n = %d: %.2f, final %.1e\n",
                      blocks[k], p.net->n, c.mean, c.final);
        CHECK_BETWEEN(c.mean, 0, 8);
        ph_clear(&p);
        ph_ladder(&p, blocks[k], 26);
        c = run(&p, WAVES, 2.0, 8, 25, 1e-10, false);
        print_message("ladder of %d blocks, n = %d: %.2f, final %.1e\n",
                      blocks[k], p.net->n, c.mean, c.final);
        CHECK_BETWEEN(c.mean, 0, 8);
        ph_clear(&p);
    }
}

/* The condensed ports: exact, two sweeps per window after the impulses. */
static void direct_is_exact(void **state)
{
    ph_problem p = { 0 };

    (void)state;
    ph_masses(&p);
    counts c = run(&p, DIRECT, 10.0, 20, 100, 1e-12, false);
    CHECK_NEAR(c.mean, 2.0 + 1.0 / 20, 1e-12);
    CHECK_BETWEEN(c.final, 0, 1e-11);
    ph_clear(&p);
    ph_circuit(&p, 4);
    CHECK_BETWEEN(run(&p, DIRECT, 0.02, 1, 2000, 1e-11, false).mean, 3, 3);
    ph_clear(&p);
    ph_ladder(&p, 8, 6);
    c = run(&p, DIRECT, 2.0, 8, 25, 1e-12, false);
    CHECK_NEAR(c.mean, 2.0 + 2.0 / 8, 1e-12);
    ph_clear(&p);
}

/* Two blocks coupled through algebraic variables: Jacobi diverges for every
 * window, q does not become small; GMRES helps. */
static void gyrator(void **state)
{
    const double E[4] = { 1, 0, 0, 0 }, J[4] = { 0, -1, 1, 0 };
    const double R[4] = { 0.2, 0, 0, 0.5 }, B[2] = { 0, 1 };
    const double x0[2] = { 1.0, 0.0 }, x1[2] = { -0.5, 0.0 };
    ph_problem p = { 0 };

    (void)state;
    p.count = 2;
    p.system[0] = ph_dense("a", 2, 1, 0, E, J, R, NULL, B, NULL, NULL, x0);
    p.system[1] = ph_dense("b", 2, 1, 0, E, J, R, NULL, B, NULL, NULL, x1);
    ph_net(&p, 2, ph_cross);
    const counts c = run(&p, WAVES, 20.0, 20, 100, 1e-10, false);
    const counts g = run(&p, GMRES, 20.0, 20, 100, 1e-10, false);
    print_message("algebraic coupling: q = %.3f, %.2f sweeps, GMRES %.2f\n",
                  c.promise.q, c.mean, g.mean);
    CHECK_NEAR(c.promise.q, sqrt(1.25) - 0.5, 0.06);
    CHECK_BETWEEN(g.mean, 0, 11); /* to the proven bound */
    CHECK_BETWEEN(g.mean, 0, 0.6 * c.mean);
    ph_clear(&p);
}

/* ---- what is guaranteed -------------------------------------------------- */

/* The largest ratio of the errors of two sweeps from random errors, all blocks
 * at once, in the norm of the proof. */
static double worst_ratio(const ph_problem *p, const char *method, double T,
                          int steps, double mu, double *q)
{
    const yk_rk *rk = yk_rk_find(method);
    yk_window *w = NULL;
    yk_waves *waves = NULL;
    yk_ports *ports = NULL;
    yoke_err err = { YOKE_OK, "" };
    yk_guarantee g;
    double worst = 0.0;
    unsigned long long seed = 5;

    CHECK_OK(yk_window_create(&w, p->net, rk, steps, &err), &err);
    CHECK_OK(yk_waves_create(&waves, p->net, w, false, &err), &err);
    CHECK_OK(yk_ports_create(&ports, p->net, &err), &err);
    CHECK_OK(yk_ports_choose(ports, rk, T / steps, T, 30.0, 1e-10, false, mu,
                             &g, &err),
             &err);
    assert_true(isfinite(g.omega));
    CHECK_OK(yk_waves_match(waves, ports, &g, &err), &err);
    yk_window_place(w, 0.0, T, steps, NULL);
    CHECK_OK(yk_waves_ready(waves, &err), &err);
    for (int k = 0; k < 2 * p->net->pairs; k++)
        for (int i = 0; i < w->points; i++)
            waves->g[k][i] =
                (yk_random(&seed) - 0.5) * exp(g.omega * (w->t[i] - w->t0));
    double before = 0.0;
    for (int k = 0; k < 16; k++) {
        double now = 0.0;
        for (int i = 0; i < 2 * p->net->pairs; i++)
            now += waves->weight[i] *
                   yk_window_square(w, g.omega, waves->g[i], NULL);
        if (k > 0) worst = fmax(worst, sqrt(now / before));
        before = now;
        if (before < 1e-200) break;
        CHECK_OK(yk_waves_sweep(waves, true, &err), &err);
        yk_waves_take(waves);
    }
    *q = g.q;
    yk_waves_free(waves);
    yk_ports_free(ports);
    yk_window_free(w);
    return worst;
}

static void one_sweep_contracts_by_q(void **state)
{
    static const char *const method[] = { "implicit-midpoint", "implicit-euler",
                                          "radau3" };
    static const double factor[] = { 0.1, 1.0, 3.0 };
    double q = 0.0;

    (void)state;
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 3; k++) {
            ph_problem p = { 0 };
            ph_two(&p, 15.0, 0.01, 1.0, 1.0);
            double ratio =
                worst_ratio(&p, method[m], 0.5, 1500, 52.20314 * factor[k], &q);
            CHECK_BETWEEN(ratio, 0.0, q * (1.0 + 1e-9));
            ph_clear(&p);
            ph_masses(&p);
            ratio = worst_ratio(&p, method[m], 10.0, 2000, 3.162278 * factor[k],
                                &q);
            CHECK_BETWEEN(ratio, 0.0, q * (1.0 + 1e-9));
            if (m == 0 && k == 1) {
                CHECK_NEAR(q, 0.2027326, 1e-6);
                CHECK_BETWEEN(ratio, 0.98 * q, q);
            }
            ph_clear(&p);
            ph_circuit(&p, 4);
            ratio =
                worst_ratio(&p, method[m], 0.02, 400, 191.5593 * factor[k], &q);
            CHECK_BETWEEN(ratio, 0.0, q * (1.0 + 1e-9));
            if (m == 0 && k == 1) CHECK_NEAR(q, 0.0159096, 1e-6);
            ph_clear(&p);
            ph_chain(&p, 5, 3);
            ratio = worst_ratio(&p, method[m], 5.0, 800, 2.3 * factor[k], &q);
            CHECK_BETWEEN(ratio, 0.0, q * (1.0 + 1e-9));
            ph_clear(&p);
            ph_ladder(&p, 4, 3);
            ratio = worst_ratio(&p, method[m], 5.0, 800, 1.9 * factor[k], &q);
            CHECK_BETWEEN(ratio, 0.0, q * (1.0 + 1e-9));
            ph_clear(&p);
        }
}

/* Algorithm 1 with the matrix-valued lambda: the same from random errors. */
static void matrix_lambda_contracts_by_q(void **state)
{
    static const struct {
        double mu, alpha, q, measured;
    } part[] = { { 2.0, 0.5, 0.3063372, 0.3030538 },
                 { 0.1, 0.5, 0.8872661, 0.8852859 } };

    (void)state;
    for (int k = 0; k < 2; k++) {
        ph_problem p = { 0 };
        yk_window *w = NULL;
        yk_mercier *m = NULL;
        yoke_err err = { YOKE_OK, "" };
        unsigned long long seed = 3;
        double before = 0.0, worst = 0.0;
        ph_masses(&p);
        CHECK_OK(yk_window_create(&w, p.net, yk_rk_find("implicit-midpoint"),
                                  2000, &err),
                 &err);
        yk_window_place(w, 0.0, 10.0, 2000, NULL);
        const double omega = yk_rk_omega(w->rk, part[k].mu, w->h);
        CHECK_OK(
            yk_mercier_create(&m, p.net, w,
                              &(yk_mercier_options){ .alpha = part[k].alpha,
                                                     .mu = part[k].mu,
                                                     .omega = omega },
                              &err),
            &err);
        CHECK_NEAR(m->q, part[k].q, 1e-6);
        CHECK_OK(yk_mercier_ready(m, &err), &err);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2000 * p.net->block[i].n; j++)
                m->w[i][j] = (yk_random(&seed) - 0.5) *
                             exp(omega * w->t[j / p.net->block[i].n]);
        for (int s = 0; s < 16; s++) {
            const double now = yk_mercier_norm(m, omega, m->w, NULL);
            if (s > 0) worst = fmax(worst, now / before);
            before = now;
            CHECK_OK(yk_mercier_sweep(m, true, &err), &err);
        }
        CHECK_BETWEEN(worst, 0.9 * part[k].measured, part[k].q * (1 + 1e-9));
        yk_mercier_free(m);
        yk_window_free(w);
        ph_clear(&p);
    }
}

/* mu of the grid: implicit Euler (1 - exp(-x)), midpoint 2 tanh(x/2), Radau. */
static void monotone_on_the_grid(void **state)
{
    static const double x[] = { 0.01, 0.1, 0.5, 1.0 };
    static const double radau[] = { 0.009867424, 0.08740081, 0.2488563,
                                    0.2085045 };

    (void)state;
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(yk_rk_monotone(yk_rk_find("implicit-euler"), x[k]),
                   1.0 - exp(-x[k]), 1e-12);
        CHECK_NEAR(yk_rk_monotone(yk_rk_find("implicit-midpoint"), x[k]),
                   2.0 * tanh(0.5 * x[k]), 1e-12);
        CHECK_NEAR(yk_rk_monotone(yk_rk_find("radau3"), x[k]), radau[k], 2e-4);
    }
}

/* Fitted to omega, implicit Euler is monotone for steps for which it is not as
 * it stands: Figure 4, alpha = 1, mu = omega = 2.2, h = 1. */
static void fitted_methods_are_monotone(void **state)
{
    double worst[2] = { 0.0, 0.0 };

    (void)state;
    for (int fitted = 0; fitted < 2; fitted++) {
        ph_problem p = { 0 };
        yk_window *w = NULL;
        yk_mercier *m = NULL;
        yoke_err err = { YOKE_OK, "" };
        unsigned long long seed = 11;
        double before = 0.0;
        ph_masses(&p);
        CHECK_OK(
            yk_window_create(&w, p.net, yk_rk_find("implicit-euler"), 12, &err),
            &err);
        yk_window_place(w, 0.0, 12.0, 12, NULL);
        CHECK_OK(yk_mercier_create(
                     &m, p.net, w,
                     &(yk_mercier_options){ .alpha = 1.0,
                                            .mu = 2.2,
                                            .omega = 2.2,
                                            .lambda = 1.5,
                                            .fitted = fitted ? 2.2 : 0.0 },
                     &err),
                 &err);
        CHECK_OK(yk_mercier_ready(m, &err), &err);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 12 * p.net->block[i].n; j++)
                m->w[i][j] = (yk_random(&seed) - 0.5) *
                             exp(2.2 * w->t[j / p.net->block[i].n]);
        for (int s = 0; s < 16; s++) {
            const double now = yk_mercier_norm(m, 2.2, m->w, NULL);
            if (s > 0) worst[fitted] = fmax(worst[fitted], now / before);
            before = now;
            CHECK_OK(yk_mercier_sweep(m, true, &err), &err);
        }
        yk_mercier_free(m);
        yk_window_free(w);
        ph_clear(&p);
    }
    CHECK_BETWEEN(worst[0], 1.0, 2.0);
    CHECK_BETWEEN(worst[1], 0.0, 0.8133634);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_window),
        cmocka_unit_test(algorithm_1),
        cmocka_unit_test(few_sweeps_per_window),
        cmocka_unit_test(many_subsystems),
        cmocka_unit_test(direct_is_exact),
        cmocka_unit_test(gyrator),
        cmocka_unit_test(one_sweep_contracts_by_q),
        cmocka_unit_test(matrix_lambda_contracts_by_q),
        cmocka_unit_test(monotone_on_the_grid),
        cmocka_unit_test(fitted_methods_are_monotone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
