/* comp/equation/front/front_test.c -- scalars, parameters, loops and arrays. */
#include "comp/equation/front/front_fixture.h"

static void a_plain_model_is_read(void **state)
{
    yk_flat *f = read_model("model Mass \"a mass\"\n"
                            "  parameter Real k = 2*m \"stiffness\", m = 3;\n"
                            "  Real x(start = 1, fixed = true, unit = \"m\");\n"
                            "  Real v(nominal = 10, min = -1, max = 1);\n"
                            "  input Real u;\n"
                            "  output Real y = x + v;\n"
                            "equation\n"
                            "  der(x) = v;\n"
                            "  m*der(v) = -k*x + u \"Newton\";\n"
                            "  annotation(Icon(graphics = {Line(a)}));\n"
                            "end Mass;\n");
    (void)state;
    assert_string_equal(f->name, "Mass");
    assert_string_equal(f->file, "m.mo");
    assert_int_equal(f->variables, 4);
    assert_int_equal(f->equations, 3);
    const yk_flat_variable *x = &f->variable[variable_of(f, "x")];
    CHECK_NEAR(x->start[0], 1.0, 0.0);
    assert_true(x->fixed[0]);
    assert_string_equal(x->unit, "m");
    assert_int_equal(x->line, 3);
    assert_null(x->nominal);
    const yk_flat_variable *v = &f->variable[variable_of(f, "v")];
    assert_null(v->fixed);
    CHECK_NEAR(v->nominal[0], 10.0, 0.0);
    assert_int_equal(f->variable[variable_of(f, "u")].kind, YK_FLAT_INPUT);
    assert_true(f->variable[variable_of(f, "y")].is_output);
    assert_int_equal(f->equation[2].line, 9);
    /* x is variable 0, u is variable 2: -6*1 + 21 */
    CHECK_NEAR(right_at(f, 2, 0.0), 15.0, 0.0);
    yk_flat_free(f);
}

static void base_modelica_is_read(void **state)
{
    yk_flat *f = read_model("//! base 0.1.0\n"
                            "package 'Pkg'\n"
                            "  constant Real 'g.n' = 9.81;\n"
                            "  type 'Volt' = Real(unit = \"V\", start = 2);\n"
                            "  model 'Pkg.M'\n"
                            "    'Volt' 'a.b[1]';\n"
                            "    Real[2] 'c'(each start = 3);\n"
                            "    parameter 'Volt' 'p' = 'g.n' + 1;\n"
                            "  equation\n"
                            "    der('a.b[1]') = 'p'*'c'[2];\n"
                            "    'c' = {1, 2};\n"
                            "  end 'Pkg.M';\n"
                            "end 'Pkg';\n");
    (void)state;
    assert_string_equal(f->name, "Pkg.M");
    const yk_flat_variable *a = &f->variable[variable_of(f, "a.b[1]")];
    assert_string_equal(a->unit, "V");
    CHECK_NEAR(a->start[0], 2.0, 0.0);
    assert_int_equal(f->variable[variable_of(f, "c")].count, 2);
    CHECK_NEAR(right_at(f, 0, 0.0), 10.81 * 12.0, 1e-12);
    assert_int_equal(f->equations, 3);
    yk_flat_free(f);
}

static void the_model_can_be_chosen(void **state)
{
    const char *text = "model A Real x = 1; end A;\n"
                       "package P model B Real y = 2; end B; end P;\n"
                       "model C Real z = 3; end C;";
    yoke_equation_options options = { .model = "P.B" };
    yk_flat *f = read_with(text, &options);
    yoke_err err;
    (void)state;
    assert_string_equal(f->name, "B");
    yk_flat_free(f);
    f = read_model(text);
    assert_string_equal(f->name, "C");
    yk_flat_free(f);
    f = NULL;
    options.model = "D";
    CHECK_STATUS(
        yk_equation_front(&f, "m.mo", text, strlen(text), &options, &err),
        YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "there is no model D; there is A, P.B, C");
}

