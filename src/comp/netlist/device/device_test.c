/* Properties of devices: derivatives, sums, continuity, large voltages,
 * limiting, messages.  Numbers of ngspice: tests/netlist. */
#include "check.h"
#include "netlist/device_card.h"

#include "comp/netlist/device/device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = YK_DEVICE_NODES, B = YK_DEVICE_BRANCHES };

typedef struct values {
    double i[N], q[N], di[N * B], dq[N * B];
} values;

static void load(const yk_device *d, const double *b, values *v)
{
    d->ops->load(d, b, v->i, v->q, v->di, v->dq);
}

/* Devices that together reach every equation. */
static const char *const cards[] = {
    "d d is=1e-14",
    "d d is=2e-15 rs=3 n=1.3 tt=5n cjo=2p vj=0.7 m=0.4 eg=1.12 xti=3 fc=0.4 "
    "bv=6 ibv=1m nbv=1.5 : area=2 m=3",
    "d d is=1e-15 ikf=1m ikr=2m isr=1e-11 nr=2 jsw=1e-16 ns=1.2 cjo=1p "
    "cjsw=2p mjsw=0.3 php=0.9 : area=1.5 pj=4 temp=80",
    "d d is=1e-12 jtun=1e-9 ntun=20 jsw=1e-13 cjo=3p tm1=1e-3 : pj=2",
    "m nmos vto=0.7 kp=110u gamma=0.4 lambda=0.04 phi=0.7 tox=14n cgso=0.3n "
    "cgdo=0.4n cgbo=0.7n cj=0.6m cjsw=0.3n mj=0.5 mjsw=0.35 pb=0.9 : w=10u "
    "l=1u ad=20p as=25p pd=14u ps=15u",
    "m pmos vto=-0.8 kp=40u gamma=0.57 lambda=0.05 phi=0.8 tox=14n cgso=0.3n "
    "cgdo=0.4n cgbo=0.7n cbd=1p cbs=2p rd=5 rs=8 : w=20u l=1u m=2 temp=100",
    "m nmos nsub=1e16 tox=20n uo=500 tpg=1 nss=1e10 ld=0.1u rsh=20 js=1e-4 : "
    "w=5u l=2u nrd=2 nrs=3 ad=10p as=10p",
    "m nmos level=3 vto=0.7 uo=500 nsub=2e16 tox=20n theta=0.1 eta=0.5 "
    "kappa=0.4 xj=0.2u ld=0.1u delta=0.8 cgso=0.3n : w=4u l=1.2u",
    "m nmos level=3 nsub=3e16 tox=15n vmax=1e5 theta=0.08 kappa=0.5 eta=0.3 "
    "nfs=3e11 cj=0.3m : w=4u l=0.8u ad=8p as=8p temp=60",
    "m pmos level=3 vto=-0.8 kp=30u gamma=0.5 vmax=8e4 nfs=1e11 rd=10 : w=10u "
    "l=1u m=2",
    "m nmos vto=0.7 kp=110u gamma=0.4 lambda=0.04 tox=14n cgso=0.3n cj=0.6m : "
    "w=10u l=1u ad=20p as=25p meyer",
    "m pmos level=3 vto=-0.8 tox=15n nsub=2e16 vmax=8e4 rd=10 rs=5 : w=10u "
    "l=1u meyer",
    "q npn is=1e-16 bf=120 vaf=60",
    "q npn is=2e-16 bf=150 nf=1.02 vaf=50 ikf=20m ise=1e-14 ne=1.6 br=3 nr=1.1 "
    "var=12 ikr=5m isc=2e-14 nc=1.8 rb=100 irb=1m rbm=10 re=0.5 rc=4 cje=1p "
    "vje=0.8 mje=0.4 tf=0.3n xtf=4 vtf=3 itf=30m cjc=0.6p vjc=0.6 mjc=0.35 "
    "xcjc=0.6 tr=10n cjs=1p vjs=0.7 mjs=0.4 xtb=1.5 eg=1.12 xti=3.2 fc=0.6 : "
    "area=2 m=3 temp=60",
    "q pnp is=1e-15 bf=60 vaf=30 ikf=5m nkf=0.6 rb=200 rbm=20 cjc=1p xcjc=0.5 "
    "cjs=2p iss=1e-16 ns=1.1 tf=1n xtf=2 tbf1=1e-3 : temp=50",
    "j njf vto=-2 beta=1m lambda=0.02 is=1e-14 cgs=3p cgd=2p pb=0.8 fc=0.4",
    "j pjf vto=-1.5 beta=2m lambda=0.01 b=0.7 rd=5 rs=8 cgs=1p : area=2 m=2 "
    "temp=70",
};
enum { CARDS = (int)(sizeof cards / sizeof cards[0]) };

