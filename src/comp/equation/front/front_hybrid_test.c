/* comp/equation/front/front_hybrid_test.c -- functions, ports, events, memory.
 * */
#include "comp/equation/front/front_fixture.h"

static const char functions[] =
    "function square input Real x; output Real y; algorithm y := x*x; end "
    "square;\n"
    "function running\n"
    "  input Real x[:]; input Real a = 2;\n"
    "  output Real y; output Real z[size(x, 1)];\n"
    "protected\n"
    "  Real s = 0; Integer n = size(x, 1);\n"
    "algorithm\n"
    "  for i in 1:n loop s := s + a*x[i]; z[i] := s; end for;\n"
    "  if s > 100 then y := 100; elseif s < 0 then y := 0;\n"
    "  else y := square(s); end if;\n"
    "  assert(n > 0, \"no elements\");\n"
    "end running;\n"
    "function swap input Real v[2]; output Real w[2]; algorithm\n"
    "  w := v; w := {w[2], w[1]}; end swap;\n"
    "function both input Real x; output Real p; output Real q; algorithm\n"
    "  (p, ) := running({x, x}); (p, q) := pair(p); end both;\n"
    "function pair input Real x; output Real p; output Real q; algorithm\n"
    "  p := x + 1; q := x + 2; end pair;\n"
    "function plain input Real x; output Real y = square(x); end plain;\n"
    "function many input Real x; output Real y; algorithm y := x;\n"
    "  for i in 1:60 loop y := y*y - y; end for; end many;\n";

static yk_flat *read_functions(const char *model)
{
    char text[4000];

    snprintf(text, sizeof text, "%s%s", functions, model);
    return read_model(text);
}

static void functions_are_inlined(void **state)
{
    yk_flat *f = read_functions(
        "model M parameter Real p = running({1, 2}, a = 3);\n"
        "  Real r, c[3], d[3] = {1, 2, 3}*time, e[2] = swap({time, 7});\n"
        "  Real u = square(x = running({time}));\n"
        "equation (r, c) = running(d); end M;");
    const int first = 6;
    (void)state;
    assert_int_equal(f->equations, first + 4);
    CHECK_NEAR(right_at(f, 3, 5.0), 7.0, 0.0);
    CHECK_NEAR(right_at(f, 4, 5.0), 5.0, 0.0);
    CHECK_NEAR(right_at(f, 5, 3.0), 36.0 * 36.0, 0.0);
    /* d is variable 2 with the values 21, 22, 23 */
    CHECK_NEAR(right_at(f, first, 0.0), 100.0, 0.0);
    CHECK_NEAR(right_at(f, first + 3, 0.0), 132.0, 0.0);
    yk_flat_free(f);

    f = read_functions("model M Real p = plain(time) + plain(3); end M;");
    CHECK_NEAR(right_at(f, 0, 2.0), 13.0, 0.0);
    yk_flat_free(f);

    f = read_functions("model M Real p, q; equation (p, q) = both(time);"
                       " end M;");
    CHECK_NEAR(right_at(f, 0, 1.0), 17.0, 0.0);
    CHECK_NEAR(right_at(f, 1, 1.0), 18.0, 0.0);
    yk_flat_free(f);
}

static void repeated_values_are_shared(void **state)
{
    yk_flat *f = read_functions("model M Real p = many(time); end M;");
    (void)state;
    assert_true(f->nodes < 200);
    yk_flat_free(f);
}

static void a_function_of_the_loop_index_stays_in_the_loop(void **state)
{
    yk_flat *f = read_functions("model M Real x[1000], y[1000]; equation for i "
                                "in 1:1000 loop x[i] = square(y[i]) + "
                                "running({i}); end for; end M;");
    const point p = { .index = { 2 } };
    (void)state;
    assert_int_equal(f->equations, 1);
    CHECK_NEAR(evaluate(f, f->equation[0].right, &p), 12.0 * 12.0 + 16.0, 0.0);
    yk_flat_free(f);
}

