/* tests/conform/base_modelica.c -- every construct of Base Modelica that the
 * manual lists is read or refused as it says.
 *
 * The models are in tests/base_modelica/rows.txt, one for each row of the table
 * in docs/manual/equations.md; whole models as tools export them are files of
 * their own there, with an exact solution here.
 */
#include "check.h"

#include "step/steppers.h"
#include "yoke/equation.h"
#include "yoke/stepper.h"
#include "wave/wave.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OUTPUTS = 64, MOST_CHECKS = 8 };

static int failures;

#define WRONG(...)                                                             \
    do {                                                                       \
        failures++;                                                            \
        print_error(__VA_ARGS__);                                              \
        print_error("\n");                                                     \
    } while (0)

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    if (!file || !text) fail_msg("%s cannot be read", path);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* ---- Running a model ----------------------------------------------------- */

/* Outputs y[p] at `end`, without inputs (they are zero), in three windows. */
static yoke_status run(yoke_system *s, double end, double tol, double *y,
                       yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yk_wave *in = NULL, *out = NULL;
    const double zero[MOST_OUTPUTS] = { 0.0 };

    snprintf(o.method, sizeof o.method, "radau5");
    o.rtol = o.atol = tol;
    CHECK_OK(yk_stepper_create(&p, s, &o, 0, NULL, err), err);
    assert_true(p.p <= MOST_OUTPUTS && p.m <= MOST_OUTPUTS);
    CHECK_OK(yk_wave_create(&in, p.m, err), err);
    CHECK_OK(yk_wave_create(&out, p.p, err), err);
    yk_wave_clear(in, 0.0);
    if (p.m) CHECK_OK(yk_wave_append_constant(in, end, zero, err), err);
    status = p.ops->start(p.self, 0.0, NULL, zero, y, err);
    for (int k = 1; k <= 3 && status == YOKE_OK; k++) {
        status = p.ops->sweep(p.self, end * k / 3, in, out, err);
        if (status == YOKE_OK) status = p.ops->accept(p.self, err);
    }
    if (status == YOKE_OK) yk_wave_eval(out, end, NULL, y);
    p.ops->free(p.self);
    yk_wave_free(in);
    yk_wave_free(out);
    return status;
}

static double output(const yoke_system *s, const double *y, const char *name)
{
    const yoke_system_info *facts = yoke_system_facts(s);

    for (int k = 0; k < facts->p; k++)
        if (strcmp(facts->y_name[k], name) == 0) return y[k];
    fail_msg("there is no output %s", name);
    return NAN;
}

/* ---- Rows ---------------------------------------------------------------- */

typedef struct row {
    char *construct; /* as in the manual */
    bool refused, runs;
    int line; /* of the message */
    char *words;
    int checks;
    struct {
        char name[40];
        double value, tol;
    } check[MOST_CHECKS];
    char *model;
} row;

/* Takes lines off the front of the row's text until the model begins. */
static void read_head(row *r)
{
    char *text = r->model;

    for (; *text == '=' || *text == '!'; text = r->model) {
        char *end = strchr(text, '\n');
        assert_non_null(end);
        *end = '\0';
        r->model = end + 1;
        if (*text == '=') {
            assert_true(r->checks < MOST_CHECKS);
            assert_int_equal(
                sscanf(text, "= %39s %lf %lf", r->check[r->checks].name,
                       &r->check[r->checks].value, &r->check[r->checks].tol),
                3);
            r->checks++;
            continue;
        }
        r->runs = strncmp(text, "!run ", 5) == 0;
        text += r->runs ? 5 : 2;
        r->line = (int)strtol(text, &r->words, 10);
        assert_true(r->line > 0 && strncmp(r->words, ": ", 2) == 0);
        r->words += 2;
    }
}

static void accepted(const row *r)
{
    const yoke_equation_options options = { 0 };
    yoke_system *s = NULL;
    double y[MOST_OUTPUTS] = { 0.0 };
    yoke_err err = { YOKE_OK, "" };

    assert_true(r->checks > 0);
    if (yoke_equation_parse(&s, "m", "row.mo", r->model, strlen(r->model),
                            &options, NULL, &err) != YOKE_OK ||
        run(s, 1.0, 1e-10, y, &err) != YOKE_OK) {
        WRONG("%s: %s", r->construct, err.text);
        yoke_system_free(s);
        return;
    }
    for (int k = 0; k < r->checks; k++) {
        const double got = output(s, y, r->check[k].name);
        if (!(fabs(got - r->check[k].value) <= r->check[k].tol))
            WRONG("%s: %s = %.17g, expected %.17g", r->construct,
                  r->check[k].name, got, r->check[k].value);
    }
    yoke_system_free(s);
}

static void refused(const row *r)
{
    yoke_system *s = NULL;
    double y[MOST_OUTPUTS];
    char place[40];
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = yoke_equation_parse(
        &s, "m", "row.mo", r->model, strlen(r->model), NULL, NULL, &err);

    assert_non_null(r->words);
    if (r->runs && status == YOKE_OK) status = run(s, 1.0, 1e-10, y, &err);
    snprintf(place, sizeof place, "row.mo:%d:", r->line);
    if (status == YOKE_OK)
        WRONG("%s: accepted", r->construct);
    else if ((s != NULL) != r->runs || !strstr(err.text, place) ||
             !strstr(err.text, r->words))
        WRONG("%s: \"%s\" lacks \"%s\" or \"%s\"", r->construct, err.text,
              place, r->words);
    yoke_system_free(s);
}

