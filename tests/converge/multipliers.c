/* Two masses joined by their positions (index 3), one of them pushed from t0 to
 * t1: the multiplier is m_b / (m_a + m_b) of the push and jumps with it, at
 * once.  No row shows anything between. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include <math.h>
#include <stdint.h>

static uint64_t dice = 5;

static double chance(double low, double high)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * ldexp((double)(dice >> 11), -53);
}

typedef struct push {
    double a, b, force, begin, end, rtol;
} push;

static push draw_one(void)
{
    push c = { .a = pow(10.0, chance(-1.0, 1.0)) };

    c.b = pow(10.0, chance(-1.0, 1.0));
    c.force = pow(10.0, chance(-1.0, 2.0));
    c.begin = chance(0.2, 5.0);
    c.end = c.begin + pow(10.0, chance(-3.0, 0.5));
    c.rtol = pow(10.0, -floor(chance(4.0, 8.0)));
    return c;
}

/* What is seen of a run: the largest error at and after the jumps, from 1e-12 s
 * on, and elsewhere. */
typedef struct seen {
    const push *c;
    yoke_run *run;
    int variable;
    double t, error, at;
} seen;

static void compare(seen *s, double t)
{
    const push *c = s->c;
    const double ratio = c->b / (c->a + c->b);
    const double exact = t > c->begin && t < c->end ? ratio * c->force : 0.0;
    double value[16];

    yoke_run_at(s->run, t, value);
    const double error = fabs(value[s->variable] - exact);
    if (!(error > s->error)) return;
    s->error = error;
    s->at = t;
}

static bool look(void *context, double t, const yoke_iterate_result *so_far)
{
    seen *s = context;
    const double jump[] = { s->c->begin, s->c->end };
    (void)so_far;

    for (int i = 0; i < 2; i++)
        for (double gap = 1e-12; gap < 1.0; gap *= 1.7)
            if (jump[i] + gap > s->t && jump[i] + gap <= t)
                compare(s, jump[i] + gap);
    s->t = t;
    return false;
}

static void write_models(const push *c)
{
    char text[1000];

    snprintf(text, sizeof text,
             "model A\n  input Real f;\n  output Real x(start = 0, fixed = "
             "true);\n  output Real v(start = 0, fixed = true);\nequation\n"
             "  der(x) = v;\n  %.17g*der(v) = f + (if time > %.17g and time < "
             "%.17g then %.17g else 0);\nend A;\n"
             "model B\n  input Real f;\n  output Real x(start = 0, fixed = "
             "true);\n  output Real v(start = 0, fixed = true);\nequation\n"
             "  der(x) = v;\n  %.17g*der(v) = f;\nend B;\n",
             c->a, c->begin, c->end, c->force, c->b);
    write_file("m.mo", text);
}

static void check(const push *c)
{
    const char *const path = in_scratch("m.mo");
    const char *const *name = NULL;
    const double *value = NULL;
    seen s = { .c = c };
    const yoke_watcher watcher = { .window = look, .context = &s };
    char text[2000];
    yoke_err err = { YOKE_OK, "" };

    write_models(c);
    snprintf(text, sizeof text,
             "yoke: 1\nrun: {stop: 10, rtol: %g, atol: %g, spot: 0}\n"
             "subsystems:\n  a: {model: %s, class: A}\n"
             "  b: {model: %s, class: B}\ncouplings:\n  - constraint:\n"
             "      name: j\n      equation: a.x - b.x = 0\n"
             "      multiplier: lam\n      enters: [a.f = -lam, b.f = lam]\n",
             c->rtol, c->rtol, path, path);
    yoke_file *file = parse(text);
    const yoke_run_options *options = yoke_file_run_options(file);
    CHECK_OK(
        yoke_run_create(&s.run, yoke_file_model(file), options, &watcher, &err),
        &err);
    const int count = yoke_run_variables(s.run, &name, &value);
    while (s.variable < count && strcmp(name[s.variable], "j.lam") != 0)
        s.variable++;
    CHECK_OK(yoke_run_advance(s.run, options->stop, &err), &err);
    yoke_run_close(s.run, NULL);
    yoke_file_free(file);
    const double off =
        s.error / (c->rtol * (1.0 + c->force * c->b / (c->a + c->b)));
    if (!(off <= 10.0))
        fail_msg("masses %g and %g, %g N from %.9g to %.9g, rtol %g: the "
                 "multiplier is off by %.3g tolerances at t = %.17g",
                 c->a, c->b, c->force, c->begin, c->end, c->rtol, off, s.at);
}

static void multipliers_jump_at_once(void **state)
{
    enum { CASES = 60 };
    (void)state;

    for (int i = 0; i < CASES; i++) {
        const push c = draw_one();
        check(&c);
    }
}

/* From rest, where all is 0 and a long window tells that the springs amplify, the
 * push comes without a sign of it.  Apart: each part is driven by the multiplier. */
static void a_push_from_rest_finds_parts_apart(void **state)
{
    static const double a = 0.012, b = 0.039, ka = 1.7, kb = 0.14, force = 1.86,
                        begin = 0.987, stop = 1.64;
    const double k = ka + kb, omega = sqrt(k / (a + b));
    const double x = force / k * (1.0 - cos(omega * (stop - begin)));
    const double rate2 = force / (a + b) * cos(omega * (stop - begin));
    char text[1000];

    (void)state;
    for (double rtol = 1e-3; rtol > 1e-8; rtol *= 0.1) {
        double value = NAN;
        yoke_err err = { YOKE_OK, "" };
        snprintf(text, sizeof text,
                 "yoke: 1\nrun: {stop: %.17g, rtol: %g, atol: %g, "
                 "cluster: none}\nsubsystems:\n"
                 "  a: {component: mechanism, masses: {m: {mass: %g, force: "
                 "\"%g*(time >= %g)\"}}, springs: [{between: [ground, m], "
                 "stiffness: %g}], inputs: [m]}\n"
                 "  b: {component: mechanism, masses: {m: %g}, springs: "
                 "[{between: [ground, m], stiffness: %g}], inputs: [m]}\n"
                 "couplings:\n  - constraint: {name: j, equation: "
                 "\"a.m - b.m = 0\", multiplier: lam, enters: "
                 "[a.m.force = -lam, b.m.force = lam]}\n",
                 stop, rtol, 1e-3 * rtol, a, force, begin, ka, b, kb);
        yoke_file *file = parse(text);
        yoke_run *run = run_file(file);
        CHECK_OK(yoke_run_value(run, "b.m", &value, &err), &err);
        CHECK_NEAR(value, x, 10.0 * rtol);
        CHECK_OK(yoke_run_value(run, "j.lam", &value, &err), &err);
        CHECK_NEAR(value, b * rate2 + kb * x, 20.0 * rtol);
        yoke_run_close(run, NULL);
        yoke_file_free(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers_jump_at_once),
        cmocka_unit_test(a_push_from_rest_finds_parts_apart),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