static void ports_become_variables(void **state)
{
    yk_flat *f = read_model(
        "connector Pin Real v(unit = \"V\"); flow Real i; end Pin;\n"
        "connector Signal = input Real;\n"
        "record R Real a; parameter Real b = 2; end R;\n"
        "model M Pin p, n(v(start = 3)), m, q[2]; Signal u; R r(b = 5);\n"
        "  Signal w[2]; Real s;\n"
        "equation\n"
        "  p.v - n.v = 10*p.i; r.a = r.b; connect(u, s);\n"
        "  connect(p, n); connect(m, n); q[1].v = q[2].v; q.i = {1, 2};\n"
        "end M;");
    (void)state;
    assert_string_equal(f->variable[variable_of(f, "p.v")].unit, "V");
    assert_true(f->variable[variable_of(f, "q.i")].is_flow);
    assert_false(f->variable[variable_of(f, "p.i")].is_flow); /* joined */
    assert_false(f->variable[variable_of(f, "p.v")].is_flow);
    CHECK_NEAR(f->variable[variable_of(f, "n.v")].start[0], 3.0, 0.0);
    assert_int_equal(f->variable[variable_of(f, "q.v")].count, 2);
    assert_int_equal(f->variable[variable_of(f, "u")].kind, YK_FLAT_INPUT);
    assert_int_equal(f->variable[variable_of(f, "w")].count, 2);
    CHECK_NEAR(right_at(f, 1, 0.0), 5.0, 0.0);
    /* 5 as written, 2 + 1 for the three pins, 1 for the signal */
    assert_int_equal(f->equations, 5 + 3 + 1);
    yk_flat_free(f);
}

/* The relation that a condition is. */
static const yk_flat_relation *relation_of(const yk_flat *f, int condition)
{
    for (int i = 0; i < f->relations; i++)
        if (f->node[f->relation[i].refer].variable ==
            f->node[condition].variable)
            return &f->relation[i];
    fail();
    return NULL;
}

static void each_relation_is_watched_by_itself(void **state)
{
    yk_flat *f = read_model(
        "model M Real x, y[9], z; Boolean b; Integer n(start = 0);\n"
        "equation der(x) = if x > 1 and x < 2 then 1 else 0;\n"
        "  for i in 1:9 loop y[i] = if y[i] > i and x > 1 then 1 else 2;\n"
        "  end for; z = noEvent(if x > 5 then 1 else 2) + floor(x);\n"
        "  b = x > 1 or n > 2;\n"
        "  when not x > 3 then n = 1; end when;\n"
        "end M;");
    (void)state;
    /* x > 1, x < 2, y[i] > i, x > 5, floor(x), x > 3; n > 2 is no event */
    assert_int_equal(f->relations, 6);
    int watched = 0;
    for (int i = 0; i < f->relations; i++) watched += f->relation[i].watched;
    assert_int_equal(watched, 1);
    assert_true(f->relation[0].up && f->relation[0].down);
    for (int i = 0; i < f->relations; i++) {
        const yk_flat_relation *r = &f->relation[i];
        const int variable = f->node[r->refer].variable;
        assert_int_equal(f->variable[variable].count, r->loops ? 9 : 1);
        if (strcmp(r->text, "m.mo:6: x > 3") == 0)
            assert_true(!r->up && r->down);
    }
    yk_flat_free(f);
}

