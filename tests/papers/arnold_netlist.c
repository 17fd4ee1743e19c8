/* Section 4.1 of Arnold and Guenther (2001), the circuit of arnold_circuit.c
 * written as a netlist:
 *
 *     C1, g1 and a source at node a, C2 and g2 at node b, a source of 0 V
 *     between them whose current is the multiplier u of (4.1)-(4.3).
 *
 * `cut current second vcut` gives the current and its law v(a) = v(b) to the
 * second subcircuit.  The constraint is not differentiated here: u contains the
 * derivative of v(a), so both sides use one grid (trapezoidal rule, 5e-4).  It
 * begins at the operating point; what a sweep does to an error is the same.
 *
 * Numbers: ratios of the errors in a window of 0.1 s of arnold_circuit.c.
 */
#include "check.h"
#include "yoke/netlist.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 50, SWEEPS = 5 };

static yoke_file *read_circuit(double alpha, const char *owner)
{
    char text[600];
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    const int length =
        snprintf(text, sizeof text,
                 "section 4.1\n* yoke: stepper trapezoidal 5e-4\n"
                 "* yoke: cut current %s vcut\n"
                 "c1 a 0 1\nr1 a 0 1\ni1 0 a sin(1 1 1)\nvcut a b 0\n"
                 "c2 b 0 %g\nr2 b 0 {1/0.3}\n.tran 0.01 1\n.end\n",
                 owner, alpha);
    CHECK_OK(yoke_file_parse(&file, "section41.cir", text, (size_t)length, NULL,
                             &err),
             &err);
    return file;
}

/* The current of vcut at equal distances in one window of 0.1 s. */
typedef struct sampled {
    yoke_run *run;
    double value[POINTS];
} sampled;

static bool take(void *context, double t, const yoke_iterate_result *so_far)
{
    sampled *s = context;
    const char *const *name = NULL;
    double value[16];
    const int count = yoke_run_variables(s->run, &name, NULL);
    int at = 0;

    (void)so_far;
    assert_true(count <= 16);
    while (at < count && strcmp(name[at], "i(vcut)") != 0) at++;
    assert_true(at < count);
    for (int k = 0; k < POINTS; k++) {
        yoke_run_at(s->run, t * (k + 1) / POINTS, value);
        s->value[k] = value[at];
    }
    return false;
}

static void run(double alpha, bool precondition, int sweeps, sampled *s)
{
    yoke_file *file = read_circuit(alpha, "second");
    const yoke_watcher watcher = { .window = take, .context = s };
    yoke_run_options o = *yoke_file_run_options(file);
    yoke_err err = { YOKE_OK, "" };

    o.stop = o.iterate.window = 0.1;
    o.iterate.stop = YOKE_STOP_COUNT;
    o.iterate.max_sweeps = sweeps;
    o.iterate.extrapolate = 0;
    o.iterate.loosen = false;
    o.iterate.rtol = o.iterate.atol = 1e-11;
    o.iterate.accelerate =
        precondition ? YOKE_ACCELERATE_PRECONDITION : YOKE_ACCELERATE_NONE;
    o.cluster = YOKE_CLUSTER_NONE;
    CHECK_OK(
        yoke_run_create(&s->run, yoke_file_model(file), &o, &watcher, &err),
        &err);
    CHECK_OK(yoke_run_advance(s->run, o.stop, &err), &err);
    yoke_run_close(s->run, NULL);
    yoke_file_free(file);
}

/* change[k]: the largest between sweeps k + 1 and k + 2. */
static void changes(double alpha, bool precondition, double *change)
{
    sampled s[SWEEPS];

    for (int k = 0; k < SWEEPS; k++) run(alpha, precondition, k + 1, &s[k]);
    for (int k = 0; k + 1 < SWEEPS; k++) {
        change[k] = 0.0;
        for (int j = 0; j < POINTS; j++)
            change[k] =
                fmax(change[k], fabs(s[k + 1].value[j] - s[k].value[j]));
    }
}

/* Errors of arnold_circuit.c after one and two sweeps, plain; after two and
 * three, with the preconditioner. */
static const struct row {
    double alpha, plain[2], preconditioned[2];
} rows[] = {
    { 0.5, { 0.09053602, 0.04435106 }, { 5.503303e-06, 1.831053e-08 } },
    { 0.9, { 0.2238959, 0.194656 }, { 4.314086e-05, 3.401532e-07 } },
    { 2.0, { 0.7039614, 1.346776 }, { 0.0001980507, 2.80118e-06 } },
    { 31.0, { 16.66212, 490.478 }, { 0.0008656877, 2.069752e-05 } },
};

enum { ROWS = sizeof rows / sizeof *rows };

/* yoke check: alpha, and 1 / alpha if the other side owns the current. */
static void the_ratio_of_the_capacitances_is_predicted(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        for (int first = 0; first < 2; first++) {
            yoke_file *file =
                read_circuit(rows[i].alpha, first ? "first" : "second");
            const double wanted = first ? 1.0 / rows[i].alpha : rows[i].alpha;
            yoke_contraction c = { .h = 1e-9 };
            yoke_netlist_info info;
            yoke_err err = { YOKE_OK, "" };
            CHECK_OK(yoke_model_contraction(yoke_file_model(file),
                                            yoke_file_run_options(file), 1, &c,
                                            &err),
                     &err);
            CHECK_NEAR(c.rho, wanted, 1e-6 * wanted);
            assert_true(yoke_file_netlist(file, &info));
            CHECK_NEAR(info.rate, wanted, 0.02 * wanted);
            yoke_file_free(file);
        }
}

static void plain_sweeps_contract_as_in_the_reference(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        double change[SWEEPS];
        const double wanted = rows[i].plain[1] / rows[i].plain[0];
        changes(rows[i].alpha, false, change);
        print_message("alpha %g: %.5g per sweep, reference %.5g\n",
                      rows[i].alpha, change[1] / change[0], wanted);
        CHECK_NEAR(change[1] / change[0], wanted, 2e-3 * wanted);
        CHECK_NEAR(change[2] / change[1], wanted, 4e-3 * wanted);
    }
}

/* The change is the error before the sweep. */
static void the_preconditioner_takes_the_rate_away(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        double change[SWEEPS];
        const double wanted =
            rows[i].preconditioned[1] / rows[i].preconditioned[0];
        changes(rows[i].alpha, true, change);
        print_message("alpha %g preconditioned: %.5g, reference %.5g\n",
                      rows[i].alpha, change[3] / change[2], wanted);
        CHECK_NEAR(change[3] / change[2], wanted, 0.05 * wanted);
    }
}

/* Left to itself the run gives no wrong result: what contains a derivative is
 * solved as one. */
static void a_plain_run_is_right(void **state)
{
    (void)state;
    yoke_file *file = read_circuit(31.0, "second");
    yoke_run_options o = *yoke_file_run_options(file);
    yoke_run *run = NULL;
    double v = NAN;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &o, NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
    CHECK_OK(yoke_run_value(run, "v(a)", &v, &err), &err);
    /* 32 v' + 1.3 v = 1 + sin 2 pi t from v = 1 / 1.3. */
    const double a = 1.3 / 32.0, w = 6.283185307179586477;
    const double swing = w / (a * a + w * w) / 32.0;
    CHECK_NEAR(v, 1.0 / 1.3 - swing + swing * exp(-a), 1e-6);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ratio_of_the_capacitances_is_predicted),
        cmocka_unit_test(plain_sweeps_contract_as_in_the_reference),
        cmocka_unit_test(the_preconditioner_takes_the_rate_away),
        cmocka_unit_test(a_plain_run_is_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
