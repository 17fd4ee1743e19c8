/* Whole numbers (floor, ceil, mod, rem, div) of an argument that jumps, and
 * relations of it.  What is held must follow, also where the argument lands on
 * a whole number or its jump is that of the threshold.  x = 0.91 cos 2t and
 * phi = 2.3 t + (1 - cos t)/2 + 0.05 are exact, so are integrals over them. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

static const double stop = 5.0;

/* ---- functions ------------------------------------------------------------ */

enum { THREE, TWO, TIMED, MOD_PHI, REM_X, STAIRS, ARGUMENTS };
enum { FLOOR, CEIL, MOD, REM, DIV, AT_LEAST, OUTER };

typedef struct function {
    int argument, outer;
    double a, b, at, by; /* of the argument */
    double times, p;     /* outer(times argument, p) */
} function;

static double mod(double a, double b)
{
    return a - floor(a / b) * b;
}

static double rem(double a, double b)
{
    return a - trunc(a / b) * b;
}

static double argument(const function *f, double t)
{
    const double x = 0.91 * cos(2.0 * t);
    const double phi = 2.3 * t + 0.5 * (1.0 - cos(t)) + 0.05;

    switch (f->argument) {
    case THREE:
        return x > 0.3 ? f->a : x > -0.3 ? f->b : 0.5 * x;
    case TWO:
        return x > f->at ? f->a : f->b;
    case TIMED:
        return t > 2.0 + f->at ? f->a : x > f->at ? f->b : x;
    case MOD_PHI:
        return mod(phi, f->by);
    case REM_X:
        return rem(5.0 * x, f->by);
    default:
        return f->at * ceil(3.0 * x);
    }
}

static double value(const function *f, double t)
{
    const double a = f->times * argument(f, t);

    switch (f->outer) {
    case FLOOR:
        return floor(a);
    case CEIL:
        return ceil(a);
    case MOD:
        return mod(a, f->p);
    case REM:
        return rem(a, f->p);
    case DIV:
        return trunc(a / f->p);
    default:
        return a >= f->p;
    }
}

static void write_function(const function *f, const char *x, const char *phi,
                           char *text, size_t size)
{
    static const char *const outer[] = {
        "floor(%.17g*(%s))",      "ceil(%.17g*(%s))",
        "mod(%.17g*(%s), %.17g)", "rem(%.17g*(%s), %.17g)",
        "div(%.17g*(%s), %.17g)", "(if %.17g*(%s) >= %.17g then 1 else 0)"
    };
    char a[300];

    switch (f->argument) {
    case THREE:
        snprintf(a, sizeof a,
                 "if %s > 0.3 then %g else (if %s > -0.3 then %g else 0.5*%s)",
                 x, f->a, x, f->b, x);
        break;
    case TWO:
        snprintf(a, sizeof a, "if %s > %.17g then %g else %g", x, f->at, f->a,
                 f->b);
        break;
    case TIMED:
        snprintf(a, sizeof a,
                 "if time > 2 + %.17g then %g else (if %s > %.17g then %g else "
                 "%s)",
                 f->at, f->a, x, f->at, f->b, x);
        break;
    case MOD_PHI:
        snprintf(a, sizeof a, "mod(%s, %g)", phi, f->by);
        break;
    case REM_X:
        snprintf(a, sizeof a, "rem(5*%s, %g)", x, f->by);
        break;
    default:
        snprintf(a, sizeof a, "%.17g*ceil(3*%s)", f->at, x);
    }
    snprintf(text, size, outer[f->outer], f->times, a, f->p);
}

static double pick(unsigned long long *seed, const double *of, int count)
{
    return of[(int)(yk_random(seed) * count) % count];
}

static function draw_function(unsigned long long *seed, int argument, int outer)
{
    static const double whole[] = { -3, -2, -1, 0, 1, 2, 3, 2.5, -1.5 };
    static const double level[] = { 0.31, -0.31, 0.5, -0.55, 0.7 };
    static const double period[] = { 1.0, 0.7, 3.0, 0.5, -1.0, -0.7 };
    static const double times[] = { 1.0, 2.0, 3.0, 6.0, -1.0, -2.0, 0.5 };
    static const double by[] = { 1.0, 3.0, 2.0, 1.3, -1.0, -1.3 };
    const function f = { .argument = argument,
                         .outer = outer,
                         .a = pick(seed, whole, 9),
                         .b = pick(seed, whole, 9),
                         .at = pick(seed, level, 5),
                         .by = pick(seed, period, 6),
                         .times = pick(seed, times, 7),
                         .p = pick(seed, by, 6) };

    return f;
}