/* ---- a card and its device ----------------------------------------------- */

typedef struct device_check {
    device_card *card;
    yk_device *device;
    yk_device_env env;
} device_check;

static yoke_status device_try(device_check *x, const char *text, double celsius,
                              yoke_err *err)
{
    x->card = malloc(sizeof *x->card);
    assert_non_null(x->card);
    card_read(x->card, text);
    x->env = card_env(celsius);
    x->env.meyer = x->card->meyer;
    return yk_device_make(&x->device, &x->card->netlist, 0, &x->env, err);
}

static device_check device_open(const char *text, double celsius)
{
    device_check x = { 0 };
    yoke_err err;

    CHECK_OK(device_try(&x, text, celsius, &err), &err);
    return x;
}

static void device_close(device_check *x)
{
    card_close(x->card);
    free(x->card);
}

static double polarity(const device_check *x)
{
    return x->card->model.type[0] == 'p' ? -1.0 : 1.0;
}

/* Voltages of use; some exactly on, some close to the borders of regions. */
static void random_bias(const device_check *x, double *b,
                        unsigned long long *seed)
{
    const char kind = x->card->element.kind;
    const double tiny = (yk_random(seed) - 0.5) * 1e-8;
    /* Meyer's capacitances have kinks there. */
    const double special = x->card->meyer ? 0.5 : yk_random(seed);
    const double sign = polarity(x);

    for (int k = 0; k < x->device->branches; k++) b[k] = yk_random(seed) - 0.5;
    if (kind == 'd') {
        b[0] = -8.0 + 8.9 * yk_random(seed);
    } else if (kind == 'q') {
        b[0] = sign * (-3.0 + 3.8 * yk_random(seed));
        b[1] = sign * (-3.0 + 3.8 * yk_random(seed));
    } else {
        b[0] = sign * (-2.0 + 7.0 * yk_random(seed));
        b[1] = sign * (-5.0 + 10.0 * yk_random(seed));
        if (kind == 'm') b[2] = sign * (-5.0 + 5.6 * yk_random(seed));
        if (special < 0.1) b[1] = tiny;
        if (special > 0.1 && special < 0.2) b[2] = tiny;
        if (special > 0.2 && special < 0.3) b[1] = b[0] - sign * 0.7 + tiny;
        if (special > 0.3 && special < 0.4) b[0] = sign * 0.7 + tiny;
        if (special > 0.15 && special < 0.35) b[2] = 0.0;
        if (special > 0.9) b[1] = b[0] = b[2] = 0.0;
    }
}

/* ---- properties ---------------------------------------------------------- */

static void check_sums(const yk_device *d, const double *b, const char *card)
{
    values v;
    double si = 0.0, sq = 0.0, most_i = 0.0, most_q = 0.0;

    load(d, b, &v);
    for (int j = 0; j < d->nodes; j++) {
        si += v.i[j];
        sq += v.q[j];
        most_i = fmax(most_i, fabs(v.i[j]));
        most_q = fmax(most_q, fabs(v.q[j]));
    }
    if (fabs(si) > 1e-14 * most_i || fabs(sq) > 1e-14 * most_q)
        fail_msg("%s: currents sum to %g, charges to %g", card, si, sq);
}

/* Central differences; second derivatives jump between regions of transistors,
 * by at most `bend`. */
