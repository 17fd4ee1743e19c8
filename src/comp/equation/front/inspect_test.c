/* comp/equation/front/inspect_test.c -- what is known about a file of models. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include "yoke/equation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "inspect_test.XXXXXX";

static void write_text(const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static yoke_equation_facts *inspect_with(const char *text,
                                         const yoke_equation_options *options)
{
    yoke_equation_facts *f = NULL;
    yoke_err err = { YOKE_OK, "" };

    write_text(text);
    CHECK_OK(yoke_equation_inspect(&f, path, options, &err), &err);
    return f;
}

static yoke_equation_facts *inspect(const char *text)
{
    return inspect_with(text, NULL);
}

static const yoke_equation_symbol *find(const yoke_equation_facts *f,
                                        const char *name)
{
    for (int i = 0; i < f->symbols; i++)
        if (strcmp(f->symbol[i].name, name) == 0) return &f->symbol[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static const char motor[] =
    "connector Pin Real v; flow Real i; end Pin;\n"
    "model Motor\n"
    "  parameter Real R(unit = \"Ohm\") = 2 \"resistance\";\n"
    "  parameter Real k[2] = {1, 2*R};\n"
    "  parameter Integer unused = 7;\n"
    "  final parameter Real J = R/2;\n"
    "  constant Real c = 3;\n"
    "  parameter Real tab[3,2] = [0, 0; 1, 1; 2, 4] \"a table\";\n"
    "  Pin p;\n"
    "  input Real load(unit = \"N.m\") \"torque\";\n"
    "  output Real speed(unit = \"rad/s\");\n"
    "  Real w(start = 1), a;\n"
    "equation\n"
    "  p.v = R*p.i + w;\n"
    "  J*der(w) = k[1]*p.i - k[2]*load + interpolate(tab, time);\n"
    "  speed = w;\n"
    "  a = c*w;\n"
    "  when w < 0 then reinit(w, 1); end when;\n"
    "  when time >= 3 then reinit(w, 2); end when;\n"
    "end Motor;\n";

static void everything_is_told(void **state)
{
    yoke_equation_facts *f = inspect(motor);
    (void)state;

    if (!f->system) fail_msg("%s", f->problem.text);
    assert_string_equal(f->model, "Motor");
    assert_int_equal(f->classes, 2);
    assert_string_equal(f->class_[0].kind, "connector");
    assert_string_equal(f->class_[1].name, "Motor");
    assert_int_equal(f->class_[1].line, 2);

    const yoke_equation_symbol *r = find(f, "R"), *k = find(f, "k");
    assert_int_equal(r->role, YOKE_ROLE_PARAMETER);
    assert_string_equal(r->unit, "Ohm");
    assert_string_equal(r->text, "resistance");
    assert_true(r->value[0] == 2.0);
    assert_int_equal(r->line, 3);
    assert_int_equal(k->dims, 1);
    assert_int_equal(k->count, 2);
    assert_true(k->value[1] == 4.0);
    assert_true(find(f, "unused")->value[0] == 7.0);
    assert_true(find(f, "J")->is_final);
    assert_int_equal(find(f, "c")->role, YOKE_ROLE_CONSTANT);
    assert_int_equal(find(f, "load")->role, YOKE_ROLE_INPUT);
    assert_string_equal(find(f, "load")->text, "torque");
    assert_int_equal(find(f, "speed")->role, YOKE_ROLE_OUTPUT);
    assert_true(find(f, "p.i")->is_flow);
    assert_null(find(f, "w")->value);

    assert_int_equal(f->tables, 1);
    assert_string_equal(f->table[0], "tab");
    assert_int_equal(f->state_events, 1);
    assert_int_equal(f->time_events, 1);
    assert_int_equal(f->report.equations, 4);
    assert_int_equal(f->report.states, 1);
    yoke_equation_facts_free(f);
}

static void given_values_count(void **state)
{
    const yoke_parameter given[] = { { "R", 5.0 }, { "k[1]", 9.0 } };
    const yoke_equation_options options = { .parameters = 2,
                                            .parameter = given };
    yoke_equation_facts *f = inspect_with(motor, &options);
    (void)state;
    assert_true(find(f, "R")->value[0] == 5.0);
    assert_true(find(f, "R")->is_given);
    assert_true(find(f, "k")->value[0] == 9.0);
    assert_true(find(f, "k")->value[1] == 10.0);
    assert_false(find(f, "c")->is_given);
    assert_true(find(f, "J")->value[0] == 2.5);
    yoke_equation_facts_free(f);
}

/* What is missing can be found out. */
static void an_incomplete_model_is_told_too(void **state)
{
    yoke_equation_facts *f = inspect("model M\n"
                                     "  parameter Real R \"no value\";\n"
                                     "  parameter Real S = 3;\n"
                                     "  Real x;\n"
                                     "equation\n"
                                     "  der(x) = -R*x;\n"
                                     "end M;\n");
    (void)state;
    assert_null(f->system);
    assert_int_equal(f->problem.status, YOKE_E_MODEL);
    CHECK_CONTAINS(f->problem.text, ":2:18: ");
    CHECK_CONTAINS(f->problem.text, "the parameter R has no value");
    assert_null(find(f, "R")->value);
    assert_string_equal(find(f, "R")->text, "no value");
    assert_true(find(f, "S")->value[0] == 3.0);
    yoke_equation_facts_free(f);
}