/* ---- what is exact -------------------------------------------------------- */

static double piece(const function *f, double a, double b)
{
    const double in = 1e-9 * (b - a); /* values at a jump are those beside it */

    return (b - a) / 6.0 *
           (value(f, a + in) + 4.0 * value(f, 0.5 * (a + b)) +
            value(f, b - in));
}

/* The integral, and the largest on the way. */
static double exact(const function *f, double *most)
{
    enum { PARTS = 20000 };
    const double h = stop / PARTS, jump = 0.01;
    double sum = 0.0;

    *most = 0.0;
    for (int i = 0; i < PARTS; i++) {
        double a = h * i, b = h * (i + 1);
        const double from = a, to = b, before = value(f, a);
        if (fabs(value(f, b) - before) < jump) {
            sum += piece(f, a, b);
        } else {
            while (b - a > 1e-14) {
                const double m = 0.5 * (a + b);
                if (fabs(value(f, m) - before) < jump)
                    a = m;
                else
                    b = m;
            }
            sum += piece(f, from, a) + piece(f, b, to);
        }
        *most = fmax(*most, fabs(sum));
    }
    return sum;
}

/* ---- runs ----------------------------------------------------------------- */

#define MOVES                                                                  \
    "equation\n  der(x) = v; der(v) = -4*x; der(phi) = 2.3 + 0.5*sin(time);\n"

#define MOVING                                                                 \
    "output Real x(start = 0.91, fixed = true), phi(start = 0.05, fixed = "    \
    "true); Real v(start = 0, fixed = true);\n"

/* x and phi are states; inputs; the function is a formula. */
enum { STATES, INPUTS, FORMULA, PLACES };

static yoke_file *make_file(int place, const function *f, const char *more)
{
    char y[600], models[3000], text[3000], path[300];

    write_function(f, place == FORMULA ? "a.x" : "x",
                   place == FORMULA ? "a.phi" : "phi", y, sizeof y);
    snprintf(models, sizeof models,
             "model A\n  " MOVING MOVES "end A;\n"
             "model B\n  %s\n  output Real q(start = 0, fixed = true);\n"
             "%s  der(q) = %s;\nend B;\n",
             place == STATES   ? MOVING
             : place == INPUTS ? "input Real x; input Real phi;"
                               : "input Real y;",
             place == STATES ? MOVES : "equation\n",
             place == FORMULA ? "y" : y);
    write_file("w.mo", models);
    snprintf(path, sizeof path, "%s", in_scratch("w.mo"));
    int used =
        snprintf(text, sizeof text,
                 "yoke: 1\nrun: {stop: %g%s}\nsubsystems:\n  b: {model: %s, "
                 "class: B}\n",
                 stop, more, path);
    if (place == STATES) return parse(text);
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "  a: {model: %s, class: A}\ncouplings:\n", path);
    if (place == INPUTS)
        snprintf(text + used, sizeof text - (size_t)used,
                 "  - signal: b.x = a.x\n  - signal: b.phi = a.phi\n");
    else
        snprintf(text + used, sizeof text - (size_t)used,
                 "  - signal: 'b.y = %s'\n", y);
    return parse(text);
}

static int check_function(int place, const function *f, const char *more)
{
    yoke_file *file = make_file(place, f, more);
    const yoke_run_options *options = yoke_file_run_options(file);
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };
    double most = 0.0, q = NAN;
    char y[600];

    yoke_status status =
        yoke_run_create(&run, yoke_file_model(file), options, NULL, &err);
    if (status == YOKE_OK) status = yoke_run_advance(run, options->stop, &err);
    if (status == YOKE_OK) q = value_of(run, "b.q");
    yoke_run_close(run, NULL);
    yoke_file_free(file);
    const double sum = exact(f, &most);
    if (fabs(q - sum) <= 10.0 * (1e-9 + 1e-6 * most)) return 0;
    write_function(f, "x", "phi", y, sizeof y);
    print_message("place %d, %s: integral %.9g instead of %.9g %s\n", place, y,
                  q, sum, err.text);
    return 1;
}

static void held_numbers_follow_their_arguments(void **state)
{
    const char *set = getenv("YOKE_WHOLE"); /* how many of each kind */
    const int count = set ? atoi(set) : 1;
    const char *from = getenv("YOKE_WHOLE_SEED");
    unsigned long long seed = from ? strtoull(from, NULL, 10) : 20260202;
    int wrong = 0;
    (void)state;

    for (int i = 0; i < count * ARGUMENTS * OUTER; i++) {
        const function f =
            draw_function(&seed, i % ARGUMENTS, i / ARGUMENTS % OUTER);
        for (int place = 0; place < PLACES; place++)
            wrong += check_function(place, &f, ", spot: 0");
    }
    assert_int_equal(wrong, 0);
}

