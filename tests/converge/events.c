/* tests/converge/events.c -- accuracy across state events, alone and coupled.
 *
 * A ball falls through air, v' = -g - c v - d v^3 + push, and bounces off the
 * ground.  Located to rounding along steps that end at the event, bounces leave
 * the order of a method as it is, and an error in proportion to the tolerance
 * stays so.
 */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

#include "step/steppers.h"

static const double gravity = 9.81, drag = 0.1, keeps = 0.8;

typedef struct ball {
    int bounces; /* memory */
    bool pushed; /* has an input */
} ball;

static yoke_status ball_rhs(void *self, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    const ball *b = self;

    (void)t, (void)err;
    xdot[0] = x[1];
    xdot[1] = -gravity - drag * (x[1] + 0.1 * x[1] * x[1] * x[1]) +
              (b->pushed ? u[0] : 0.0);
    return YOKE_OK;
}

static yoke_status ball_height(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    y[0] = x[0];
    return YOKE_OK;
}

static yoke_status ball_indicate(void *self, double t, const double *x,
                                 const double *u, double *g, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    g[0] = -x[0];
    return YOKE_OK;
}

static yoke_status ball_apply(void *self, double t, const double *x,
                              const double *u, const bool *happened,
                              double *x_new, yoke_err *err)
{
    (void)t, (void)u, (void)happened, (void)err;
    ((ball *)self)->bounces++;
    x_new[1] = -keeps * x[1];
    return YOKE_OK;
}

static void ball_save(void *self, void *bytes)
{
    memcpy(bytes, &((ball *)self)->bounces, sizeof(int));
}

static void ball_restore(void *self, const void *bytes)
{
    memcpy(&((ball *)self)->bounces, bytes, sizeof(int));
}

static const yoke_system_ops ball_ops = { .kind = "ball",
                                          .rhs = ball_rhs,
                                          .output = ball_height,
                                          .save = ball_save,
                                          .restore = ball_restore };
static const yoke_event_ops ball_events = { .indicate = ball_indicate,
                                            .apply = ball_apply };

static yoke_system *new_ball(ball *self)
{
    static const char *const x_name[] = { "h", "v" };
    static const char *const u_name[] = { "push" };
    static const char *const y_name[] = { "height" };
    static const double x0[] = { 1.0, 0.0 };
    const yoke_system_info info = { .n = 2,
                                    .m = self->pushed ? 1 : 0,
                                    .p = 1,
                                    .x0 = x0,
                                    .x_name = x_name,
                                    .u_name = u_name,
                                    .y_name = y_name,
                                    .memory_bytes = sizeof(int),
                                    .events = 1,
                                    .event = &ball_events };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_system_create(&system, "ball", &ball_ops, self, &info, &err),
             &err);
    return system;
}

/* ---- Alone --------------------------------------------------------------- */

static const double stop = 1.9; /* after three bounces, between two */

/* h and v at the end, the window being divided into `windows`. */
static void fall(const yoke_stepper_options *options, int windows, double *x)
{
    const int watch[] = { 0, 1 };
    ball self = { 0 };
    yoke_system *system = new_ball(&self);
    yk_propagator p = { 0 };
    yk_wave *y = NULL;
    double y0;
    yoke_err err;

    CHECK_OK(yk_stepper_create(&p, system, options, 2, watch, &err), &err);
    CHECK_OK(yk_wave_create(&y, 1, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, &y0, &err), &err);
    for (int k = 1; k <= windows; k++) {
        CHECK_OK(p.ops->sweep(p.self, stop * k / windows, NULL, y, &err), &err);
        CHECK_OK(p.ops->accept(p.self, &err), &err);
    }
    yk_wave_eval(p.ops->watched(p.self), stop, NULL, x);
    assert_int_equal(self.bounces, 3);
    p.ops->free(p.self);
    yk_wave_free(y);
    yoke_system_free(system);
}

static void reference(double *x)
{
    yoke_stepper_options options = stepper("rk4", 1e-4);

    fall(&options, 1, x);
}

static double error_of(const yoke_stepper_options *options, int windows)
{
    double x[2], exact[2];

    reference(exact);
    fall(options, windows, x);
    return hypot(x[0] - exact[0], x[1] - exact[1]);
}

