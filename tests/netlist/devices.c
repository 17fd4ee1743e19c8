/* Currents and small-signal admittances of devices against ngspice 39.
 *
 * devices.csv holds what ngspice computed for the devices and voltages of
 * devices.txt (see make_devices.py).  Terminals have given voltages; inner
 * nodes are found by Newton's iteration with the devices' own limiting. */
#include "check.h"
#include "netlist/device_card.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

enum { N = YK_DEVICE_NODES, B = YK_DEVICE_BRANCHES, LINE = 3000 };

static const double omega = 1e6;

typedef struct bench {
    device_card card;
    char name[80];
    const yk_device *device;
    double volts[N]; /* of all nodes */
    double i[N], q[N], di[N * B], dq[N * B];
} bench;

static FILE *data(const char *name)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s", YOKE_TEST_DATA, name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("cannot open %s", path);
    return file;
}

/* The card of a case; reads devices.txt. */
static void find_card(const char *name, char *card)
{
    FILE *file = data("devices.txt");
    char line[LINE], word[80] = "", kinds[20];
    bool found = false;

    while (!found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "case %79s %19s", word, kinds) == 2) continue;
        if (strncmp(line, "card ", 5) == 0 && strcmp(word, name) == 0) {
            strcpy(card, line + 5);
            found = true;
        }
    }
    fclose(file);
    if (!found) fail_msg("devices.txt has no case %s", name);
}

/* Solves a x = r in place. */
static void solve(int n, double complex *a, double complex *r)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int j = k; j < n; j++)
            if (cabs(a[j * n + k]) > cabs(a[best * n + k])) best = j;
        for (int j = 0; j < n; j++) {
            const double complex t = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = t;
        }
        const double complex t = r[k];
        r[k] = r[best];
        r[best] = t;
        for (int j = k + 1; j < n; j++) {
            const double complex m = a[j * n + k] / a[k * n + k];
            for (int c = k; c < n; c++) a[j * n + c] -= m * a[k * n + c];
            r[j] -= m * r[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) r[k] -= a[k * n + j] * r[j];
        r[k] /= a[k * n + k];
    }
}

/* From derivatives by branches to those by nodes. */
static void by_nodes(const yk_device *d, const double *slope, double *out)
{
    for (int j = 0; j < d->nodes; j++) {
        for (int k = 0; k < d->nodes; k++) out[j * d->nodes + k] = 0.0;
        for (int k = 0; k < d->branches; k++) {
            out[j * d->nodes + d->plus[k]] += slope[j * d->branches + k];
            out[j * d->nodes + d->minus[k]] -= slope[j * d->branches + k];
        }
    }
}

static void branches_of(const yk_device *d, const double *volts, double *b)
{
    for (int k = 0; k < d->branches; k++)
        b[k] = volts[d->plus[k]] - volts[d->minus[k]];
}

/* Finds the inner voltages.  The last steps are without limiting, so what is
 * found solves the equations themselves. */
static void settle(bench *x)
{
    const yk_device *d = x->device;
    const int inner = d->nodes - d->terminals;
    double old[B], b[B], g[N * N];

    d->ops->begin(d, old);
    for (int k = d->terminals; k < d->nodes; k++) x->volts[k] = 0.0;
    for (int round = 0; round < 400; round++) {
        double complex a[N * N], r[N];
        double wish[B];
        branches_of(d, x->volts, wish);
        memcpy(b, round ? wish : old, sizeof b);
        if (round && round < 390) d->ops->limit(d, old, b);
        d->ops->load(d, b, x->i, x->q, x->di, x->dq);
        memcpy(old, b, sizeof old);
        by_nodes(d, x->di, g);
        for (int j = 0; j < inner; j++) {
            const int row = d->terminals + j;
            double sum = x->i[row];
            for (int k = 0; k < d->branches; k++)
                sum += x->di[row * d->branches + k] * (wish[k] - b[k]);
            r[j] = -sum;
            for (int k = 0; k < inner; k++)
                a[j * inner + k] = g[row * d->nodes + d->terminals + k];
        }
        solve(inner, a, r);
        for (int j = 0; j < inner; j++)
            x->volts[d->terminals + j] += creal(r[j]);
    }
    branches_of(d, x->volts, b);
    d->ops->load(d, b, x->i, x->q, x->di, x->dq);
}