static void events_are_read(void **state)
{
    yk_flat *f = read_model(
        "model Ball Real h(start = 1), v; discrete Real n(start = 4);\n"
        "  Boolean b(start = true); Real x[2]; parameter Real T = 2;\n"
        "equation der(h) = v; der(v) = -9.81; der(x) = {1, 2};\n"
        "  when h < 0 then\n"
        "    reinit(v, -0.5*pre(v)); n = pre(n) + 1; b = h > 2;\n"
        "  elsewhen time >= T + 1 then reinit(x, {7, 8}); end when;\n"
        "  when {v > 1, T <= time} then n = 0; end when;\n"
        "  for i in 1:2 loop when x[i] > i then reinit(x[i], 0); end when;\n"
        "  end for;\n"
        "end Ball;");
    const point p = { .time = 0.0 };
    (void)state;
    assert_int_equal(f->events, 6);
    const yk_flat_event *e = &f->event[0];
    assert_int_equal(e->line, 4);
    assert_int_equal(e->actions, 3);
    const yk_flat_relation *r = relation_of(f, e->condition);
    assert_string_equal(r->text, "m.mo:4: h < 0");
    assert_true(r->up && !r->down);
    assert_int_equal(e->action[0].variable, variable_of(f, "v"));
    CHECK_NEAR(evaluate(f, e->action[0].value, &p), -0.5 * 511.0, 0.0);
    CHECK_NEAR(evaluate(f, e->action[1].value, &p), 522.0, 0.0);
    e = &f->event[1];
    assert_string_equal(relation_of(f, e->condition)->text,
                        "m.mo:6: time >= 3");
    assert_int_equal(e->actions, 2);
    assert_int_equal(e->action[1].place, 1);
    assert_string_equal(relation_of(f, f->event[3].condition)->text,
                        "m.mo:7: 2 <= time");
    assert_int_equal(f->event[5].action[0].place, 1);
    /* what only events change is constant between them */
    const yk_flat_variable *n = &f->variable[variable_of(f, "n")];
    assert_true(n->fixed[0]);
    assert_int_equal(f->equations, 3 + 2 + 1);
    yk_flat_free(f);
}

static void discrete_arrays_are_constant_between_events(void **state)
{
    yk_flat *f = read_model("model M discrete Real d[3, 2]; equation when time "
                            ">= 1 then d = ones(3, 2); end when; end M;");
    const point p = { .index = { 6 } };
    (void)state;
    assert_int_equal(f->equations, 1);
    assert_int_equal(f->equation[0].count[0], 6);
    CHECK_NEAR(evaluate(f, f->equation[0].left, &p), 1006.0, 0.0);
    assert_int_equal(f->event[0].actions, 6);
    yk_flat_free(f);
}

static const char whole[] =
    "type T = Real(unit = \"V\");\n"
    "connector Pin T v; flow Real i; end Pin;\n"
    "function f input Real x[:]; output Real y; algorithm y := 0;\n"
    "  for i in 1:size(x, 1) loop if x[i] > 0 then y := y + x[i]; end if;\n"
    "  end for; end f;\n"
    "model M Pin p, n; parameter Real A[2, 2] = [1, 0; 0, 1];\n"
    "  parameter Real tab[:, 2] = [0, 0; 1, 1]; Real x[2](each fixed = true,\n"
    "  each nominal = 2); discrete Real d; Real s = sum(i*x[i] for i in 1:2);\n"
    "  Real y[9], w = interpolate(tab, s);\n"
    "initial equation d = 1;\n"
    "equation connect(p, n); der(x) = A*x; p.v = f(x); p.i = w;\n"
    "  for i in 1:9 loop y[i] = if i > 1 then y[i-1] else 0; end for;\n"
    "  if s > 0 then w = 1; else w = 2; end if;\n"
    "  when {s > 1, time >= 2} then d = pre(d) + 1; reinit(x[1], 0);\n"
    "  end when;\n"
    "end M;";

static void no_failed_allocation_leaks(void **state)
{
    yk_flat *f = NULL;
    long requests;
    (void)state;
    fault_allocator(0);
    yk_flat_free(read_model(whole));
    requests = fault_requests();
    assert_int_equal(fault_blocks(), 0);
    for (long i = 1; i <= requests; i++) {
        yoke_err err;
        fault_allocator(i);
        CHECK_STATUS(
            yk_equation_front(&f, "m.mo", whole, strlen(whole), NULL, &err),
            YOKE_E_MEMORY, &err);
        assert_null(f);
        assert_int_equal(fault_blocks(), 0);
    }
    fault_restore();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_inlined),
        cmocka_unit_test(repeated_values_are_shared),
        cmocka_unit_test(a_function_of_the_loop_index_stays_in_the_loop),
        cmocka_unit_test(ports_become_variables),
        cmocka_unit_test(each_relation_is_watched_by_itself),
        cmocka_unit_test(events_are_read),
        cmocka_unit_test(discrete_arrays_are_constant_between_events),
        cmocka_unit_test(no_failed_allocation_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