static void a_singular_model_is_told_too(void **state)
{
    yoke_equation_facts *f = inspect("model M\n"
                                     "  Real x, y;\n"
                                     "equation\n"
                                     "  x = 1;\n"
                                     "end M;\n");
    (void)state;
    assert_null(f->system);
    assert_true(f->problem.status < 0);
    assert_int_equal(f->symbols, 2);
    yoke_equation_facts_free(f);
}

static void a_class_is_chosen(void **state)
{
    static const char two[] = "model A Real x; equation der(x) = 1; end A;\n"
                              "model B Real y; equation der(y) = 1; end B;\n";
    const yoke_equation_options first = { .model = "A" };
    const yoke_equation_options none = { .model = "C" };
    yoke_equation_facts *f = inspect(two);
    (void)state;
    assert_string_equal(f->model, "B");
    yoke_equation_facts_free(f);
    f = inspect_with(two, &first);
    assert_string_equal(f->model, "A");
    assert_string_equal(f->symbol[0].name, "x");
    yoke_equation_facts_free(f);
    f = inspect_with(two, &none);
    assert_null(f->model);
    assert_int_equal(f->classes, 2);
    CHECK_CONTAINS(f->problem.text, "there is no model C");
    yoke_equation_facts_free(f);
}

static void what_cannot_be_read_is_a_failure(void **state)
{
    yoke_equation_facts *f = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    write_text("model M Real x end M;");
    assert_true(yoke_equation_inspect(&f, path, NULL, &err) < 0);
    assert_null(f);
    CHECK_CONTAINS(err.text, ":1:");
    assert_true(yoke_equation_inspect(&f, "nowhere.mo", NULL, &err) < 0);
    CHECK_CONTAINS(err.text, "nowhere.mo: No such file");
}

static void every_allocation_may_fail(void **state)
{
    long n = 1;
    (void)state;
    write_text(motor);
    for (;; n++) {
        yoke_equation_facts *f = NULL;
        yoke_err err = { YOKE_OK, "" };
        fault_allocator(n);
        const yoke_status status = yoke_equation_inspect(&f, path, NULL, &err);
        const bool whole = f && f->system;
        yoke_equation_facts_free(f);
        const bool reached = fault_requests() >= n;
        const long blocks = fault_blocks();
        fault_restore();
        assert_int_equal(blocks, 0);
        if (!reached) {
            assert_int_equal(status, YOKE_OK);
            assert_true(whole);
            break;
        }
        CHECK_STATUS(status, YOKE_E_MEMORY, &err);
    }
    assert_true(n > 50);
}

static int make_path(void **state)
{
    const int file = mkstemp(path);

    (void)state;
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    (void)state;
    return remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_told),
        cmocka_unit_test(given_values_count),
        cmocka_unit_test(an_incomplete_model_is_told_too),
        cmocka_unit_test(a_singular_model_is_told_too),
        cmocka_unit_test(a_class_is_chosen),
        cmocka_unit_test(what_cannot_be_read_is_a_failure),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