static void check_slope(const yk_device *d, int k, double h, double bend,
                        const double *low, const double *high,
                        const double *slope, const char *card, const char *what)
{
    double most = 0.0, value = 0.0;

    for (int j = 0; j < d->nodes; j++) {
        most = fmax(most, fabs(slope[j * d->branches + k]));
        value = fmax(value, fabs(high[j]));
    }
    for (int j = 0; j < d->nodes; j++) {
        const double s = slope[j * d->branches + k];
        const double difference = (high[j] - low[j]) / (2.0 * h);
        if (fabs(s - difference) > 1e-5 * most + 1e-15 * value / h + bend * h)
            fail_msg("%s: slope of %s %d by branch %d: %.12g, differences "
                     "%.12g",
                     card, what, j, k, s, difference);
    }
}

static void check_slopes(const yk_device *d, const double *b, const char *card)
{
    const double h = 1e-6;
    const bool is_fet =
        strstr(d->ops->kind, "MOS") || strstr(d->ops->kind, "field");
    values low, high, v;

    load(d, b, &v);
    for (int k = 0; k < d->branches; k++) {
        double p[B];
        memcpy(p, b, sizeof p);
        p[k] = b[k] + h;
        load(d, p, &high);
        p[k] = b[k] - h;
        load(d, p, &low);
        check_slope(d, k, h, is_fet ? 5e-3 : 0.0, low.i, high.i, v.di, card,
                    "current");
        check_slope(d, k, h, is_fet ? 5e-13 : 0.0, low.q, high.q, v.dq, card,
                    "charge");
    }
}

/* Over a short step with monotone slope the change lies between the slopes of
 * both ends. */
static void check_step(const yk_device *d, const double *from, const double *to,
                       double part, const double *before, const double *after,
                       const double *slope0, const double *slope1,
                       const char *card, const char *what)
{
    double most = 0.0;

    for (int j = 0; j < d->nodes; j++) most = fmax(most, fabs(after[j]));
    for (int j = 0; j < d->nodes; j++) {
        double low = 0.0, high = 0.0, size = 0.0, turn = 0.0;
        for (int k = 0; k < d->branches; k++) {
            const double step = (to[k] - from[k]) * part;
            const double s0 = slope0[j * d->branches + k] * step;
            const double s1 = slope1[j * d->branches + k] * step;
            low += s0;
            high += s1;
            turn += fabs(s1 - s0);
            size += fabs(s0) + fabs(s1);
        }
        const double change = after[j] - before[j];
        if (fabs(change - 0.5 * (low + high)) >
            turn + 1e-3 * size + 1e-14 * most)
            fail_msg("%s: %s %d jumps by %g (slopes: %g to %g)", card, what, j,
                     change, low, high);
    }
}

static void nodes_sum_to_zero_and_derivatives_are_exact(void **state)
{
    (void)state;
    for (int c = 0; c < CARDS; c++) {
        device_check x = device_open(cards[c], 27.0);
        const yk_device *d = x.device;
        unsigned long long seed = 7;

        for (int trial = 0; trial < 400; trial++) {
            double b[B];
            random_bias(&x, b, &seed);
            check_sums(d, b, cards[c]);
            check_slopes(d, b, cards[c]);
        }
        device_close(&x);
    }
}

/* Along random lines through the space of voltages neither currents nor
 * charges jump, and their derivatives have no spikes: the change over a small
 * step is what the slope says. */
static void currents_and_charges_are_continuous(void **state)
{
    (void)state;
    for (int c = 0; c < CARDS; c++) {
        device_check x = device_open(cards[c], 27.0);
        const yk_device *d = x.device;
        unsigned long long seed = 11;

        for (int line = 0; line < 6; line++) {
            double from[B], to[B], b[B];
            values now, last;

            random_bias(&x, from, &seed);
            random_bias(&x, to, &seed);
            enum { STEPS = 40000 };
            load(d, from, &last);
            for (int s = 1; s <= STEPS; s++) {
                for (int k = 0; k < d->branches; k++)
                    b[k] = from[k] + (to[k] - from[k]) * s / STEPS;
                load(d, b, &now);
                check_step(d, from, to, 1.0 / STEPS, last.i, now.i, last.di,
                           now.di, cards[c], "current");
                check_step(d, from, to, 1.0 / STEPS, last.q, now.q, last.dq,
                           now.dq, cards[c], "charge");
                last = now;
            }
        }
        device_close(&x);
    }
}

