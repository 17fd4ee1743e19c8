/* Stiff followers: z' = rate (g(x) - z) with a slow x.  z is g(x) but for its
 * slope, and must be so at the points of a step and between them. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include <math.h>
#include <stdint.h>

static uint64_t dice = 11;

static double chance(double low, double high)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * ldexp((double)(dice >> 11), -53);
}

/* x = cos(speed t); z follows curve `kind` of it. */
typedef struct follower {
    double rate, speed, rtol, a, b, c;
    int kind;
} follower;

enum { KINDS = 4 };

static follower draw_one(int i)
{
    follower f = { .kind = i % KINDS };

    f.rate = pow(10.0, chance(1.0, 6.0));
    f.speed = pow(10.0, chance(-4.0, -1.0));
    f.rtol = pow(10.0, -floor(chance(3.0, 8.0)));
    f.a = pow(10.0, chance(-4.0, -0.5));
    f.b = chance(1.0, 8.0);
    f.c = chance(-0.9, 0.9);
    return f;
}

static double curve(const follower *f, double x)
{
    switch (f->kind) {
    case 0:
        return sqrt(f->a + (x - f->c) * (x - f->c));
    case 1:
        return exp(f->b * x);
    case 2:
        return tanh(3.0 * f->b * (x - f->c));
    default:
        return 1.0 / (1.0 + f->b * f->b * (x - f->c) * (x - f->c));
    }
}

/* The integral of exp(-s) g(t - s/rate) over s, by Simpson's rule. */
static double exact(const follower *f, double t)
{
    enum { PARTS = 2000 };
    const double h = 36.0 / PARTS;
    double sum = 0.0;

    for (int i = 0; i <= PARTS; i++) {
        const double s = h * i;
        const double weight = i == 0 || i == PARTS ? 1.0 : i % 2 ? 4.0 : 2.0;
        sum += weight * exp(-s) * curve(f, cos(f->speed * (t - s / f->rate)));
    }
    return sum * h / 3.0;
}

static void write_model(const follower *f, char *text, size_t size)
{
    static const char *const form[KINDS] = { "sqrt(a + (x - c)^2)", "exp(b*x)",
                                             "tanh(3*b*(x - c))",
                                             "1/(1 + (b*(x - c))^2)" };

    snprintf(
        text, size,
        "model M output Real z(start = 0, fixed = true); Real x(start = 1, "
        "fixed = true); Real y(start = 0, fixed = true); parameter Real a "
        "= %.17g; parameter Real b = %.17g; parameter Real c = %.17g; "
        "equation der(x) = %.17g*y; der(y) = -%.17g*x; der(z) = "
        "%.17g*(%s - z); end M;",
        f->a, f->b, f->c, f->speed, f->speed, f->rate, form[f->kind]);
}

/* What is seen of a run: errors at points inside its windows. */
typedef struct seen {
    const follower *f;
    yoke_run *run;
    double t, next, error, size;
} seen;

static bool look(void *context, double t, const yoke_iterate_result *so_far)
{
    enum { POINTS = 400 };
    seen *s = context;
    double value[8];

    (void)so_far;
    for (; s->next <= t; s->next += 12.0 / (POINTS * s->f->speed)) {
        if (s->next * s->f->rate < 40.0) continue;
        yoke_run_at(s->run, s->next, value);
        s->error = fmax(s->error, fabs(value[0] - exact(s->f, s->next)));
        s->size = fmax(s->size, fabs(value[0]));
    }
    s->t = t;
    return false;
}

/* The largest error, in tolerances of the largest value. */
static double error_in(const follower *f)
{
    seen s = { .f = f };
    const yoke_watcher watcher = { .window = look, .context = &s };
    char text[1000];
    yoke_err err = { YOKE_OK, "" };

    write_model(f, text, sizeof text);
    write_file("m.mo", text);
    snprintf(text, sizeof text,
             "yoke: 1\nrun: {stop: %.17g, rtol: %g, atol: %g, spot: 0}\n"
             "subsystems:\n  a: {model: %s}\n",
             12.0 / f->speed, f->rtol, 1e-3 * f->rtol, in_scratch("m.mo"));
    yoke_file *file = parse(text);
    const yoke_run_options *options = yoke_file_run_options(file);
    CHECK_OK(
        yoke_run_create(&s.run, yoke_file_model(file), options, &watcher, &err),
        &err);
    CHECK_OK(yoke_run_advance(s.run, options->stop, &err), &err);
    yoke_run_close(s.run, NULL);
    yoke_file_free(file);
    return s.error / (f->rtol * (1e-3 + s.size));
}

static void followers_follow(void **state)
{
    enum { CASES = 20 * KINDS };
    double worst = 0.0;
    (void)state;

    for (int i = 0; i < CASES; i++) {
        const follower f = draw_one(i);
        const double error = error_in(&f);
        worst = fmax(worst, error);
        if (!(error <= 5.0))
            fail_msg("curve %d, rate %g, speed %g, rtol %g, a %g, b %g, c %g: "
                     "off by %.3g tolerances",
                     f.kind, f.rate, f.speed, f.rtol, f.a, f.b, f.c, error);
    }
    print_message("at most %.3g tolerances\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(followers_follow) };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
