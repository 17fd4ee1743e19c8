/* step/tape_test.c -- steps that are corrected are those that would have been
 * made with the other inputs. */
#include "check.h"

#include "step/steppers.h"
#include "sys/propagator.h"
#include "yoke/compose.h"
#include "yoke/stepper.h"
#include "yoke/system.h"

#include <math.h>

static yoke_status rhs(void *self, double t, const double *x, const double *u,
                       double *xdot, yoke_err *err)
{
    const double *cubic = self;

    (void)t, (void)err;
    xdot[0] =
        -2.0 * x[0] - *cubic * x[0] * x[0] * x[0] + u[0] + *cubic * u[0] * x[0];
    return YOKE_OK;
}

static double none = 0.0, some = 1.0;

/* Methods whose steps can be corrected, and accuracies of 1e-8 of theirs; the
 * last one at a point where steps of `step` are taken, however inaccurate. */
typedef struct way {
    const char *method;
    double tolerance, step;
} way;

static const way radau5 = { "radau5", 1e-8, 0.0 },
                 trbdf2 = { "trbdf2", 1e-8, 0.0 };
static const way same[] = { { "radau5", 1e-2, 0.02 },
                            { "trbdf2", 1e-2, 0.02 },
                            { "implicit-euler", 1e-2, 0.02 },
                            { "trapezoidal", 1e-2, 0.02 } };
enum { WAYS = sizeof same / sizeof *same };

static yk_propagator driven(yoke_system **system, double *cubic, const way *w)
{
    static const yoke_system_ops ops = { .kind = "cubic", .rhs = rhs };
    const double one = 1.0, u0 = 1.0;
    const double minus_two = -2.0;
    const yoke_system_info info = { .n = 1, .m = 1, .x0 = &one };
    const yoke_linear linear = { .n = 1,
                                 .m = 1,
                                 .p = 1,
                                 .A = &minus_two,
                                 .B = &one,
                                 .H = &one,
                                 .x0 = &one };
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p;
    double y = 0.0;
    yoke_err err;

    if (*cubic == 0.0)
        CHECK_OK(yoke_linear_create(system, "s", &linear, &err), &err);
    else
        CHECK_OK(yoke_system_create(system, "s", &ops, cubic, &info, &err),
                 &err);
    CHECK_OK(yoke_stepper_set(&o, "method", w->method, &err), &err);
    o.rtol = o.atol = w->tolerance;
    o.step = o.max_step = w->step;
    CHECK_OK(yk_stepper_create(&p, *system, &o, 0, NULL, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, &u0, &y, &err), &err);
    p.ops->tape->keep(p.self, true);
    return p;
}

/* u = 1 + slope t on [0, 1]. */
static yk_wave *ramp(double value, double slope)
{
    const double left = value, right = value + slope;
    yk_wave *u = NULL;
    yoke_err err;

    CHECK_OK(yk_wave_create(&u, 1, &err), &err);
    yk_wave_clear(u, 0.0);
    CHECK_OK(yk_wave_append_linear(u, 1.0, &left, &right, &err), &err);
    return u;
}

static double at(const yk_wave *w, double t)
{
    double value = NAN;

    yk_wave_eval(w, t, NULL, &value);
    return value;
}

static long residuals(const yk_propagator *p)
{
    yoke_work work = { 0 };

    p->ops->work(p->self, &work);
    return work.residuals;
}

typedef struct rig {
    yoke_system *system;
    yk_propagator p;
    yk_wave *used, *du, *now, *y, *dy, *want;
    yk_tape_result result;
} rig;

/* A sweep with u = 1, and what one with u = 1 + slope t would have made. */
static rig begin(double *cubic, double slope, const way *w)
{
    rig r = { 0 };
    yoke_err err;

    r.p = driven(&r.system, cubic, w);
    r.used = ramp(1.0, 0.0);
    r.du = ramp(0.0, slope);
    r.now = ramp(1.0, slope);
    CHECK_OK(yk_wave_create(&r.y, 1, &err), &err);
    CHECK_OK(yk_wave_create(&r.dy, 1, &err), &err);
    CHECK_OK(yk_wave_create(&r.want, 1, &err), &err);
    CHECK_OK(r.p.ops->sweep(r.p.self, 1.0, r.now, r.want, &err), &err);
    CHECK_OK(r.p.ops->sweep(r.p.self, 1.0, r.used, r.y, &err), &err);
    assert_true(r.p.ops->tape->ready(r.p.self));
    CHECK_OK(r.p.ops->tape->renew(r.p.self, r.used, YK_RENEW_SLOPES, &err),
             &err);
    return r;
}