static void thousand_volts_give_finite_numbers(void **state)
{
    (void)state;
    for (int c = 0; c < CARDS; c++) {
        device_check x = device_open(cards[c], 27.0);
        const yk_device *d = x.device;
        unsigned long long seed = 3;
        values v;

        for (int trial = 0; trial < 3000; trial++) {
            double b[B], old[B];
            for (int k = 0; k < d->branches; k++) {
                const double r = yk_random(&seed);
                b[k] = r < 0.2   ? -1000.0
                       : r < 0.4 ? 1000.0
                                 : 2000.0 * yk_random(&seed) - 1000.0;
                old[k] = 2.0 * yk_random(&seed) - 1.0;
            }
            load(d, b, &v);
            assert_true(yk_all_finite(v.i, d->nodes, NULL));
            assert_true(yk_all_finite(v.q, d->nodes, NULL));
            assert_true(yk_all_finite(v.di, d->nodes * d->branches, NULL));
            assert_true(yk_all_finite(v.dq, d->nodes * d->branches, NULL));
            d->ops->limit(d, old, b);
            assert_true(yk_all_finite(b, d->branches, NULL));
        }
        device_close(&x);
    }
}

static void any_output_may_be_left_out(void **state)
{
    (void)state;
    for (int c = 0; c < CARDS; c++) {
        device_check x = device_open(cards[c], 27.0);
        const yk_device *d = x.device;
        const double b[B] = { 0.6, 0.3, -0.2, 0.1, 0.1, 0.0 };
        const size_t one = (size_t)d->nodes * sizeof(double);
        const size_t all = one * (size_t)d->branches;
        values v, w;

        load(d, b, &v);
        d->ops->load(d, b, w.i, NULL, NULL, NULL);
        assert_memory_equal(v.i, w.i, one);
        d->ops->load(d, b, NULL, w.q, NULL, NULL);
        assert_memory_equal(v.q, w.q, one);
        d->ops->load(d, b, NULL, NULL, w.di, NULL);
        assert_memory_equal(v.di, w.di, all);
        d->ops->load(d, b, NULL, NULL, NULL, w.dq);
        assert_memory_equal(v.dq, w.dq, all);
        device_close(&x);
    }
}

static void limiting_leaves_small_steps_alone_and_shortens_large_ones(
    void **state)
{
    (void)state;
    for (int c = 0; c < CARDS; c++) {
        device_check x = device_open(cards[c], 27.0);
        const yk_device *d = x.device;
        double old[B] = { 0 }, b[B] = { 0 };

        b[0] = 1e-6;
        assert_false(d->ops->limit(d, old, b));
        assert_true(b[0] == 1e-6);
        b[0] = polarity(&x) * 50.0;
        assert_true(d->ops->limit(d, old, b));
        assert_true(fabs(b[0]) < 10.0);
        device_close(&x);
    }
}

/* The fixed point of Newton's iteration with limiting is that without. */
static void limiting_is_silent_at_rest(void **state)
{
    (void)state;
    for (int c = 0; c < CARDS; c++) {
        device_check x = device_open(cards[c], 27.0);
        const yk_device *d = x.device;
        unsigned long long seed = 5;

        for (int trial = 0; trial < 200; trial++) {
            double old[B], b[B];
            random_bias(&x, old, &seed);
            memcpy(b, old, sizeof b);
            if (!d->ops->limit(d, old, b)) continue;
            for (int k = 0; k < d->branches; k++)
                CHECK_NEAR(b[k], old[k], 1e-12);
        }
        device_close(&x);
    }
}

static void equal_elements_share_a_device(void **state)
{
    device_check x = device_open(cards[4], 27.0);
    yk_device *again = NULL;
    yoke_err err;
    (void)state;

    CHECK_OK(yk_device_make(&again, &x.card->netlist, 0, &x.env, &err), &err);
    assert_ptr_equal(again, x.device);
    x.env.temperature += 1.0;
    CHECK_OK(yk_device_make(&again, &x.card->netlist, 0, &x.env, &err), &err);
    assert_ptr_not_equal(again, x.device);
    device_close(&x);
}

