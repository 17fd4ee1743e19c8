/* sys/unstable_test.c -- growing modes of systems whose modes are known. */
#include "check.h"

#include "la/pattern.h"
#include "sys/unstable.h"

#include <math.h>
#include <string.h>

enum { N = 60 };

typedef struct pencil {
    int n;
    yoke_pattern *full;
    double C[N * N], G[N * N], size[N], v[N];
} pencil;

/* Blocks on the diagonal: C = 1, G = -mu. */
static void open(pencil *p, int n)
{
    yoke_err err;

    memset(p, 0, sizeof *p);
    p->n = n;
    for (int i = 0; i < n; i++) p->size[i] = 1.0;
    CHECK_OK(yk_pattern_full(&p->full, n, n, &err), &err);
}

static void real_mode(pencil *p, int i, double mu)
{
    p->C[i * p->n + i] = 1.0;
    p->G[i * p->n + i] = -mu;
}

static void pair(pencil *p, int i, double rate, double turn)
{
    real_mode(p, i, rate);
    real_mode(p, i + 1, rate);
    p->G[i * p->n + i + 1] = -turn;
    p->G[(i + 1) * p->n + i] = turn;
}

/* Mixes equations and unknowns, which leaves the modes as they are. */
static void mix(pencil *p)
{
    const int n = p->n;
    unsigned long long seed = 3;

    for (int k = 0; k < 3 * n; k++) {
        const int a = (int)(yk_random(&seed) * n),
                  b = (a + 1 + k % (n - 1)) % n;
        const double w = yk_random(&seed) - 0.5;
        double *m[] = { p->C, p->G };
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < n; i++) {
                if (k % 2)
                    m[j][a * n + i] += w * m[j][b * n + i];
                else
                    m[j][i * n + a] += w * m[j][i * n + b];
            }
    }
}

static yk_unstable_growth find(pencil *p, double least, double most, bool quick)
{
    const yk_unstable_rest rest = { .n = p->n,
                                    .C_pattern = p->full,
                                    .G_pattern = p->full,
                                    .C = p->C,
                                    .G = p->G,
                                    .size = p->size,
                                    .least = least,
                                    .most = most,
                                    .quick = quick };
    yk_unstable_growth out;
    yoke_err err;

    CHECK_OK(yk_unstable_find(&rest, &out, p->v, &err), &err);
    yoke_pattern_free(p->full);
    return out;
}

/* Stable modes of all speeds, lossless pairs and constraints. */
static void surround(pencil *p, int from)
{
    for (int i = from; i + 3 < p->n; i += 4) {
        real_mode(p, i, -pow(10.0, (double)(i % 12)));
        pair(p, i + 1, 0.0, pow(10.0, (double)(i % 9)));
        p->G[(i + 3) * p->n + i + 3] = 1.0; /* a constraint */
    }
}

static void real_modes_are_found(void **state)
{
    (void)state;
    for (double mu = 30.0; mu < 1e10; mu *= 7.3) {
        pencil p;
        open(&p, 49);
        real_mode(&p, 0, mu);
        surround(&p, 1);
        mix(&p);
        const yk_unstable_growth g = find(&p, 1.0, 1e12, false);
        CHECK_NEAR(g.rate / mu, 1.0, 0.02);
        CHECK_NEAR(g.turn, 0.0, 0.0);
    }
}

static void pairs_are_found(void **state)
{
    (void)state;
    for (double turn = 30.0; turn < 1e10; turn *= 7.3)
        for (double part = 0.01; part < 3.0; part *= 4.0) {
            pencil p;
            open(&p, 50);
            pair(&p, 0, part * turn, turn);
            surround(&p, 2);
            mix(&p);
            const yk_unstable_growth g = find(&p, 0.05, 1e12, false);
            CHECK_NEAR(g.rate / (part * turn), 1.0, 0.05);
            CHECK_NEAR(g.turn / turn, 1.0, 0.05);
        }
}

static void what_is_stable_does_not_grow(void **state)
{
    (void)state;
    for (int n = 4; n <= 60; n += 4) {
        pencil p;
        open(&p, n);
        surround(&p, 0);
        mix(&p);
        const yk_unstable_growth g = find(&p, 1.0, 1e12, false);
        CHECK_NEAR(g.rate, 0.0, 0.0);
        assert_true(g.factored <= 26 && g.solves <= 13 * (5 + 3 * 20));
    }
}

static void a_glance_finds_most(void **state)
{
    int found = 0, count = 0;
    (void)state;

    for (double mu = 30.0; mu < 1e10; mu *= 3.7) {
        pencil p;
        open(&p, 50);
        pair(&p, 0, 0.3 * mu, mu);
        surround(&p, 2);
        mix(&p);
        const yk_unstable_growth g = find(&p, 1.0, 1e12, true);
        if (g.rate > 0.0) CHECK_NEAR(g.rate / (0.3 * mu), 1.0, 0.05);
        found += g.rate > 0.0;
        count++;

        open(&p, 48);
        surround(&p, 0);
        mix(&p);
        const yk_unstable_growth none = find(&p, 1.0, 1e12, true);
        CHECK_NEAR(none.rate, 0.0, 0.0);
    }
    assert_true(10 * found >= 8 * count);
}

/* x1' = 3 x2, x2' = 3 x1 has the mode (1, 1). */
static void the_mode_is_told(void **state)
{
    pencil p;
    (void)state;

    open(&p, 2);
    p.C[0] = p.C[3] = 1.0;
    p.G[1] = p.G[2] = -3.0;
    p.size[0] = p.size[1] = 1e-6;
    const yk_unstable_growth g = find(&p, 1.0, 100.0, false);
    CHECK_NEAR(g.rate, 3.0, 1e-9);
    CHECK_NEAR(p.v[0], 1e-6, 1e-15);
    CHECK_NEAR(p.v[1], 1e-6, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_modes_are_found),
        cmocka_unit_test(pairs_are_found),
        cmocka_unit_test(what_is_stable_does_not_grow),
        cmocka_unit_test(a_glance_finds_most),
        cmocka_unit_test(the_mode_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
