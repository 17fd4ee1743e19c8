/* Nanoseconds for one evaluation of a device: currents, charges and all
 * derivatives, over voltages of use.  Times are the best of several rounds.
 */
#include "bench.h"
#include "netlist/device_card.h"

#include "base/base.h"

#include <stdio.h>

/* Rounds are short, so that some are not disturbed by other programs. */
enum { POINTS = 1024, REPEAT = 4 };

static const struct {
    const char *name, *card;
} cases[] = {
    { "diode", "d d is=1e-14" },
    { "diode_charge", "d d is=1e-14 rs=1 tt=5n cjo=2p vj=0.7 m=0.5 bv=50" },
    { "diode_charge_grading", "d d is=1e-14 tt=5n cjo=2p vj=0.7 m=0.4" },
    { "mos1_plain", "m nmos vto=0.7 kp=110u lambda=0.04 : w=10u l=1u" },
    { "mos1_charge", "m nmos vto=0.7 kp=110u gamma=0.4 lambda=0.04 phi=0.7 "
                     "tox=14n cgso=0.3n cgdo=0.3n cj=0.6m cjsw=0.3n : w=10u "
                     "l=1u ad=20p as=20p pd=14u ps=14u" },
    { "mos3_charge", "m nmos level=3 nsub=3e16 tox=15n vmax=1e5 theta=0.08 "
                     "kappa=0.5 eta=0.3 xj=0.3u cgso=0.3n cgdo=0.3n cj=0.6m "
                     "cjsw=0.3n mjsw=0.5 : w=10u l=1u ad=20p as=20p pd=14u "
                     "ps=14u" },
    { "bjt_plain", "q npn is=1e-16 bf=120 vaf=60" },
    { "bjt_charge", "q npn is=2e-16 bf=150 vaf=50 ikf=20m ise=1e-14 ne=1.6 "
                    "rb=100 rc=4 re=0.5 cje=1p tf=0.3n xtf=4 vtf=3 itf=30m "
                    "cjc=0.6p cjs=1p mjs=0.4" },
    { "jfet_charge", "j njf vto=-2 beta=1m lambda=0.02 cgs=3p cgd=2p" },
};

/* Voltages of use: junctions mostly in reverse or at their forward voltage. */
static void fill(char kind, int branches, double *b, unsigned long long *seed)
{
    for (int k = 0; k < branches; k++) b[k] = 0.01 * yk_random(seed);
    if (kind == 'd') {
        b[0] = yk_random(seed) < 0.5 ? -5.0 * yk_random(seed)
                                     : 0.7 * yk_random(seed);
    } else if (kind == 'q') {
        b[0] = 0.5 + 0.3 * yk_random(seed);
        b[1] = 0.6 - 5.0 * yk_random(seed);
    } else {
        b[0] = 5.0 * yk_random(seed) - (kind == 'j' ? 5.0 : 0.0);
        b[1] =
            kind == 'j' ? b[0] - 5.0 * yk_random(seed) : 5.0 * yk_random(seed);
        if (kind == 'm') b[2] = -yk_random(seed);
    }
}

static double nanoseconds(const yk_device *d, char kind, int rounds)
{
    static double b[POINTS][YK_DEVICE_BRANCHES];
    double i[YK_DEVICE_NODES], q[YK_DEVICE_NODES];
    double di[YK_DEVICE_NODES * YK_DEVICE_BRANCHES];
    double dq[YK_DEVICE_NODES * YK_DEVICE_BRANCHES];
    unsigned long long seed = 1;
    double best = 1e9;

    for (int k = 0; k < POINTS; k++) fill(kind, d->branches, b[k], &seed);
    for (int round = 0; round < rounds; round++) {
        const double begin = bench_clock();
        for (int r = 0; r < REPEAT; r++)
            for (int k = 0; k < POINTS; k++)
                d->ops->load(d, b[k], i, q, di, dq);
        const double each = (bench_clock() - begin) / REPEAT / POINTS * 1e9;
        if (each < best) best = each;
    }
    return best;
}

int main(int count, char **text)
{
    const bench_arguments arguments = bench_read_arguments(count, text);
    const yk_device_env env = card_env(27.0);
    static device_card card;

    bench_open(arguments.file);
    printf("%-22s %10s\n", "device", "ns / load");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        yk_device *device = NULL;
        yoke_err err;
        card_read(&card, cases[k].card);
        bench_need(yk_device_make(&device, &card.netlist, 0, &env, &err), &err);
        const double ns =
            nanoseconds(device, card.element.kind, arguments.quick ? 20 : 500);
        printf("%-22s %10.1f\n", cases[k].name, ns);
        bench_put(cases[k].name, "nanoseconds", ns);
        card_close(&card);
    }
    bench_close();
    return 0;
}