/* Admittances of the terminals: Y = Ytt - Yti Yii^-1 Yit. */
static void admittances(const bench *x, double complex *y)
{
    const yk_device *d = x->device;
    const int n = d->nodes, t = d->terminals, inner = n - t;
    double g[N * N], c[N * N];

    by_nodes(d, x->di, g);
    by_nodes(d, x->dq, c);
    for (int k = 0; k < t; k++) {
        double complex a[N * N], r[N];
        for (int j = 0; j < inner; j++) {
            const int row = (t + j) * n;
            r[j] = -(g[row + k] + I * omega * c[row + k]);
            for (int m = 0; m < inner; m++)
                a[j * inner + m] = g[row + t + m] + I * omega * c[row + t + m];
        }
        solve(inner, a, r);
        for (int j = 0; j < t; j++) {
            double complex sum = g[j * n + k] + I * omega * c[j * n + k];
            for (int m = 0; m < inner; m++)
                sum += (g[j * n + t + m] + I * omega * c[j * n + t + m]) * r[m];
            y[j * t + k] = sum;
        }
    }
}

/* Worst relative differences so far. */
typedef struct worst {
    double dc, g, c;
    int rows;
} worst;

static double differ(double a, double b, double floor)
{
    return fabs(a - b) / fmax(fabs(b), floor);
}

static void compare(bench *x, const char *kind, const double *value, int t,
                    const char *line, worst *w)
{
    const yk_device *d = x->device;

    for (int k = 0; k < d->terminals; k++)
        x->volts[k] = k < t ? value[k] : 0.0; /* a missing substrate: ground */
    settle(x);
    value += t;
    w->rows++;
    if (strcmp(kind, "dc") == 0) {
        /* Behind a resistance of some ohms rounding of volts is 1e-15 A. */
        const double floor = d->nodes > d->terminals ? 1e-8 : 1e-14;
        for (int k = 0; k < t; k++) {
            const double error = differ(x->i[k], value[k], floor);
            w->dc = fmax(w->dc, error);
            if (error > 1e-6)
                fail_msg("%.90s: current %d is %.10g, ngspice has %.10g", line,
                         k, x->i[k], value[k]);
        }
        return;
    }
    const bool is_ac = strcmp(kind, "ac") == 0;
    double complex y[N * N];
    admittances(x, y);
    for (int j = 0; j < t; j++)
        for (int k = 0; k < t; k++) {
            const double complex mine = y[j * d->terminals + k];
            const double *his = value + 2 * (j * t + k);
            /* ngspice's .ac leaves out gmin of the substrate. */
            const double floor = x->card.element.kind == 'q' ? 2e-6 : 1e-13;
            const double g = differ(creal(mine), his[0], floor);
            const double c = differ(cimag(mine) / omega, his[1], 1e-18);
            w->c = fmax(w->c, c);
            if (is_ac) w->g = fmax(w->g, g);
            if ((is_ac && g > 1e-6) || c > 1e-6)
                fail_msg("%.90s: y(%d, %d) is %.10g + j w %.10g, ngspice has "
                         "%.10g + j w %.10g",
                         line, j, k, creal(mine), cimag(mine) / omega, his[0],
                         his[1]);
        }
}

static void open_bench(bench *x, const char *name, double celsius)
{
    char text[LINE];
    yk_device *device = NULL;
    yoke_err err;
    yk_device_env env = card_env(celsius);

    card_close(&x->card);
    find_card(name, text);
    card_read(&x->card, text);
    env.meyer = x->card.meyer;
    CHECK_OK(yk_device_make(&device, &x->card.netlist, 0, &env, &err), &err);
    x->device = device;
}

static void devices_agree_with_ngspice(void **state)
{
    static bench x;
    FILE *file = data("devices.csv");
    char line[LINE], last[120] = "";
    worst w = { 0 };
    (void)state;

    while (fgets(line, sizeof line, file)) {
        char name[80], kind[4], head[120];
        double celsius, value[60];
        int count = 0, at = 0;

        if (sscanf(line, "%79[^,],%lf,%3[^,],%n", name, &celsius, kind, &at) !=
            3)
            fail_msg("devices.csv: %.80s", line);
        for (char *s = line + at; s && count < 60; count++) {
            value[count] = strtod(s, NULL);
            s = strchr(s, ',');
            if (s) s++;
        }
        snprintf(head, sizeof head, "%s,%g", name, celsius);
        if (strcmp(head, last) != 0) open_bench(&x, name, celsius);
        strcpy(last, head);
        const int t = x.card.element.nodes;
        assert_int_equal(count, strcmp(kind, "dc") ? t + 2 * t * t : 2 * t);
        compare(&x, kind, value, t, line, &w);
    }
    fclose(file);
    card_close(&x.card);
    print_message("%d rows; worst relative difference: currents %.1e, "
                  "conductances %.1e, capacitances %.1e\n",
                  w.rows, w.dc, w.g, w.c);
    assert_true(w.rows > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_agree_with_ngspice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
