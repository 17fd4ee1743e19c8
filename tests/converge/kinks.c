/* Narrow peaks made of max, min, abs and if: the branch that is held ends where
 * its relation changes, however narrow the peak is against the tolerance of
 * what it reads.  u = t/10, or exp(t/10) - 1, passes through each once, so that
 * the integral is known. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include <math.h>
#include <stdint.h>

/* In @ = (u - c)/w, and the integral over it. */
static const struct {
    const char *text;
    double area;
} peak[] = {
    { "max(0, 1 - @^2)", 4.0 / 3.0 },
    { "max(0, 1 - abs(@))", 1.0 },
    { "min(1, max(0, 2 - abs(@)))", 3.0 },
    { "(if abs(@) < 1 then 1 - @^2 else 0)", 4.0 / 3.0 },
    { "(abs(@ + 1) + abs(@ - 1) - 2*abs(@))/2", 1.0 },
    { "max(0, min(1 - @^2, 0.5))", 0.8619287458379642 },
    { "max(0, 1 - @^4)", 1.6 },
    { "max(0, 1 - abs(@)^3)", 1.5 },
    { "(if @ < -1 or @ > 1 then 0 else 1 - abs(@))", 1.0 },
};
enum { PEAKS = sizeof peak / sizeof *peak };

/* A peak: where, how wide, its integral over time; tolerances. */
typedef struct draw {
    double at, width, integral, rtol, atol;
    int peak;
} draw;

static uint64_t dice;

static double chance(double low, double high)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * ldexp((double)(dice >> 11), -53);
}

static draw draw_one(int i)
{
    draw c = { .peak = i % PEAKS };

    c.at = chance(0.2, 0.8);
    c.width = pow(10.0, chance(-6.5, -2.0));
    c.integral = pow(10.0, chance(-1.0, 3.0));
    c.rtol = pow(10.0, floor(chance(-6.0, -2.0)));
    c.atol = c.rtol * pow(10.0, floor(chance(-3.0, 1.0)));
    return c;
}

/* One model; two parts; two parts of which the first has short steps; one model
 * in which u rises exponentially, so that a path changes with its step. */
enum { ONE, TWO, FAST, CURVED, WAYS };

/* The peak, with what is written for @. */
static const char *text_of(const draw *c)
{
    static char text[1000];
    size_t used = 0;

    for (const char *from = peak[c->peak].text; *from; from++)
        used += (size_t)(*from == '@'
                             ? snprintf(text + used, sizeof text - used,
                                        "((u - %.17g)/%.17g)", c->at, c->width)
                             : snprintf(text + used, sizeof text - used, "%c",
                                        *from));
    return text;
}

static void write_models(const draw *c)
{
    char text[5000];
    const double height = c->integral / (10.0 * c->width * peak[c->peak].area);

    snprintf(text, sizeof text,
             "model One\n  Real u(start = 0, fixed = true);\n"
             "  Real z(start = 0, fixed = true);\n"
             "equation\n  der(u) = 0.1; der(z) = %.17g*%s;\nend One;\n"
             "model Curved\n  Real u(start = 0, fixed = true);\n"
             "  Real z(start = 0, fixed = true);\n"
             "equation\n  der(u) = 0.1*(1 + u); der(z) = %.17g*%s;\n"
             "end Curved;\n"
             "model Line\n  output Real x(start = 0, fixed = true);\n"
             "equation\n  der(x) = 0.1;\nend Line;\n"
             "model Fast\n  output Real x(start = 0, fixed = true);\n"
             "  output Real p(start = 1, fixed = true);\n"
             "  Real q(start = 0, fixed = true);\n"
             "equation\n  der(x) = 0.1; der(p) = 30*q; der(q) = -30*p;\n"
             "end Fast;\n"
             "model Peak\n  input Real u;\n"
             "  Real z(start = 0, fixed = true);\n"
             "equation\n  der(z) = %.17g*%s;\nend Peak;\n",
             height, text_of(c), height * (1.0 + c->at), text_of(c), height,
             text_of(c));
    write_file("m.mo", text);
}

static double run_way(int way, const draw *c, const char *stepper)
{
    const char *const path = in_scratch("m.mo");
    char text[2000];
    int used;

    write_models(c);
    used = snprintf(text, sizeof text,
                    "yoke: 1\nrun: {stop: 10, rtol: %g, atol: %g, spot: 0}\n"
                    "subsystems:\n",
                    c->rtol, c->atol);
    if (way == ONE || way == CURVED)
        snprintf(text + used, sizeof text - (size_t)used,
                 "  b: {model: %s, class: %s, stepper: %s}\n", path,
                 way == ONE ? "One" : "Curved", stepper);
    else
        snprintf(text + used, sizeof text - (size_t)used,
                 "  a: {model: %s, class: %s}\n"
                 "  b: {model: %s, class: Peak, stepper: %s}\n"
                 "couplings:\n  - signal: b.u = a.x\n",
                 path, way == FAST ? "Fast" : "Line", path, stepper);
    yoke_file *file = parse(text);
    yoke_run *run = run_file(file);
    const double z = value_of(run, "b.z");
    yoke_run_close(run, NULL);
    yoke_file_free(file);
    return z;
}

static void check(int way, const draw *c, const char *stepper, double most)
{
    const double z = run_way(way, c, stepper);
    const double off =
        fabs(z - c->integral) / (c->atol + c->rtol * c->integral);

    if (!(off <= most))
        fail_msg("way %d, %s, %s, width %g, rtol %g, atol %g: %.12g instead of "
                 "%.12g, %.3g tolerances",
                 way, stepper, peak[c->peak].text, c->width, c->rtol, c->atol,
                 z, c->integral, off);
}

static void no_branch_is_held_too_long(void **state)
{
    enum { CASES = 20 * PEAKS };
    (void)state;

    dice = 7;
    for (int i = 0; i < CASES; i++) {
        const draw c = draw_one(i);
        for (int way = 0; way < CURVED; way++) check(way, &c, "radau5", 3.0);
    }
}

/* Its integral is known up to the square of the width; it is as accurate as the
 * slope of u. */
static void nor_along_a_path_that_moves(void **state)
{
    enum { CASES = 40 * PEAKS };
    (void)state;

    dice = 9;
    for (int i = 0; i < CASES; i++) {
        draw c = draw_one(i);
        c.width *= 0.1;
        check(CURVED, &c, "radau5", 10.0);
    }
}

static void by_no_stepper(void **state)
{
    static const char *const stepper[] = { "trbdf2", "ida", "genalpha" };
    enum { CASES = 5 * PEAKS };
    (void)state;

    dice = 8;
    for (int i = 0; i < CASES; i++) {
        const draw c = draw_one(i);
        for (int k = 0; k < 3; k++) check(i % CURVED, &c, stepper[k], 3.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_branch_is_held_too_long),
        cmocka_unit_test(nor_along_a_path_that_moves),
        cmocka_unit_test(by_no_stepper),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
