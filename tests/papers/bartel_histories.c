/* tests/papers/bartel_histories.c -- Algorithm 1 of Bartel, Guenther, Jacob and
 * Reis (2022): errors after k sweeps for Figures 2, 4 and 6, against the same
 * method for the whole system.  The numbers are reproducible to three digits
 * and more; the error of z in the weighted norm never grows. */
#include "ph_problem.h"

typedef struct history {
    int count;
    const int *k;
    const double *x, *z, *zw;
} history;

/* z = Q x - lambda K Q x of the reference, as Q w: w - x + lambda Q^-1 K x. */
static void exact_z(const yk_mercier *m, double *const *X, double **Z)
{
    const yk_ph_net *net = m->net;
    double *x = NULL, *f = NULL;

    CHECK_OK(yk_doubles(&x, (size_t)net->n, NULL), NULL);
    CHECK_OK(yk_doubles(&f, (size_t)net->n, NULL), NULL);
    for (int k = 0; k < m->window->points; k++) {
        for (int i = 0; i < net->blocks; i++)
            memcpy(x + net->first[i],
                   X[i] + (size_t)k * (size_t)net->block[i].n,
                   (size_t)net->block[i].n * sizeof *x);
        /* S x - K x = 2 S x - (S + K) x; then z = lambda times that */
        memset(f, 0, (size_t)net->n * sizeof *f);
        yk_sparse_multiply(&m->S, 2.0, x, f);
        yk_sparse_multiply(&m->M, -1.0, x, f);
        for (int i = 0; i < net->blocks; i++)
            for (int j = 0; j < net->block[i].n; j++)
                Z[i][(size_t)k * (size_t)net->block[i].n + (size_t)j] =
                    m->options.lambda * f[net->first[i] + j];
    }
    yk_free(x);
    yk_free(f);
}

/* Q w at every point. */
static void z_of(const yk_mercier *m, double *const *w, double **Z)
{
    for (int i = 0; i < m->net->blocks; i++) {
        const yk_ph_block *b = &m->net->block[i];
        memset(Z[i], 0, (size_t)m->window->points * (size_t)b->n * sizeof **Z);
        for (int k = 0; k < m->window->points; k++)
            yk_sparse_multiply(&b->Q, 1.0, w[i] + (size_t)k * (size_t)b->n,
                               Z[i] + (size_t)k * (size_t)b->n);
    }
}

static void near(double value, double expected)
{
    const double tol = expected > 1e-9 ? 2e-3 * expected : 1.0;

    if (expected > 1e-9) CHECK_NEAR(value, expected, tol);
}

static void run(const ph_problem *p, double T, int steps,
                const yk_mercier_options *o, const history *h)
{
    const yk_rk *rk = yk_rk_find("implicit-midpoint");
    yk_window *w = NULL;
    yk_mercier *m = NULL;
    yoke_err err = { YOKE_OK, "" };
    double *e1 = NULL, before = INFINITY;
    int at = 0;

    CHECK_OK(yk_window_create(&w, p->net, rk, steps, &err), &err);
    yk_window_place(w, 0.0, T, steps, NULL);
    ph_begin(p, w);
    double **X = ph_stages(p->net, steps), **Z = ph_stages(p->net, steps);
    double **now = ph_stages(p->net, steps);
    CHECK_OK(yk_doubles(&e1, (size_t)p->net->n, &err), &err);
    ph_monolithic(p, w, X, e1);
    CHECK_OK(yk_mercier_create(&m, p->net, w, o, &err), &err);
    CHECK_OK(yk_mercier_ready(m, &err), &err);
    yk_mercier_guess(m, p->x0);
    exact_z(m, X, Z);
    const double size = ph_distance(w, 0.0, X, NULL);
    for (int k = 0; k <= h->k[h->count - 1]; k++) {
        CHECK_OK(yk_mercier_sweep(m, false, &err), &err);
        z_of(m, m->old, now);
        const double zw = ph_distance(w, o->omega, now, Z);
        if (before > 1e-13) CHECK_BETWEEN(zw, 0.0, before * (1.0 + 1e-9));
        if (before > 1e-11 && before < INFINITY)
            CHECK_BETWEEN(zw, 0.0, m->bounds.q * before * (1.0 + 1e-6) + 1e-15);
        before = zw;
        if (k != h->k[at]) continue;
        near(ph_distance(w, 0.0, w->X, X) / size, h->x[at]);
        near(ph_distance(w, 0.0, now, Z), h->z[at]);
        near(zw, h->zw[at]);
        at++;
    }
    yk_mercier_free(m);
    ph_stages_free(p->net, X);
    ph_stages_free(p->net, Z);
    ph_stages_free(p->net, now);
    yk_window_free(w);
    yk_free(e1);
}

