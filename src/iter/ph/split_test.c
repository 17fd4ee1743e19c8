/* iter/ph/split_test.c -- nets, impedances and options of the port-Hamiltonian
 * iteration. */
#include "check.h"
#include "iter/ph/split.h"
#include "la/pattern.h"
#include "yoke/ph.h"

#include <math.h>
#include <string.h>

/* x' = -r x + sum of u, three ports. */
static yoke_system *store(const char *name, double r)
{
    yoke_pattern *one = NULL, *row = NULL;
    const double ports[3] = { 1.0, 2.0, -1.0 };
    yoke_system *out = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_pattern_full(&one, 1, 1, &err), &err);
    CHECK_OK(yk_pattern_full(&row, 1, 3, &err), &err);
    const yoke_ph ph = {
        .n = 1, .m = 3, .R = { one, &r }, .B = { row, ports }
    };
    CHECK_OK(yoke_ph_create(&out, name, &ph, &err), &err);
    yoke_pattern_free(one);
    yoke_pattern_free(row);
    return out;
}

static yk_ph_net *net_of(int links, const yk_ph_link *link,
                         yoke_system *const *system, int count)
{
    yk_ph_net *net = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_ph_net_create(&net, count, system, links, link, 0, &err), &err);
    return net;
}

static double coupling(const yk_ph_net *net, int i, int j)
{
    yk_sparse m = { NULL, NULL };

    CHECK_OK(yk_ph_net_coupling(net, &m, NULL), NULL);
    const int at = yoke_pattern_find(m.pattern, i, j);
    const double value = at < 0 ? 0.0 : m.value[at];
    yk_sparse_clear(&m);
    return value;
}

/* K of rank one over several ports becomes one pair; J = B K B' is kept. */
static void pairs_by_singular_vectors(void **state)
{
    yoke_system *s[2] = { store("a", 0.5), store("b", 0.25) };
    yk_ph_link link[8];
    const double left[2] = { 1.0, 2.0 }, right[2] = { 3.0, 0.5 };
    const double B[3] = { 1.0, 2.0, -1.0 };
    double J = 0.0;
    int count = 0;

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const double k = left[i] * right[j];
            link[count++] = (yk_ph_link){ 0, i, 1, j, k };
            link[count++] = (yk_ph_link){ 1, j, 0, i, -k };
            J += B[i] * k * B[j];
        }
    yk_ph_net *net = net_of(count, link, s, 2);
    assert_int_equal(net->pairs, 1);
    CHECK_NEAR(coupling(net, 0, 1), J, 1e-12);
    CHECK_NEAR(coupling(net, 1, 0), -J, 1e-12);
    yk_ph_net_free(net);
    yoke_system_free(s[0]);
    yoke_system_free(s[1]);
}

/* A ring of three needs three colours, a chain two. */
static void colours(void **state)
{
    yoke_system *s[3] = { store("a", 1), store("b", 1), store("c", 1) };
    const yk_ph_link link[6] = { { 0, 0, 1, 0, 1.0 }, { 1, 0, 0, 0, -1.0 },
                                 { 1, 1, 2, 0, 1.0 }, { 2, 0, 1, 1, -1.0 },
                                 { 2, 1, 0, 1, 1.0 }, { 0, 1, 2, 1, -1.0 } };

    (void)state;
    yk_ph_net *chain = net_of(4, link, s, 3), *ring = net_of(6, link, s, 3);
    assert_int_equal(chain->colours, 2);
    assert_int_equal(ring->colours, 3);
    yk_ph_net_free(chain);
    yk_ph_net_free(ring);
    for (int i = 0; i < 3; i++) yoke_system_free(s[i]);
}

/* One pair of stores: S = 1 / (mu + r), so P = mu + r. */
static void impedances(void **state)
{
    yoke_system *s[2] = { store("a", 0.5), store("b", 2.0) };
    const yk_ph_link link[2] = { { 0, 0, 1, 0, 1.0 }, { 1, 0, 0, 0, -1.0 } };
    yk_ph_net *net = net_of(2, link, s, 2);
    yk_ports *ports = NULL;
    const double Pa = 3.5, Pb = 5.0, P = sqrt(Pa * Pb);
    const double p = sqrt(1 + P * P) - P;
    double zeta[2], weight[2], q = 0.0;

    (void)state;
    CHECK_OK(yk_ports_create(&ports, net, NULL), NULL);
    CHECK_OK(yk_ports_match(ports, 3.0, zeta, weight, &q, NULL), NULL);
    CHECK_NEAR(q, p, 1e-12);
    CHECK_NEAR(zeta[0], sqrt(Pa / Pb) * p, 1e-12);
    CHECK_NEAR(zeta[1], sqrt(Pb / Pa) * p, 1e-12);
    yk_ports_free(ports);
    yk_ph_net_free(net);
    yoke_system_free(s[0]);
    yoke_system_free(s[1]);
}

static void refuse(const yk_ph_net *net, yk_split_options o, const char *why)
{
    yk_split_plan plan;
    yoke_err err = { YOKE_OK, "" };

    CHECK_STATUS(yk_split_foresee(net, &o, &plan, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, why);
}

static void options_have_ranges(void **state)
{
    yoke_system *s[2] = { store("a", 0.5), store("b", 2.0) };
    const yk_ph_link link[2] = { { 0, 0, 1, 0, 1.0 }, { 1, 0, 0, 0, -1.0 } };
    yk_ph_net *net = net_of(2, link, s, 2);
    const yk_split_options good = { .rk = yk_rk_find("implicit-midpoint"),
                                    .step = 0.01,
                                    .rtol = 1e-6,
                                    .fraction = 0.3,
                                    .max_sweeps = 50,
                                    .stop = 1.0 };
    yk_split_options o = good;

    (void)state;
    o.stop = 0.0;
    refuse(net, o, "T = 0; the time must be more than 0");
    o = good;
    o.step = NAN;
    refuse(net, o, "need a step > 0");
    o = good;
    o.lambda = -1.0;
    refuse(net, o, "lambda = -1; permitted: more than 0");
    o = good;
    o.alpha = 1.5;
    refuse(net, o, "alpha = 1.5; permitted: 0 to 1");
    o = good;
    o.mu = 2.0;
    o.omega = 1.0;
    refuse(net, o, "permitted: 0 <= mu <= omega");
    yk_ph_net_free(net);
    yoke_system_free(s[0]);
    yoke_system_free(s[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_by_singular_vectors),
        cmocka_unit_test(colours),
        cmocka_unit_test(impedances),
        cmocka_unit_test(options_have_ranges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