/* What was found wrong. */
static void arguments_land_on_whole_numbers(void **state)
{
    static const function f[] = {
        { THREE, FLOOR, .a = 3, .b = 2, .times = 1 },
        { THREE, CEIL, .a = 3, .b = 2, .times = 1 },
        { THREE, MOD, .a = 3, .b = 2, .times = 1, .p = 1 },
        { MOD_PHI, FLOOR, .by = 1, .times = 6 },
        { MOD_PHI, FLOOR, .by = -1, .times = 6 },
        { MOD_PHI, AT_LEAST, .by = 1, .times = 1, .p = 1 },
        { REM_X, CEIL, .by = 1, .times = 3 },
        { REM_X, AT_LEAST, .by = 3, .times = 1, .p = 3 },
        { REM_X, MOD, .by = 0.7, .times = -1, .p = 1.3 },
    };
    int wrong = 0;
    (void)state;

    for (size_t i = 0; i < sizeof f / sizeof f[0]; i++)
        for (int place = 0; place < PLACES; place++)
            for (int loose = 0; loose < 2; loose++)
                wrong += check_function(place, &f[i],
                                        loose ? ", spot: 0"
                                              : ", rtol: 1e-8, spot: 0");
    assert_int_equal(wrong, 0);
}

/* ---- other jumps ----------------------------------------------------------- */

#define Q "output Real q(start = 0, fixed = true);\n"
#define C "Real c(start = 0, fixed = true); "

typedef struct one {
    const char *file, *text;
    double q; /* at t = 2.5 */
} one;

static void jumps_by_events(void **state)
{
    static const one list[] = {
        /* reinit, down to a threshold and past several */
        { "m.mo",
          "model M " Q C "equation der(c) = 1; when c >= 1 then "
          "reinit(c, c - 1); end when; der(q) = floor(3*c); end M;",
          2.0 + 1.0 / 6.0 },
        { "m.mo",
          "model M " Q C "equation der(c) = -1; when c <= -1 then "
          "reinit(c, 1); end when; der(q) = ceil(2*c); end M;",
          -0.5 + 1.5 },
        /* discrete variables: from one whole number to the next */
        { "m.mo",
          "model M " Q C "discrete Real a(start = 2, fixed = true); "
          "equation der(c) = 1; when c > 1 then a = 3; elsewhen c > 2 "
          "then a = 2; end when; der(q) = floor(a) + mod(a, 1); end M;",
          2.0 + 3.0 + 1.0 },
        /* two jumps at one instant, which cancel; which add up */
        { "m.mo",
          "model M " Q C "Real a, b; equation der(c) = 1; a = if c > 1 "
          "then 3 else 2; b = if c > 1 then -3 else -2; der(q) = "
          "floor(a + b) + ceil(a - b); end M;",
          4.0 + 6.0 * 1.5 },
        { "m.mo",
          "model M " Q C "Real a, b; equation der(c) = 1; a = if time "
          "> 1 then 3 else 2; b = if c > 1 then 1 else 0; der(q) = "
          "div(a + b, 2) + mod(a - 3*b, -3); end M;",
          1.0 - 1.0 + 1.5 * 2.0 + 0.0 },
        /* negative ones */
        { "m.mo",
          "model M " Q C "equation der(c) = 1; der(q) = "
          "floor(4*mod(c, -1)) + ceil(3*rem(-c, 1)); end M;",
          -2.0 * 2.5 - 3.5 * 0.5 - 2.0 - 1.0 / 6.0 },
    };
    int wrong = 0;
    (void)state;

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char text[400];
        write_file(list[i].file, list[i].text);
        snprintf(text, sizeof text,
                 "yoke: 1\nrun: {stop: 2.5, spot: 0}\nsubsystems:\n  b: "
                 "{model: %s}\n",
                 in_scratch(list[i].file));
        yoke_file *file = parse(text);
        yoke_run *run = run_file(file);
        const double q = value_of(run, "b.q");
        yoke_run_close(run, NULL);
        yoke_file_free(file);
        if (fabs(q - list[i].q) <= 1e-5 * (1.0 + fabs(list[i].q))) continue;
        print_message("%s: %.9g instead of %.9g\n", list[i].text, q, list[i].q);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_numbers_follow_their_arguments),
        cmocka_unit_test(arguments_land_on_whole_numbers),
        cmocka_unit_test(jumps_by_events),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