#define HISTORY(...)                                                           \
    &(history)                                                                 \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

static void figure_2(void **state)
{
    static const int k[] = { 0, 1, 2, 3, 5, 10, 20 };
    static const struct {
        double nu, q1, lambda, x[7], z[7], zw[7];
    } part[] = {
        { 0.0,
          1.0,
          1.0,
          { 5.252025, 1.926188, 0.3355751, 0.08925057, 0.01145734, 3.666002e-05,
            0 },
          { 6.827928, 8.120886, 1.369097, 0.8673035, 0.0582784, 0.000371142,
            1.020111e-08 },
          { 2.740472, 0.776756, 0.2421879, 0.080664, 0.009127513, 4.440227e-05,
            1.204347e-09 } },
        { 0.0,
          1.5,
          1.0 / 2.1,
          { 2.365875, 0.3917403, 0.08915951, 0.01198745, 0.0002757407,
            4.197525e-08, 0 },
          { 4.518685, 1.222044, 0.3439941, 0.06616366, 0.00141673, 2.587932e-07,
            0 },
          { 1.434545, 0.1597355, 0.02552904, 0.004231523, 0.0001391206,
            3.58199e-08, 0 } },
        { 1.5,
          1.0,
          1.0,
          { 6.118461, 3.755718, 1.001885, 0.4424768, 0.1240349, 0.003308217,
            5.391753e-06 },
          { 8.042349, 15.36863, 4.711181, 4.081303, 0.6906462, 0.0338956,
            6.062594e-05 },
          { 3.479249, 1.522947, 0.7236434, 0.3664154, 0.09553275, 0.003760252,
            6.739346e-06 } },
        { 1.5,
          1.0,
          0.3874921,
          { 3.055368, 1.76971, 0.606618, 0.08309443, 0.005391913, 9.517067e-06,
            0 },
          { 5.018613, 3.762867, 1.872075, 0.4727643, 0.03503305, 7.599759e-05,
            0 },
          { 1.573231, 0.408082, 0.1074062, 0.02805954, 0.002417435,
            6.555028e-06, 0 } },
        { 1.5,
          1.5,
          0.376664,
          { 3.225785, 2.051853, 1.112336, 0.2108946, 0.01847342, 6.21677e-05,
            1.992577e-09 },
          { 5.893561, 5.411415, 2.544597, 1.004916, 0.07317717, 0.0003355428,
            1.472638e-08 },
          { 1.8224, 0.6187914, 0.1832843, 0.05053752, 0.005317611, 3.000857e-05,
            1.407926e-09 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        ph_problem p = { 0 };
        ph_two(&p, part[i].nu, 0.5, part[i].q1, 1.0);
        run(&p, 2.0, 4000,
            &(yk_mercier_options){ .alpha = 1.0,
                                   .mu = 2.1,
                                   .omega = 2.1,
                                   .lambda = part[i].lambda },
            HISTORY(7, k, part[i].x, part[i].z, part[i].zw));
        ph_clear(&p);
    }
}

/* Decoupled with Q = I and lambda = 1/mu: exact after one iteration. */
static void figure_2b_ends_at_once(void **state)
{
    static const int k[] = { 0, 1 };
    static const double x[] = { 2.618864, 0 }, z[] = { 4.0, 0 },
                        zw[] = { 1.379976, 0 };
    ph_problem p = { 0 };

    (void)state;
    ph_two(&p, 0.0, 0.5, 1.0, 1.0);
    run(&p, 2.0, 4000,
        &(yk_mercier_options){
            .alpha = 1.0, .mu = 2.1, .omega = 2.1, .lambda = 1.0 / 2.1 },
        HISTORY(2, k, x, z, zw));
    ph_clear(&p);
}

static void figure_4(void **state)
{
    static const int k[] = { 0, 1, 2, 3, 5, 10, 20, 30, 40, 60, 80, 100 };
    static const double x2[] = { 17746.45, 72199.68,   125168.7,     130641.4,
                                 9860.89,  1009.262,   276.0273,     49.27022,
                                 4.970282, 0.02288538, 5.239266e-05, 0 };
    static const double z2[] = { 0.4411037, 1911.984,    6767.837,     9778.951,
                                 3069.23,   173.2521,    88.77528,     14.62131,
                                 1.573218,  0.009258671, 3.168487e-05, 0 };
    static const double w2[] = { 0.1617768,
                                 0.1088205,
                                 0.07582581,
                                 0.05393416,
                                 0.02789754,
                                 0.005621075,
                                 0.0002385298,
                                 1.014893e-05,
                                 4.266545e-07,
                                 0,
                                 0,
                                 0 };
    static const double x1[] = { 1.255803,     1.066045,     0.785972,
                                 0.6553118,    0.5257122,    0.2867206,
                                 0.04173912,   0.005320267,  0.0007471815,
                                 1.017709e-05, 1.336374e-07, 1.791648e-09 };
    static const double z1[] = { 0.2917448,    0.2471372,   0.2195285,
                                 0.1957989,    0.1632553,   0.1075369,
                                 0.01553042,   0.002752555, 0.0004057648,
                                 7.946684e-06, 1.16443e-07, 1.990438e-09 };
    static const double w1[] = { 0.06724817,   0.03802832,   0.0215412,
                                 0.01378242,   0.006488883,  0.00127568,
                                 7.528627e-05, 6.757306e-06, 9.26071e-07,
                                 3.198411e-08, 1.274665e-09, 0 };
    ph_problem p = { 0 };

    (void)state;
    ph_masses(&p);
    run(&p, 10.0, 8000,
        &(yk_mercier_options){
            .alpha = 0.5, .mu = 2.0, .omega = 2.2, .lambda = 1.5 },
        HISTORY(12, k, x2, z2, w2));
    run(&p, 10.0, 8000,
        &(yk_mercier_options){
            .alpha = 0.5, .mu = 0.1, .omega = 2.2, .lambda = 1.5 },
        HISTORY(12, k, x1, z1, w1));
    ph_clear(&p);
}

static void figure_6(void **state)
{
    static const int k[] = { 0, 1, 2, 3, 5, 10, 20, 30, 50, 100 };
    static const double xa[] = { 0.5647765,    0.3284598,    0.1234737,
                                 0.04321125,   0.006262355,  4.868997e-05,
                                 9.453899e-07, 4.234458e-07, 8.577104e-08,
                                 1.786239e-09 };
    static const double za[] = { 0.07912047,   0.03913952,   0.01361405,
                                 0.004713398,  0.0006923333, 6.436727e-06,
                                 1.583962e-06, 7.040766e-07, 1.391559e-07,
                                 2.428145e-09 };
    static const double wa[] = { 0.07739878,   0.03827646,   0.01331224,
                                 0.004607495,  0.0006765052, 6.287147e-06,
                                 1.549287e-06, 6.886833e-07, 1.361225e-07,
                                 2.375868e-09 };
    static const double xb[] = { 0.5647765,   0.3280875,    0.1239437,
                                 0.04240701,  0.003359791,  0.003034026,
                                 0.001319569, 0.0005808594, 0.0001125513,
                                 1.860168e-06 };
    static const double zb[] = { 0.08237441,  0.04480679,  0.02444544,
                                 0.01916943,  0.01571369,  0.0104248,
                                 0.004588577, 0.002019731, 0.0003913139,
                                 6.465587e-06 };
    static const double wb[] = { 0.08058076,  0.04381962,  0.02390671,
                                 0.01874763,  0.01536847,  0.01019579,
                                 0.004487781, 0.001975367, 0.0003827196,
                                 6.323628e-06 };
    const yk_mercier_options o = {
        .alpha = 0.2, .mu = 1.0, .omega = 2.2, .lambda = 1.2
    };
    ph_problem p = { 0 };

    (void)state;
    ph_circuit(&p, 4);
    run(&p, 0.02, 8000, &o, HISTORY(10, k, xa, za, wa));
    ph_clear(&p);
    ph_circuit(&p, 3);
    run(&p, 0.02, 8000, &o, HISTORY(10, k, xb, zb, wb));
    ph_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_2),
        cmocka_unit_test(figure_2b_ends_at_once),
        cmocka_unit_test(figure_4),
        cmocka_unit_test(figure_6),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