static void correct(rig *r, const yk_wave *du)
{
    yoke_err err;

    CHECK_OK(r->p.ops->tape->answer(r->p.self, du, true, r->dy, &err), &err);
    CHECK_OK(r->p.ops->tape->apply(r->p.self, r->now, r->y, &r->result, &err),
             &err);
}

static void end(rig *r)
{
    yk_wave *const w[] = { r->used, r->du, r->now, r->y, r->dy, r->want };

    for (int k = 0; k < 6; k++) yk_wave_free(w[k]);
    r->p.ops->free(r->p.self);
    yoke_system_free(r->system);
}

/* An affine system: exact, and not one evaluation. */
static void an_affine_correction_is_exact(void **state)
{
    rig r = begin(&none, 0.01, *state);
    const double before = at(r.y, 1.0);
    const long work = residuals(&r.p);

    correct(&r, r.du);
    assert_int_equal(residuals(&r.p), work);
    CHECK_NEAR(at(r.y, 1.0) - before, at(r.dy, 1.0), 1e-12);
    for (double t = 0.05; t < 1.0; t += 0.1)
        CHECK_NEAR(at(r.y, t), at(r.want, t), 3e-8);
    CHECK_NEAR(r.result.left, 0.0, 0.0);
    assert_true(r.result.size > 1e4);
    end(&r);
}

/* Half of it by hand: x' = -2 x + u, dx' = -2 dx + t / 100. */
static void the_answer_is_that_of_the_equation(void **state)
{
    rig r = begin(&none, 0.01, *state);
    yoke_err err;

    CHECK_OK(r.p.ops->tape->answer(r.p.self, r.du, false, r.dy, &err), &err);
    for (double t = 0.05; t < 1.0; t += 0.1)
        CHECK_NEAR(at(r.dy, t), 0.01 * (t / 2.0 - 0.25 + exp(-2.0 * t) / 4.0),
                   1e-9);
    end(&r);
}

/* The same steps with the other inputs: not only within the tolerance. */
static void the_steps_are_those_of_a_second_sweep(void **state)
{
    (void)state;
    for (int k = 0; k < WAYS; k++) {
        rig r = begin(&none, 0.01, &same[k]);
        const double before = at(r.y, 1.0);
        correct(&r, r.du);
        assert_int_equal(yk_wave_pieces(r.y), yk_wave_pieces(r.want));
        for (double t = 0.005; t < 1.0; t += 0.03)
            CHECK_NEAR(at(r.y, t), at(r.want, t), 1e-14);
        CHECK_NEAR(at(r.y, 1.0), at(r.want, 1.0), 1e-14);
        assert_true(fabs(at(r.y, 1.0) - before) > 1e-3);
        end(&r);
    }
}

/* A curved system: with evaluations at the stages. */
static void curved_steps_are_those_of_a_second_sweep(void **state)
{
    yk_wave *nothing = ramp(0.0, 0.0);
    yoke_err err;
    (void)state;
    for (int k = 0; k < WAYS; k++) {
        way w = same[k];
        w.tolerance = 1e-3;
        w.step = 0.002;
        rig r = begin(&some, 0.01, &w);
        const double before = at(r.y, 1.0);
        correct(&r, r.du);
        const double first = fabs(at(r.y, 1.0) - at(r.want, 1.0));
        assert_true(first < 0.5 * fabs(before - at(r.want, 1.0)));
        for (int i = 0; i < 4; i++) {
            CHECK_OK(
                r.p.ops->tape->renew(r.p.self, r.now, YK_RENEW_EQUATIONS, &err),
                &err);
            correct(&r, nothing);
        }
        /* Newton's method ends at a hundredth of 1e-3, and is more accurate. */
        assert_true(r.result.size < 1e-9);
        CHECK_NEAR(at(r.y, 1.0), at(r.want, 1.0), 1e-7);
        end(&r);
    }
    yk_wave_free(nothing);
}

/* One that is not affine says what it leaves, and evaluations remove it. */
static void what_is_left_can_be_evaluated(void **state)
{
    rig r = begin(&some, 0.01, *state);
    yk_wave *nothing = ramp(0.0, 0.0);
    yoke_err err;

    correct(&r, r.du);
    assert_true(r.result.left > 1.0);
    const double first = fabs(at(r.y, 1.0) - at(r.want, 1.0));
    assert_true(first > 1e-7);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(
            r.p.ops->tape->renew(r.p.self, r.now, YK_RENEW_EQUATIONS, &err),
            &err);
        correct(&r, nothing);
    }
    assert_true(r.result.size < 0.1);
    CHECK_NEAR(at(r.y, 1.0), at(r.want, 1.0), 1e-8);
    yk_wave_free(nothing);
    end(&r);
}