/* Rates are zero at rest, and take no current themselves. */
static void meyers_capacitances_leave_the_rest_alone(void **state)
{
    static const char card[] = "m nmos vto=0.7 kp=110u tox=14n : w=10u l=1u";
    char text[200];
    (void)state;

    snprintf(text, sizeof text, "%s meyer", card);
    device_check x = device_open(card, 27.0), y = device_open(text, 27.0);
    double b[B] = { 2.0, 1.0, -0.5 };
    values v, w;
    load(x.device, b, &v);
    load(y.device, b, &w);
    assert_memory_equal(v.i, w.i, 4 * sizeof(double));
    assert_int_equal(y.device->nodes, 8);
    assert_int_equal(y.device->rates, 4);

    for (int k = 3; k < y.device->branches; k++) b[k] = 0.3 * k;
    load(y.device, b, &w);
    assert_true(w.i[1] != v.i[1]);
    for (int k = 4; k < y.device->nodes; k++) CHECK_NEAR(w.i[k], 0.0, 0.0);
    device_close(&x);
    device_close(&y);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int c = 0; c < CARDS; c++)
        for (long at = 1;; at++) {
            device_check x = { 0 };
            yoke_err err;

            fault_allocator(at);
            const yoke_status status = device_try(&x, cards[c], 27.0, &err);
            card_close(x.card);
            assert_int_equal(fault_blocks(), 0);
            fault_restore();
            free(x.card);
            if (status == YOKE_OK) break;
            assert_int_equal(status, YOKE_E_MEMORY);
        }
}

/* ---- limiting functions -------------------------------------------------- */

static void junctions_follow_the_current(void **state)
{
    bool limited;
    (void)state;

    /* From 0.7 V a wish of 1.7 V: vt (2 + ln(1/vt - 2)). */
    CHECK_NEAR(yk_limit_junction(1.7, 0.7, 0.025, 0.6, &limited),
               0.7 + 0.025 * (2.0 + log(38.0)), 1e-15);
    assert_true(limited);
    CHECK_NEAR(yk_limit_junction(5.0, -1.0, 0.025, 0.6, &limited),
               0.025 * log(200.0), 1e-15);
    CHECK_NEAR(yk_limit_junction(-9.0, -2.0, 0.025, 0.6, &limited), -5.0, 0.0);
    assert_true(limited);
    CHECK_NEAR(yk_limit_junction(-9.0, 0.5, 0.025, 0.6, &limited), -1.5, 0.0);
    CHECK_NEAR(yk_limit_junction(0.5, 0.4, 0.025, 0.6, &limited), 0.5, 0.0);
    assert_false(limited);
}

static void gates_and_drains_cross_the_threshold_slowly(void **state)
{
    (void)state;
    CHECK_NEAR(yk_limit_gate(5.0, 0.0, 1.0), 1.5, 0.0); /* off to on */
    CHECK_NEAR(yk_limit_gate(9.0, 2.0, 1.0), 5.0, 0.0); /* middle */
    CHECK_NEAR(yk_limit_gate(-9.0, 2.0, 1.0), 0.5, 0.0);
    CHECK_NEAR(yk_limit_gate(-9.0, 6.0, 1.0), 3.0, 0.0); /* well on to off */
    CHECK_NEAR(yk_limit_gate(99.0, 6.0, 1.0), 18.0, 0.0);
    CHECK_NEAR(yk_limit_gate(-50.0, 0.0, 1.0), -4.0, 0.0);
    CHECK_NEAR(yk_limit_drain(50.0, 4.0), 14.0, 0.0);
    CHECK_NEAR(yk_limit_drain(0.0, 4.0), 2.0, 0.0);
    CHECK_NEAR(yk_limit_drain(9.0, 1.0), 4.0, 0.0);
    CHECK_NEAR(yk_limit_drain(-9.0, 1.0), -0.5, 0.0);
}

/* ---- messages ------------------------------------------------------------ */

static void refuses(const char *card, const char *first, const char *second)
{
    yoke_err err;
    device_check x = { 0 };

    if (device_try(&x, card, 27.0, &err) == YOKE_OK)
        fail_msg("%s was accepted", card);
    CHECK_CONTAINS(err.text, first);
    CHECK_CONTAINS(err.text, second);
    CHECK_CONTAINS(err.text, "card:");
    device_close(&x);
}