/* The line of the manual. */
static void documented(const row *r, const char *manual)
{
    char line[400];

    snprintf(line, sizeof line,
             r->refused ? "\n| %s | refused: %s |\n" : "\n| %s | accepted |\n",
             r->construct, r->refused ? r->words : "");
    if (!strstr(manual, line)) WRONG("the manual lacks the line%s", line);
}

/* Rows of the table in the manual. */
static int count_lines(const char *manual)
{
    int count = 0;

    for (const char *p = manual; (p = strstr(p, " |\n")); p++) {
        const char *from = p;
        while (from > manual && from[-1] != '\n') from--;
        count +=
            (p - from > 10 && strncmp(p - 10, "| accepted", 10) == 0) ||
            (strstr(from, "| refused: ") && strstr(from, "| refused: ") < p);
    }
    return count;
}

static void rows_are_read_or_refused(void **state)
{
    char *text = read_file("base_modelica/rows.txt");
    char *manual = read_file("../docs/manual/equations.md");
    int count = 0;
    (void)state;

    for (char *p = strstr(text, "\n## "); p && *p;) {
        row r = { 0 };
        char *next;
        p++;
        if (strncmp(p, "== ", 3) != 0 && strncmp(p, "!! ", 3) != 0) {
            p = strchr(p, '\n'); /* headings and empty lines */
            continue;
        }
        r.refused = *p == '!';
        r.construct = p + 3;
        r.model = strchr(p, '\n');
        assert_non_null(r.model);
        *r.model++ = '\0';
        for (next = r.model; *next; next = strchr(next, '\n') + 1)
            if (strncmp(next, "== ", 3) == 0 || strncmp(next, "!! ", 3) == 0 ||
                strncmp(next, "## ", 3) == 0)
                break;
        const char kept = *next;
        *next = '\0';
        read_head(&r);
        (r.refused ? refused : accepted)(&r);
        documented(&r, manual);
        count++;
        *next = kept;
        p = kept ? next - 1 : NULL;
    }
    assert_true(count > 100);
    assert_int_equal(failures, 0);
    assert_int_equal(count_lines(manual), count);
    free(text);
    free(manual);
}

/* ---- Whole models -------------------------------------------------------- */

/* Interpreted and as native code. */
static void run_file(const char *path, double end, int count,
                     const char *const *name, const double *value,
                     const double *tol)
{
    char *text = read_file(path);

    for (int native = 0; native < 2; native++) {
        const yoke_equation_options options = { .compiler =
                                                    native ? "cc" : NULL };
        yoke_system *s = NULL;
        double y[MOST_OUTPUTS] = { 0.0 };
        yoke_err err = { YOKE_OK, "" };
        CHECK_OK(yoke_equation_parse(&s, "m", path, text, strlen(text),
                                     &options, NULL, &err),
                 &err);
        CHECK_OK(run(s, end, 1e-9, y, &err), &err);
        for (int k = 0; k < count; k++)
            CHECK_NEAR(output(s, y, name[k]), value[k], tol[k]);
        yoke_system_free(s);
    }
    free(text);
}

/* 2 V decay through 100 Ohm and 10 mF; the source has 10 V from 0.25 s on. */
static void an_exported_circuit(void **state)
{
    const char *const name[] = { "y[1]" };
    const double tol[] = { 1e-8 };
    (void)state;

    for (double t = 0.2; t < 2.0; t += 0.4) {
        const double before = 2.0 * exp(-fmin(t, 0.25));
        const double v =
            t <= 0.25 ? before : 10.0 + (before - 10.0) * exp(0.25 - t);
        run_file("base_modelica/rc_circuit.mo", t, 1, name, &v, tol);
    }
}

/* w' = -a w + b u, and the controller once in 0.1 s. */
static void an_exported_controller(void **state)
{
    const char *const name[] = { "w", "samples", "tFast" };
    const double a = 0.5, b = 1.0, T = 0.1, end = 1.75;
    const double tol[] = { 1e-8, 0.0, 1e-8 };
    double value[] = { 0.0, 0.0, -1.0 }, x = 0.0;
    (void)state;

    for (int k = 0; k * T < end; k++) {
        const double h = fmin(T, end - k * T), e = 3.0 - value[0];
        x += T / 0.8 * e;
        const double rest = b / a * 4.0 * (e + x); /* where w goes */
        const double next = rest + (value[0] - rest) * exp(-a * h);
        if (value[0] <= 2.0 && next > 2.0 && value[2] < 0.0)
            value[2] = k * T + log((value[0] - rest) / (2.0 - rest)) / a;
        value[0] = next;
        value[1] = k + 1.0;
    }
    assert_true(value[2] > 0.0);
    run_file("base_modelica/dc_motor.mo", end, 3, name, value, tol);
}

/* Segments of equal rate s one after the other: Erlang's distribution. */
static void an_exported_heat_exchanger(void **state)
{
    const char *const name[] = { "T", "checksum" };
    const double tol[] = { 1e-6, 1e-9 };
    const double tau = 0.01 / 0.04, q = 2000.0 * 4.0 / (0.04 * 1000.0 * 4000.0);
    const double rate = (1.0 + q) / tau;
    (void)state;

    for (double t = 0.5; t < 3.0; t += 1.0) {
        double rest = 0.0, term = 1.0;
        for (int k = 0; k < 5; k++) {
            rest += term;
            term *= rate * t / (k + 1.0);
        }
        const double value[] = { 300.0 + 50.0 * pow(1.0 + q, -5.0) *
                                             (1.0 - exp(-rate * t) * rest),
                                 2.0 };
        run_file("base_modelica/heat_exchanger.mo", t, 2, name, value, tol);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_read_or_refused),
        cmocka_unit_test(an_exported_circuit),
        cmocka_unit_test(an_exported_controller),
        cmocka_unit_test(an_exported_heat_exchanger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