static void bounces_leave_the_order(void **state)
{
    static const struct {
        const char *method;
        int order;
        double step;
    } row[] = {
        { "euler", 1, 1e-3 }, { "implicit-euler", 1, 1e-3 },
        { "heun", 2, 5e-3 },  { "midpoint", 2, 5e-3 },
        { "rk4", 4, 4e-2 },   { "trapezoidal", 2, 5e-3 },
        { "bdf2", 2, 5e-3 },  { "bdf3", 3, 1e-2 },
        { "bdf4", 4, 2e-2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const yoke_stepper_options coarse = stepper(row[i].method, row[i].step);
        const yoke_stepper_options fine =
            stepper(row[i].method, row[i].step / 8.0);
        const double first = error_of(&coarse, 1), second = error_of(&fine, 1);
        const double slope = log2(first / second) / 3.0;
        print_message("%s: errors %.2e, %.2e, order %.2f\n", row[i].method,
                      first, second, slope);
        CHECK_NEAR(slope, row[i].order, 0.4);
    }
}

/* Errors per step in proportion to rtol give rtol^(p/(p+1)) at the end with a
 * method whose estimate has the order p of the method: 2 for trbdf2 and
 * genalpha. */
static void errors_follow_the_tolerance(void **state)
{
    static const struct {
        const char *method;
        double factor, power;
    } row[] = {
        { "radau5", 10.0, 1.0 },
        { "trbdf2", 10.0, 2.0 / 3.0 },
        { "genalpha", 10.0, 2.0 / 3.0 },
#ifdef YOKE_HAVE_SUNDIALS
        { "ida", 300.0, 1.0 },
#endif
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (double rtol = 1e-4; rtol > 1e-9; rtol *= 0.1) {
            yoke_stepper_options options = stepper(row[i].method, 0.0);
            options.rtol = options.atol = rtol;
            const double error = error_of(&options, 3);
            print_message("%s, rtol %.0e: error %.2e\n", row[i].method, rtol,
                          error);
            CHECK_BETWEEN(error, 0.0, row[i].factor * pow(rtol, row[i].power));
        }
}

/* ---- Coupled ------------------------------------------------------------- */

/* The height goes through a filter, x' = 5 (u - x), and the filter pushes the
 * ball. */
static yoke_model *ball_and_filter(ball *self, double push, double rtol)
{
    static const double A[] = { -5.0 }, B[] = { 5.0 };
    static const char *const x_name[] = { "x" }, *const u_name[] = { "u" };
    const yoke_linear filter = {
        .n = 1, .m = 1, .A = A, .B = B, .x_name = x_name, .u_name = u_name
    };
    yoke_stepper_options options = stepper("radau5", 0.0);
    yoke_model *model = new_model();

    options.rtol = options.atol = rtol;
    self->pushed = push != 0.0;
    add_system(model, new_ball(self), &options);
    add_linear(model, "filter", &filter, &options);
    connect(model, "filter.u", "ball.height", 1.0);
    if (self->pushed) connect(model, "ball.push", "filter.x", push);
    return model;
}

static void run_pair(double push, yoke_scheme scheme, double window,
                     double *end, int *bounces)
{
    ball self = { 0 };
    yoke_model *model = ball_and_filter(&self, push, 1e-9);
    yoke_run_options o = yoke_run_defaults();
    yoke_run *run = NULL;
    yoke_err err;

    o.stop = stop;
    o.scheme = scheme;
    o.iterate.window = window;
    o.iterate.rtol = o.iterate.atol = 1e-8;
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, stop, &err), &err);
    end[0] = value_of(run, "ball.h");
    end[1] = value_of(run, "ball.v");
    end[2] = value_of(run, "filter.x");
    *bounces = self.bounces;
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

/* Windows of 0.19 and 0.0475: bounces lie anywhere in them. */
static void coupled_bounces_are_those_of_the_whole(void **state)
{
    static const double push[] = { 0.0, 1.0 };
    static const yoke_scheme scheme[] = { YOKE_GAUSS_SEIDEL, YOKE_JACOBI };

    (void)state;
    for (int i = 0; i < 2; i++) {
        double whole[3];
        int bounces = 0;
        run_pair(push[i], YOKE_MONOLITHIC, 0.19, whole, &bounces);
        assert_int_equal(bounces, 3);
        for (int k = 0; k < 4; k++) {
            double end[3];
            int count = 0;
            run_pair(push[i], scheme[k / 2], k % 2 ? 0.19 : 0.0475, end,
                     &count);
            assert_int_equal(count, bounces);
            print_message("push %g: %.2e %.2e %.2e\n", push[i],
                          end[0] - whole[0], end[1] - whole[1],
                          end[2] - whole[2]);
            for (int c = 0; c < 3; c++) CHECK_NEAR(end[c], whole[c], 2e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounces_leave_the_order),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(coupled_bounces_are_those_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