static void bad_parameters_are_refused_by_name(void **state)
{
    (void)state;
    refuses("m nmos level=8", "level = 8", "BSIM3");
    refuses("m nmos level=14", "level = 14", "BSIM4");
    refuses("m nmos level=49", "level = 49", "BSIM3");
    refuses("m nmos level=54", "level = 54", "BSIM4");
    refuses("q npn level=4", "level = 4", "VBIC");
    refuses("q npn level=8", "level = 8", "HICUM");
    refuses("j njf level=2", "level = 2", "Parker-Skellern");
    refuses("q npn rco=10", "quasi-saturation", "rco");
    refuses("q npn bf=0", "bf = 0", "positive");
    refuses("q npn rb=-1", "rb = -1", "negative");
    refuses("j njf pb=0", "pb = 0", "positive");
    refuses("m nmos level=77", "level = 77", "not supported");
    refuses("d d level=3", "level = 3", "not supported");
    refuses("d nmos", "type nmos", "d1");
    refuses("m nmos vto=1 : lenght=2u", "lenght", "m1");
    refuses("m nmos vto=1 ld=1u : l=2u", "effective length", "ld");
    refuses("m nmos phi=-1", "phi", "positive");
    refuses("m nmos tox=10n nsub=1e9", "nsub", "intrinsic");
    refuses("m nmos mj=1", "mj", "below 1");
    refuses("d d n=0", "n = 0", "positive");
    refuses("d d fc=1", "fc", "[0, 1)");
    refuses("d d bv=-5", "bv = -5", "positive");
    refuses("m nmos level=1e300", "level = 1e+300", "not supported");
    refuses("d d rth0=10", "self-heating", "rth0");
    refuses("d d : area=-1", "area", "positive");
    refuses("d d : m=0", "m = 0", "positive");
    refuses("d d : temp=-300", "temperature", "absolute zero");
}

static void unknown_model_parameters_are_one_warning(void **state)
{
    device_check x = device_open("m nmos vto=1 foo=1 bar=2 kf=1 af=1", 27.0);
    yk_device *again = NULL;
    yoke_err err;
    (void)state;

    assert_int_equal(x.card->netlist.warnings, 1);
    CHECK_CONTAINS(x.card->netlist.warning[0], "foo, bar");
    CHECK_CONTAINS(x.card->netlist.warning[0], "card:");
    x.env.temperature += 10.0;
    CHECK_OK(yk_device_make(&again, &x.card->netlist, 0, &x.env, &err), &err);
    assert_int_equal(x.card->netlist.warnings, 1);
    device_close(&x);
}

static void parameters_without_effect_are_one_warning(void **state)
{
    device_check x = device_open("q npn bf=80 ptf=20 kf=1", 27.0);
    (void)state;

    assert_int_equal(x.card->netlist.warnings, 1);
    CHECK_CONTAINS(x.card->netlist.warning[0], "unsupported");
    CHECK_CONTAINS(x.card->netlist.warning[0], "ptf");
    device_close(&x);
    x = device_open("q npn bf=80 ptf=0", 27.0);
    assert_int_equal(x.card->netlist.warnings, 0);
    device_close(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_sum_to_zero_and_derivatives_are_exact),
        cmocka_unit_test(currents_and_charges_are_continuous),
        cmocka_unit_test(thousand_volts_give_finite_numbers),
        cmocka_unit_test(any_output_may_be_left_out),
        cmocka_unit_test(
            limiting_leaves_small_steps_alone_and_shortens_large_ones),
        cmocka_unit_test(limiting_is_silent_at_rest),
        cmocka_unit_test(equal_elements_share_a_device),
        cmocka_unit_test(meyers_capacitances_leave_the_rest_alone),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(junctions_follow_the_current),
        cmocka_unit_test(gates_and_drains_cross_the_threshold_slowly),
        cmocka_unit_test(bad_parameters_are_refused_by_name),
        cmocka_unit_test(unknown_model_parameters_are_one_warning),
        cmocka_unit_test(parameters_without_effect_are_one_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