/* So do derivatives before and after the correction, without an evaluation. */
static void what_is_left_follows_from_derivatives(void **state)
{
    rig r = begin(&some, 0.01, *state);
    yk_wave *nothing = ramp(0.0, 0.0);
    yoke_err err;

    correct(&r, r.du);
    const double first = fabs(at(r.y, 1.0) - at(r.want, 1.0));
    const long work = residuals(&r.p);
    CHECK_OK(r.p.ops->tape->renew(r.p.self, r.now, YK_RENEW_MATRICES, &err),
             &err);
    correct(&r, nothing);
    assert_int_equal(residuals(&r.p), work);
    assert_true(fabs(at(r.y, 1.0) - at(r.want, 1.0)) < 0.05 * first);
    yk_wave_free(nothing);
    end(&r);
}

/* The corrected sweep is accepted like any other: the next begins at its end. */
static void the_next_sweep_begins_at_the_corrected_end(void **state)
{
    rig r = begin(&none, 0.01, *state);
    const double left = 1.01, right = 1.02;
    yoke_err err;

    correct(&r, r.du);
    const double reached = at(r.y, 1.0);
    CHECK_OK(r.p.ops->accept(r.p.self, &err), &err);
    yk_wave_clear(r.now, 1.0);
    CHECK_OK(yk_wave_append_linear(r.now, 2.0, &left, &right, &err), &err);
    CHECK_OK(r.p.ops->sweep(r.p.self, 2.0, r.now, r.y, &err), &err);
    CHECK_NEAR(at(r.y, 1.0), reached, 1e-15);
    /* x' = -2 x + 1 + t / 100, x(0) = 1 */
    CHECK_NEAR(at(r.y, 2.0), 0.5 - 0.0025 + 0.01 + (1.0 - 0.4975) * exp(-4.0),
               3e-8);
    end(&r);
}

#define BOTH(test)                                                             \
    cmocka_unit_test_prestate(test, (void *)&radau5),                          \
        cmocka_unit_test_prestate(test, (void *)&trbdf2)

/* The inputs bend one rounding error behind the end of a step of the sweep before:
 * it is that instant, and no step lies between. */
static void a_grid_ends_where_the_inputs_bend(void **state)
{
    const way loose = { "radau5", 1e-6, 0.1 };
    yoke_system *system = NULL;
    const double value[] = { 1.0, 1.0, 2.0 };
    yoke_err err;

    (void)state;
    yk_propagator p = driven(&system, &some, &loose);
    yk_wave *const flat = ramp(1.0, 0.0), *bent = NULL, *y = NULL;
    CHECK_OK(yk_wave_create(&y, 1, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, 1.0, flat, y, &err), &err);
    assert_true(yk_wave_pieces(y) > 5);
    const double bend = nextafter(yk_wave_knot(y, 5), 1.0);
    CHECK_OK(yk_wave_create(&bent, 1, &err), &err);
    yk_wave_clear(bent, 0.0);
    CHECK_OK(yk_wave_append_linear(bent, bend, value, value + 1, &err), &err);
    CHECK_OK(yk_wave_append_linear(bent, 1.0, value + 1, value + 2, &err),
             &err);
    CHECK_OK(p.ops->sweep(p.self, 1.0, bent, y, &err), &err);
    for (int i = 0; i < yk_wave_pieces(y); i++)
        assert_true(yk_wave_knot(y, i + 1) - yk_wave_knot(y, i) > 1e-9);
    p.ops->free(p.self);
    yk_wave_free(flat);
    yk_wave_free(bent);
    yk_wave_free(y);
    yoke_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(an_affine_correction_is_exact),
        BOTH(the_answer_is_that_of_the_equation),
        BOTH(what_is_left_can_be_evaluated),
        BOTH(what_is_left_follows_from_derivatives),
        BOTH(the_next_sweep_begins_at_the_corrected_end),
        cmocka_unit_test(the_steps_are_those_of_a_second_sweep),
        cmocka_unit_test(curved_steps_are_those_of_a_second_sweep),
        cmocka_unit_test(a_grid_ends_where_the_inputs_bend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