static void parameters_can_be_given(void **state)
{
    const char *text = "model M parameter Integer n = 2; parameter Real k[:] ="
                       " {1, 2}; final parameter Real f = 1; parameter Real q;"
                       " Real x[n] = fill(k[1] + 10*k[2] + q, n); end M;";
    yoke_parameter given[] = { { "n", 5.0 }, { "k[2]", 7.0 }, { "q", 100.0 } };
    yoke_equation_options options = { .parameters = 3, .parameter = given };
    yk_flat *f = read_with(text, &options);
    yoke_err err;
    (void)state;
    assert_int_equal(f->variable[0].count, 5);
    CHECK_NEAR(right_at(f, 0, 0.0), 171.0, 0.0);
    yk_flat_free(f);
    f = NULL;

    static const struct {
        const char *name;
        double value;
        const char *message;
    } bad[] = { { "kk", 1.0, "no parameter kk; did you mean k" },
                { "k[3]", 1.0, "k has the size [2]" },
                { "k", 1.0, "k has the size [2]" },
                { "k[2,1]", 1.0, "k has the size [2]" },
                { "n", 1.5, "1.5 is not a value" },
                { "f", 1.5, "f is final" },
                { "x", 1.5, "x is not a parameter" },
                { "q", (double)INFINITY, "inf is not a value" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        given[0] = (yoke_parameter){ bad[i].name, bad[i].value };
        CHECK_STATUS(
            yk_equation_front(&f, "m.mo", text, strlen(text), &options, &err),
            YOKE_E_ARG, &err);
        CHECK_CONTAINS(err.text, bad[i].message);
        assert_null(f);
    }
}

static void expressions_have_their_values(void **state)
{
    const struct {
        const char *text;
        double value; /* at time = 2 */
    } list[] = {
        { "1 + 2*3 - 4/2", 5.0 },
        { "-2^2", -4.0 },
        { "(time + 1)^2/3*2", 6.0 },
        { "time - 1 - 1", 0.0 },
        { "if time > 1 then 5 elseif time > 0 then 6 else 7", 5.0 },
        { "if time < 1 then 5 elseif time >= 2 then 6 else 7", 6.0 },
        { "if not time <= 1 and (time == 2 or time <> 3) then 1 else 0", 1.0 },
        { "sin(time) + cos(time) + tan(time)", sin(2) + cos(2) + tan(2) },
        { "asin(time/4) + acos(time/4) + atan(time)",
          1.5707963267948966 + atan(2) },
        { "sinh(time) + cosh(time) + tanh(time)", exp(2) + tanh(2) },
        { "exp(time)*log(time)*log10(time)", exp(2) * log(2) * log10(2) },
        { "sqrt(time) + abs(-time) + sign(-time)", sqrt(2) + 1.0 },
        { "atan2(time, 3) + min(time, 3) + max(time, 3)", atan2(2, 3) + 5 },
        { "floor(time/4) + ceil(time/4) + integer(2.5*time)", 6.0 },
        { "mod(time, 3) + mod(-time, 3)", 3.0 },
        { "rem(-time, 3) + div(-7, time)", -5.0 },
        { "mod(-7, 3) + 10*rem(-7, 3) + 100*div(-7, 3)", -208.0 },
        { "noEvent(smooth(1, time))", 2.0 },
        { "homotopy(actual = time, simplified = 7)", 2.0 },
        { "homotopy(simplified = 7, actual = time)", 2.0 },
        { "homotopy(time, 7)", 2.0 },
        { "semiLinear(time, 3, 4) + semiLinear(-time, 3, 4)", -2.0 },
        { "1e3 + .5 + 2. + 1.5e-1", 1002.65 },
        { "sum({1, time, 3})", 6.0 },
        { "product({2, time, 3}) + min({4, time}) + max({4, time})", 18.0 },
        { "sum(i*time for i in 1:3)", 12.0 },
        { "sum(i + 10*j for i in 1:2, j in 1:3)", 129.0 },
        { "max(i*time for i in {3, 1})", 6.0 },
        { "sum(x for x in 0:0.5:1)", 1.5 },
        { "sum(identity(3)*{1, 2, 3}) + sum(ones(2, 2))", 10.0 },
        { "{1, 2}*{3, time}", 7.0 },
        { "sum(transpose({{1, 2}, {3, 4}})*{1, 10})", 31.0 + 42.0 },
        { "sum({1, 10}*[1, 2; 3, 4])", 31.0 + 42.0 },
        { "sum([1, 2; 3, 4]*[1, 2; 3, 4])", 54.0 },
        { "sum({1, 2}.*{3, 4} .+ 1) + sum({1, 2}./2) + sum({2, 3}.^2)", 27.5 },
        { "size({{1, 2, 3}, {4, 5, 6}}, 2) + ndims({1})", 4.0 },
        { "sum(size({{1, 2, 3}, {4, 5, 6}}))", 5.0 },
        { "sum(linspace(0, time, 5)) + sum(zeros(3))", 5.0 },
        { "sum(diagonal({1, time})) + scalar({7})", 10.0 },
        { "sum(cross({1, 0, 0}, {0, time, 0})*{1, 2, 4})", 8.0 },
        { "sum({100*i for i in 1:3}) + sum({i + j for i in 1:2, j in 1:2})",
          612.0 },
        { "sum(cat(1, {1, 2}, {time}))", 5.0 },
        { "sum(fill(time, 2, 3))", 12.0 },
        { "sum(2*{1, 2} - {1, 1}/time)", 5.0 },
        { "-(-time)", 2.0 },
        { "0*time + time*0 + time^0 + 0/time", 1.0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        CHECK_NEAR(value_of("", list[i].text, 2.0), list[i].value, 1e-12);
}

static void long_chains_stay_flat(void **state)
{
    enum { N = 5000 };
    char *text = malloc(12 * N);
    size_t used = (size_t)sprintf(text, "model M Real x = time");
    (void)state;
    for (int i = 0; i < N; i++)
        used += (size_t)sprintf(text + used, "%stime", i % 3 ? "+" : "-");
    for (int i = 0; i < N; i++)
        used += (size_t)sprintf(text + used, "%stime", i % 2 ? "*" : "/");
    sprintf(text + used, "; end M;");
    yk_flat *f = read_model(text);
    int depth = 0;
    for (int n = f->equation[0].right; f->node[n].a >= 0; n = f->node[n].a)
        depth++;
    CHECK_BETWEEN(depth, 5, 40);
    const double minus = (N + 2) / 3, plus = N - minus;
    CHECK_NEAR(right_at(f, 0, 1.0), 1.0 + plus - minus, 1e-9);
    yk_flat_free(f);
    free(text);
}

static void loops_stay_loops(void **state)
{
    const yoke_parameter given = { "n", 100000.0 };
    const yoke_equation_options options = { .parameters = 1,
                                            .parameter = &given };
    yk_flat *f = read_with(
        "model Heat parameter Integer n = 10; parameter Real c[n] = 1:n;\n"
        "Real x[n](start = linspace(0, 1, n)), y[n], z[n];\n"
        "equation\n"
        "  for i in 2:n-1 loop\n"
        "    der(x[i]) = c[i]*(x[i-1] - 2*x[i] + x[i+1]) + i;\n"
        "  end for;\n"
        "  der(x[1]) = 0; der(x[n]) = 0;\n"
        "  der(y) = -2*y + x;\n"
        "  z[1:2:n] = y[1:2:n]; z[2:2:n] = x[{2*i for i in 1:div(n, 2)}];\n"
        "end Heat;",
        &options);
    (void)state;
    assert_int_equal(f->equations, 6);
    assert_true(f->nodes < 100);
    const yk_flat_equation *e = &f->equation[0];
    assert_int_equal(e->loops, 1);
    assert_int_equal(e->count[0], 99998);
    assert_int_equal(e->first[0], 2);
    assert_int_equal(e->step[0], 1);
    CHECK_NEAR(f->variable[0].start[50000], 50000.0 / 99999.0, 1e-12);
    const point p = { .index = { 7 } };
    /* x[j] has the value j: the second difference is 0 */
    CHECK_NEAR(evaluate(f, e->right, &p), 7.0, 1e-9);
    CHECK_NEAR(evaluate(f, e->left, &p), 1007.0, 1e-9);
    assert_int_equal(f->equation[4].count[0], 50000);
    CHECK_NEAR(evaluate(f, f->equation[5].right, &p), 14.0, 0.0);
    yk_flat_free(f);
}

static void nested_loops_stay_loops(void **state)
{
    yk_flat *f = read_model(
        "model M parameter Integer n = 6; Real u[n, n], v[n, n], w[n, n];\n"
        "equation\n"
        "  for i in 2:n-1, j in 2:n-1 loop\n"
        "    u[i, j] = (u[i-1, j] + u[i+1, j] + u[i, j-1] + u[i, j+1])/4;\n"
        "  end for;\n"
        "  for i in {1, n} loop for j in 1:n loop u[i, j] = j; end for;"
        " end for;\n"
        "  for i in 2:n-1 loop u[i, 1] = 0; u[i, end] = 0; end for;\n"
        "  v = transpose(u) + 2*w;\n"
        "  w = u*v;\n"
        "end M;");
    const point p = { .index = { 3, 4 } };
    (void)state;
    assert_int_equal(f->equations, 7);
    assert_int_equal(f->equation[0].loops, 2);
    CHECK_NEAR(evaluate(f, f->equation[0].right, &p), 1.0 + 2 * 6 + 3, 0.0);
    assert_int_equal(f->equation[1].loops, 1);
    /* v[3,4] = u[4,3] + 2 w[3,4] */
    CHECK_NEAR(evaluate(f, f->equation[5].right, &p),
               (1 + 3 * 6 + 2) + 2 * (21 + 2 * 6 + 3), 0.0);
    assert_int_equal(f->equation[6].loops, 2);
    yk_flat_free(f);
}

static void what_is_not_affine_is_written_out(void **state)
{
    yk_flat *f = read_model(
        "model M Real x[4], y[4, 4], z[5]; equation\n"
        "  for i in 1:4 loop x[i] = y[mod(i, 4) + 1, i]; end for;\n"
        "  for i in 1:4, j in 1:i loop y[i, j] = i*j; end for;\n"
        "  for i in 1:4 loop for j in i+1:4 loop\n"
        "    if i == 1 then y[i, j] = x[j]; else y[i, j] = x[i]; end if;\n"
        "  end for; end for;\n"
        "  for i in 1:5 loop\n"
        "    z[i] = if i == 1 then 0 else z[i-1] + 1;\n"
        "  end for;\n"
        "end M;");
    int loops = 0, scalars = 0;
    (void)state;
    for (int i = 0; i < f->equations; i++) {
        const yk_flat_equation *e = &f->equation[i];
        int count = 1;
        for (int k = 0; k < e->loops; k++) count *= e->count[k];
        scalars += count;
        loops += e->loops;
    }
    assert_int_equal(scalars, 4 + 10 + 6 + 5);
    assert_true(loops > 4);
    /* x[3] = y[4, 3] */
    CHECK_NEAR(right_at(f, 2, 0.0), 11.0 + 3 * 4 + 2, 0.0);
    yk_flat_free(f);
}

static void five_loops_are_too_many_for_one_equation(void **state)
{
    yk_flat *f = read_model("model M Real x[2,2,2,2], y; equation "
                            "for a in 1:3 loop x = fill(a*y, 2, 2, 2, 2);"
                            "end for; end M;");
    (void)state;
    assert_int_equal(f->equations, 3);
    assert_int_equal(f->equation[0].loops, 4);
    CHECK_NEAR(right_at(f, 2, 0.0), 33.0, 0.0);
    yk_flat_free(f);
}

static void a_sparse_matrix_gives_a_sparse_pattern(void **state)
{
    yk_flat *f = read_model("model M parameter Real A[2, 2] = [1, 0; 2, 3]; "
                            "Real x[2]; equation der(x) = A*x; end M;");
    (void)state;
    assert_int_equal(f->equations, 2);
    assert_int_equal(f->node[f->equation[0].right].op, YK_OP_REFER);
    CHECK_NEAR(right_at(f, 1, 0.0), 2.0 + 6.0, 0.0);
    yk_flat_free(f);
    f = read_model("model M parameter Real A[2, 2] = [1, 4; 2, 3]; "
                   "Real x[2]; equation der(x) = A*x; end M;");
    const point p = { .index = { 2 } };
    assert_int_equal(f->equations, 1);
    CHECK_NEAR(evaluate(f, f->equation[0].right, &p), 8.0, 0.0);
    yk_flat_free(f);
}

static void if_equations_are_chosen_or_merged(void **state)
{
    yk_flat *f = read_model(
        "model M parameter Boolean b = false; Real x, y, z[2]; equation\n"
        "  if b then x = 1; x = 2; elseif not b then x = 3; end if;\n"
        "  if time > 1 then der(y) = 4; z = {1, 2};\n"
        "  elseif time > 0 then der(y) = 5; z = {3, 4};\n"
        "  else der(y) = 6; 2*z = {5, 6}; end if;\n"
        "end M;");
    (void)state;
    assert_int_equal(f->equations, 4);
    CHECK_NEAR(right_at(f, 0, 0.0), 3.0, 0.0);
    assert_int_equal(f->node[f->equation[1].left].op, YK_OP_DER);
    CHECK_NEAR(right_at(f, 1, 2.0), 4.0, 0.0);
    CHECK_NEAR(right_at(f, 1, 0.5), 5.0, 0.0);
    CHECK_NEAR(right_at(f, 1, -1.0), 6.0, 0.0);
    CHECK_NEAR(right_at(f, 3, 0.5), 4.0, 0.0);
    assert_int_equal(f->node[f->equation[3].left].op, YK_OP_IF);
    yk_flat_free(f);
}

static void initial_equations_are_marked(void **state)
{
    yk_flat *f =
        read_model("model M Real x; initial equation x = 1; equation"
                   " der(x) = -x; initial equation der(x) = 2; end M;");
    (void)state;
    assert_int_equal(f->equations, 3);
    assert_false(f->equation[0].initial);
    assert_true(f->equation[1].initial);
    assert_true(f->equation[2].initial);
    yk_flat_free(f);
}

static void tables_are_interpolated(void **state)
{
    yk_flat *f = read_model("model M parameter Real T[:, 2] = [0, 1; 1, 3; 3, "
                            "4]; Real x = interpolate(T, time), y = "
                            "interpolate(T, 2) + interpolate(T, -1) + "
                            "interpolate(T, 9); end M;");
    (void)state;
    const yk_flat_node *hold = &f->node[f->equation[0].right];
    assert_int_equal(hold->op, YK_OP_HOLD); /* of time alone: nothing is held */
    assert_int_equal(f->relations, 0);
    assert_int_equal(f->node[hold->a].op, YK_OP_INTERPOLATE);
    assert_int_equal(f->variable[2].kind, YK_FLAT_TABLE);
    assert_int_equal(f->node[hold->a].variable, 2);
    CHECK_NEAR(right_at(f, 1, 0.0), 3.5 + 1.0 + 4.0, 1e-12);
    yk_flat_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_model_is_read),
        cmocka_unit_test(base_modelica_is_read),
        cmocka_unit_test(the_model_can_be_chosen),
        cmocka_unit_test(parameters_can_be_given),
        cmocka_unit_test(expressions_have_their_values),
        cmocka_unit_test(long_chains_stay_flat),
        cmocka_unit_test(loops_stay_loops),
        cmocka_unit_test(nested_loops_stay_loops),
        cmocka_unit_test(what_is_not_affine_is_written_out),
        cmocka_unit_test(five_loops_are_too_many_for_one_equation),
        cmocka_unit_test(a_sparse_matrix_gives_a_sparse_pattern),
        cmocka_unit_test(if_equations_are_chosen_or_merged),
        cmocka_unit_test(initial_equations_are_marked),
        cmocka_unit_test(tables_are_interpolated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
