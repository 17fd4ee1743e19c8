/* comp/equation/front/front_refuse_test.c -- what is not supported is refused
 * by name, with its place and with what to do. */
#include "comp/equation/front/front_fixture.h"

typedef struct refusal {
    const char *text, *place, *part;
} refusal;

static void refuse_all(const refusal *list)
{
    for (; list->text; list++) refuses(list->text, list->place, list->part);
}

static void wrong_text_is_refused(void **state)
{
    static const refusal list[] = {
        { "", "m.mo:", "there is no model" },
        { "x", "m.mo:1:1:", "found 'x'" },
        { "model M", "m.mo:1:8:", "the text ends here" },
        { "model M end N;", "m.mo:1:13:", "end N closes M" },
        { "model M\n Real x\nend M;",
          "m.mo:3:1:", "';' after the declaration" },
        { "model M\nequation\n 1 + ;\nend M;", "m.mo:3:6:", "an expression" },
        { "model M equation x; end M;", "m.mo:1:19:", "= is expected" },
        { "model M Real x = \"a; end M;", "m.mo:1:18:", "string has no end" },
        { "model M /* Real x; end M;", "m.mo:1:9:", "comment has no end" },
        { "model 'M Real x; end M;", "m.mo:1:7:", "name has no end" },
        { "model '' end M;", "m.mo:1:7:", "name is empty" },
        { "model M Real x = 1e999; end M;", "m.mo:1:18:", "too large" },
        { "model M Real x = 1 # 2; end M;", "m.mo:1:20:", "'#' has no" },
        { "model M Real x = \x01; end M;", "m.mo:1:18:", "the byte 1" },
        { "model M annotation(a(b); end M;", "m.mo:1:19:", "a ) is missing" },
        { "model M annotation; end M;", "m.mo:1:19:", "(" },
        { "model M Real x = {}; end M;", "m.mo:1:18:", "an empty array" },
        { "model M Real x; Real x; end M;", "m.mo:1:22:", "declared already" },
        { "model M end M; model M end M;", "m.mo:1:22:", "defined already" },
        { "model M Real time; end M;", "m.mo:1:14:", "time is the time" },
        { "package P Real x; end P;", "m.mo:1:16:", "no constant" },
        { NULL, NULL, NULL }
    };
    (void)state;
    refuse_all(list);
}

/* All of one model at once, each once: m fails because of k. */
static void a_model_tells_all_its_problems(void **state)
{
    static const char text[] = "model M\n"
                               "  Real x(start = 1);\n"
                               "  Real y;\n"
                               "  parameter Real k = 2*k2;\n"
                               "  parameter Real m = k;\n"
                               "  Real x;\n"
                               "equation\n"
                               "  dr(x) = -m*x;\n"
                               "  der(y) = z + x;\n"
                               "  for i in 1:3 loop\n"
                               "    w[i] = q[i];\n"
                               "  end for;\n"
                               "end M;\n";
    static const char told[] =
        "m.mo:6:8: x is declared already in line 2\n"
        "m.mo:4:24: k2 is not declared; k is\n"
        "m.mo:8:3: there is no function dr; is der meant?\n"
        "m.mo:9:12: z is not declared; declare it, \"parameter Real z = 1;\" "
        "or \"Real z;\"\n"
        "m.mo:11:5: w is not declared; ";
    (void)state;
    refuses(text, told, "Real w;");
}

static void parts_of_the_language_are_refused_by_name(void **state)
{
    static const refusal list[] = {
        { "model M extends A; end M;", "m.mo:1:9:", "extends" },
        { "model M import A; end M;", "m.mo:1:9:", "import" },
        { "model M inner Real x; end M;", "m.mo:1:9:", "inner" },
        { "model M outer Real x; end M;", "m.mo:1:9:", "outer" },
        { "model M stream Real x; end M;", "m.mo:1:9:", "stream" },
        { "model M replaceable Real x; end M;", "m.mo:1:9:", "replaceable" },
        { "model M redeclare Real x; end M;", "m.mo:1:9:", "redeclare" },
        { "model M Real x(redeclare y = 1); end M;",
          "m.mo:1:16:", "redeclare" },
        { "operator record R end R;", "m.mo:1:1:", "operator" },
        { "expandable connector C end C;", "m.mo:1:1:", "expandable" },
        { "impure function f output Real y = 1; end f; model M Real x = f(); "
          "end M;",
          "m.mo:1:62:", "the impure function f" },
        { "function f output Real y; external \"C\" y = g(); end f; model M "
          "Real x = f(); end M;",
          "m.mo:1:73:", "the external function g is not supported" },
        { "function f = g(a = 1);", "m.mo:1:10:", "another name" },
        { "function f = der(g, x);", "m.mo:1:14:", "partial derivative" },
        { "model extends M end M;", "m.mo:1:7:", "class extends" },
        { "model M parameter Real p = 1; algorithm p := 1; end M;",
          "m.mo:1:43:", "p gets a value in this algorithm, but" },
        { "model M Real x; algorithm when time > 1 then x := 1; end when; "
          "x := 2; end M;",
          "m.mo:1:27:", "x gets values inside and outside of when" },
        { "model M parameter equation p = 1; end M;",
          "m.mo:1:30:", "a parameter equation" },
        { "model M Real x if true; end M;",
          "m.mo:1:16:", "a conditional component" },
        { "record R equation a = 1; end R;", "m.mo:1:10:", "outside a model" },
        { "function f input Real x; output Real y; algorithm y := x; while y > "
          "1 loop y := y/2; end while; end f; model M Real x = f(time); end M;",
          "m.mo:1:59:", "because its end depends on variables" },
        { "function f input Real x; output Real y; algorithm y := x; while "
          "true loop y := y/2; end while; end f; model M Real x = f(1); end M;",
          "m.mo:1:59:", "has not ended after" },
        { "model M Real x = f(function g()); end M;",
          "m.mo:1:20:", "a function as an argument" },
        { "model M Real x = sum(i for i); end M;",
          "m.mo:1:28:", "an iterator without a range" },
        { "type E = enumeration(:); model M E e; end M;",
          "m.mo:1:22:", "an enumeration without values" },
        { "model A end A; model M A a; end M;",
          "m.mo:1:24:", "itself a model" },
        { "model M String s; end M;", "m.mo:1:16:", "the String variable s" },
        { "model M Complex z; end M;", "m.mo:1:9:", "Complex is not defined" },
        { "model M equation terminate(\"x\"); end M;",
          "m.mo:1:18:", "terminate()" },
        { "model M Real x; equation reinit(x, 1); end M;",
          "m.mo:1:26:", "only in when" },
        { "model M Real x = delay(time, 1); end M;", "m.mo:1:18:", "delay()" },
        { "model M Real x = pre(x); end M;", "m.mo:1:18:", "pre(x) outside" },
        { "model M Real b = if edge(b) then 1 else 2; end M;",
          "m.mo:1:21:", "edge() is allowed only" },
        { "model M input Real u; Integer k(start = 0); equation "
          "when u > pre(u) + 1 then k = 1; end when; end M;",
          "m.mo:1:", "pre() of a variable that changes all the time" },
        { "model M Real x = if sample(0, 1) then 1 else 2; end M;",
          "m.mo:1:21:", "sample()" },
        { "model M Real x = spatialDistribution(1); end M;",
          "m.mo:1:18:", "spatialDistribution()" },
        { "connector C Real a; end C; model M C r = x; end M;",
          "m.mo:1:40:", "a value for all of r" },
        { "connector C Real a; end C; model M C r, s; equation r = s; end M;",
          "m.mo:1:53:", "r is used as a whole" },
        { "record R Real a; end R; model M R r = R(); end M;",
          "m.mo:1:39:", "R lacks a value for a" },
        { "record R Real a; end R; model M R r = 1; end M;",
          "m.mo:1:39:", "this is used as a record" },
        { "record R Real a; end R; model M Real r = 2*R(1); end M;",
          "m.mo:1:44:", "the constructor of a record" },
        { "model M Real x; equation assert(sin(x), \"a\"); end M;",
          "m.mo:1:26:", "assert needs a condition" },
        { "model M Real x; equation assert(x > 0, \"a\", 3); end M;",
          "m.mo:1:45:", "the level of assert" },
        { "model M equation assert(false, \"bad p\"); end M;",
          "m.mo:1:18:", "assertion failed: bad p" },
        { "model M input Real u = 1; end M;",
          "m.mo:1:24:", "a value of its own" },
        { "model M Real x[2, 2] = [ones(2), ones(3)]; end M;",
          "m.mo:1:34:", "the parts of this row of a matrix" },
        { "model M Real x[2, 2] = [1, 2; 3]; end M;",
          "m.mo:1:31:", "the rows of this matrix have 2 and 1 columns" },
        { NULL, NULL, NULL }
    };
    (void)state;
    refuse_all(list);
}

static void wrong_sizes_and_types_are_refused(void **state)
{
    static const refusal list[] = {
        { "model M Real x[1000000000]; end M;", "m.mo:1:14:",
          "x has 1000000000 elements; all arrays together may have 1000000 (" },
        { "model M Real x[99999, 99999]; end M;", "m.mo:1:14:", "9999800001" },
        { "model M Real x[-1]; end M;", "m.mo:1:16:", "negative" },
        { "model M Real x[1.5]; end M;", "m.mo:1:16:", "a whole number" },
        { "model M Real x[:]; end M;", "m.mo:1:16:", "size of x is not known" },
        { "model M Real x[1,1,1,1,1]; end M;", "m.mo:1:14:", "5 dimensions" },
        { "model M Real x[2] = {1, 2, 3}; end M;",
          "m.mo:1:14:", "[2] and [3]" },
        { "model M Real x[3] = {1, 2} + {1, 2, 3}; end M;",
          "m.mo:1:28:", "sizes of the operands differ" },
        { "model M Real x[2] = {1, 2}*{{1, 2, 3}}; end M;",
          "m.mo:1:27:", "a product do not fit" },
        { "model M Real x = true; end M;", "m.mo:1:14:", "different types" },
        { "model M Real x = 1 + true; end M;",
          "m.mo:1:22:", "a number is needed" },
        { "model M Real x = if 1 then 2 else 3; end M;",
          "m.mo:1:21:", "a condition is needed" },
        { "model M Real x = if true then {1} else 3; end M;",
          "m.mo:1:18:", "different sizes" },
        { "model M Real x = not 1; end M;", "m.mo:1:22:", "a Boolean" },
        { "model M Real x = {1, {2}}; end M;", "m.mo:1:22:", "different" },
        { "model M Real x[3]; equation x[4] = 1; end M;",
          "m.mo:1:29:", "subscript 1 of x is 4; it must lie in 1:3" },
        { "model M Real x[3]; equation for i in 1:3 loop x[i + 1] = 1; end "
          "for; end M;",
          "m.mo:1:47:", "(at i = 3)" },
        { "model M Real x[3]; equation x[1, 1] = 1; end M;",
          "m.mo:1:29:", "1 dimensions and 2 subscripts" },
        { "model M Real x[3]; equation x[1.5] = 1; end M;",
          "m.mo:1:31:", "must be an Integer" },
        { "model M Real x; equation for i in 1:x loop end for; end M;",
          "m.mo:1:35:", "must not depend on" },
        { "model M Real x = sum(i for i in 1:0:3); end M;",
          "m.mo:1:33:", "step of this range is 0" },
        { "model M Real x = min(i for i in 1:0); end M;",
          "m.mo:1:18:", "of no elements" },
        { "model M Real x = sin(1, 2); end M;", "m.mo:1:18:", "found 2" },
        { "model M Real x = sin(u = 1); end M;", "m.mo:1:18:", "named" },
        { "model M Real x = end; end M;", "m.mo:1:18:", "outside of subscr" },
        { "model M Real x = (1, 2); end M;", "m.mo:1:18:", "a list in" },
        { "model M Real x = time/{1, 2}; end M;", "m.mo:1:23:", "write ./" },
        { "model M Real x = {1, 2}^2; end M;", "m.mo:1:24:", "write .^" },
        { "model M equation 1 = 2; end M;", "m.mo:1:20:", "says 1 = 2" },
        { "model M Real x; equation for i in 1:1000000000 loop x = i; end for;"
          " end M;",
          "m.mo:1:55:", "1000000000 equations" },
        { "model M Real x = sum(1 for i in 1:1000000000); end M;",
          "m.mo:1:28:", "1000000000 values" },
        { NULL, NULL, NULL }
    };
    (void)state;
    refuse_all(list);
}

static void wrong_names_and_values_are_refused(void **state)
{
    static const refusal list[] = {
        { "model M Real speed; equation sped = 1; end M;",
          "m.mo:1:30:", "sped is not declared; speed is" },
        { "model M Real x = qqqqqq; end M;", "m.mo:1:18:", "not declared" },
        { "model M Real x = f(1); end M;", "m.mo:1:18:", "no function f" },
        { "model M Real x = M(1); end M;", "m.mo:1:18:", "not a function" },
        { "type Volt = Real; model M Vold x; end M;",
          "m.mo:1:27:", "Vold is not defined; Volt is" },
        { "model M parameter Real p = q, q = p; end M;",
          "m.mo:1:24:", "p depends on itself" },
        { "model M parameter Integer n = size(x, 1); Real x[n]; end M;",
          "m.mo:1:", "depends on itself" },
        { "type T = T; model M T x; end M;", "m.mo:1:21:", "by itself" },
        { "connector C C c; end C; model M C c; end M;",
          "m.mo:1:", "contains itself" },
        { "model M parameter Real p; end M;", "m.mo:1:24:", "has no value" },
        { "model M parameter Real p(fixed = false) = 1; end M;",
          "m.mo:1:32:", "fixed for the parameter p" },
        { "model M parameter Real p = 1/q, q = 0; end M;",
          "m.mo:1:30:", "division by zero" },
        { "model M Real x = time/(2 - 2); end M;",
          "m.mo:1:", "division by zero" },
        { "model M parameter Real p = log(-1); end M;",
          "m.mo:1:28:", "no value at -1" },
        { "model M parameter Real p = 10^400; end M;",
          "m.mo:1:30:", "not a number" },
        { "model M Real x; parameter Real p = x; end M;",
          "m.mo:1:36:", "x varies, but the value of p" },
        { "model M parameter Real p = time; end M;", "m.mo:1:28:", "varies" },
        { "model M Real x; parameter Real p = der(x); end M;",
          "m.mo:1:36:", "varies" },
        { "model M parameter Integer n = 1.5; end M;",
          "m.mo:1:31:", "n is an Integer" },
        { "model M parameter Boolean n = 1; end M;",
          "m.mo:1:31:", "wrong type" },
        { "model M parameter Real p[2] = {1, 2, 3}; end M;",
          "m.mo:1:31:", "p has the size [2], its value [3]" },
        { "model M Real x(strat = 1); end M;",
          "m.mo:1:22:", "no attribute strat" },
        { "model M Real x(start(a = 1)); end M;",
          "m.mo:1:16:", "has no attributes itself" },
        { "model M Real x(unit = \"k g\"); end M;",
          "m.mo:1:23:", "\"k g\" is not a unit" },
        { "model M Real x(unit = \"m/(s\"); end M;",
          "m.mo:1:23:", "lacks a )" },
        { "model M Real x(unit = 1); end M;", "m.mo:1:23:", "not a string" },
        { "model M Real x(nominal = 0); end M;",
          "m.mo:1:26:", "nominal value of x is 0" },
        { "model M Real x(start = {1, 2}); end M;", "m.mo:1:24:", "size" },
        { "connector C Real v; end C; model M C c(w = 1); end M;",
          "m.mo:1:42:", "C has no member w" },
        { "connector C Real v; end C; model M C c = 1; end M;",
          "m.mo:1:40:", "a value for all of c" },
        { "model M parameter Real T[2,2] = [1,0;1,0]; Real x = "
          "interpolate(T, time); end M;",
          "m.mo:1:", "must increase; row 2 has 1 after 1" },
        { "model M parameter Real T[2] = {1,0}; Real x = interpolate(T, time);"
          " end M;",
          "m.mo:1:", "must have the size [n, 2]" },
        { "model M Real T[2,2]; Real x = interpolate(T, time); end M;",
          "m.mo:1:43:", "must be a parameter matrix" },
        { NULL, NULL, NULL }
    };
    (void)state;
    refuse_all(list);
}

static void wrong_equations_are_refused(void **state)
{
    static const refusal list[] = {
        { "model M Real x; equation if x > 0 then x = 1; end if; end M;",
          "m.mo:1:26:", "needs an else" },
        { "model M Real x; equation if x > 0 then x = 1; else end if; end M;",
          "m.mo:1:26:", "1 and 0 equations" },
        { "model M Real x; equation if 1 then x = 1; end if; end M;",
          "m.mo:1:29:", "a condition is needed" },
        { "model M Real x; equation when x == 0.5 or x > 1 then reinit(x, 1);"
          " end when; end M;",
          "m.mo:1:33:", "== and <> of Real numbers" },
        { "model M Real x; equation when x > 0 and sign(x) > 0 and cos(x) then "
          "reinit(x, 1); end when; end M;",
          "m.mo:1:57:", "a Boolean is needed here" },
        { "model M Real x; equation when sample(0, 0) then reinit(x, 1); end "
          "when; end M;",
          "m.mo:1:41:", "the interval of sample is 0" },
        { "model M Real x; equation when time < 1 then reinit(x, 1); end when;"
          " end M;",
          "m.mo:1:36:", "becomes false as time goes on" },
        { "model M Real x; equation when x > 1 then when x > 2 then x = 1; "
          "end when; end when; end M;",
          "m.mo:1:42:", "a when in a when-equation" },
        { "model M Real x, y; equation der(y) = 1; when y > 1 then if y > 2 "
          "then x = 1; end if; end when; end M;",
          "m.mo:1:57:", "x gets a value in one branch of this if only" },
        { "model M Real x; equation when x > 1 then terminate(\"a\"); end when;"
          " end M;",
          "m.mo:1:42:", "terminate() in a when-equation" },
        { "model M Real x; equation when x > 1 then reinit(x); end when; end "
          "M;",
          "m.mo:1:42:", "two arguments" },
        { "model M parameter Real p = 1; Real x; equation when x > 1 then p = "
          "2; end when; end M;",
          "m.mo:1:64:", "not a variable" },
        { "model M Real x; equation when x > 1 then reinit(x, {1, 2}); end "
          "when; end M;",
          "m.mo:1:52:", "differs" },
        { "model M Real x; equation when x > 1 then 1 = x; end when; end M;",
          "m.mo:1:42:", "variable = value" },
        { "model M Real x; initial equation when x > 1 then x = 1; end when; "
          "end M;",
          "m.mo:1:34:", "when in the initial equations" },
        { "model M discrete Real d; end M;",
          "m.mo:1:23:", "gets no value in a when-equation" },
        { "model M discrete Real d = 1; equation when d > 2 then d = 1; end "
          "when; end M;",
          "m.mo:1:23:", "a declaration equation" },
        { "model M Real x; equation when x > 2 then x = 1; reinit(x, 1); end "
          "when; end M;",
          "m.mo:1:56:", "by reinit and by equations" },
        { "model M Real x; equation connect(x, y); end M;",
          "m.mo:1:37:", "y is not declared" },
        { "connector C Real v; end C; model M C c; Real x; equation connect(c,"
          " x); end M;",
          "m.mo:1:", "different types" },
        { "model M Real x; equation connect(x, 1); end M;",
          "m.mo:1:37:", "two connectors" },
        { NULL, NULL, NULL }
    };
    (void)state;
    refuse_all(list);
}

#define F "function f input Real x; input Real z = 1; output Real y; algorithm "

static void wrong_functions_are_refused(void **state)
{
    static const refusal list[] = {
        { F "y := f(x); end f; model M Real x = f(time); end M;",
          "m.mo:1:", "f calls itself; recursion is not supported" },
        { F "end f; model M Real x = f(time); end M;",
          "m.mo:1:", "does not always set its output y" },
        { F "if x > 0 then y := 1; end if; end f; model M Real x = f(time); "
            "end M;",
          "m.mo:1:", "does not always set its output y" },
        { F "y := y + 1; end f; model M Real x = f(time); end M;",
          "m.mo:1:", "y is used before it has a value" },
        { F "y := a; end f; model M Real a = f(time); end M;",
          "m.mo:1:", "the function f uses a of the model; make it an input" },
        { F "q := 1; end f; model M Real a = f(time); end M;",
          "m.mo:1:", "q is not declared" },
        { F "y := {1, 2}; end f; model M Real a = f(time); end M;",
          "m.mo:1:", "y has the size of a scalar, its value [2]" },
        { F "y := true; end f; model M Real a = f(time); end M;",
          "m.mo:1:", "different types" },
        { F "y := x; end f; model M Real a = f(); end M;",
          "m.mo:1:", "f lacks the argument x" },
        { F "y := x; end f; model M Real a = f(1, 2, 3); end M;",
          "m.mo:1:", "f has 2 inputs, found 3" },
        { F "y := x; end f; model M Real a = f(1, w = 3); end M;",
          "m.mo:1:", "f has no input w" },
        { F "y := x; end f; model M Real a = f({1, 2}); end M;",
          "m.mo:1:", "x has 0 dimensions, its argument 1" },
        { F "y := x; end f; model M Real a, b; equation (a, b) = f(1); end M;",
          "m.mo:1:", "f has 1 results" },
        { F "y := x; end f; model M Real a, b; equation (a, b) = 1; end M;",
          "m.mo:1:", "a call of a function" },
        { F "when x > 0 then y := 1; end when; end f; model M Real a = f(1); "
            "end M;",
          "m.mo:1:", "when in a function" },
        { F "print(\"a\"); end f; model M Real a = f(1); end M;",
          "m.mo:1:", "print() as a statement" },
        { F "assert(x > 2, \"small\"); y := x; end f; model M Real a = f(1); "
            "end M;",
          "m.mo:1:", "assertion failed: small" },
        { F "x + 1 := 1; end f; model M Real a = f(1); end M;",
          "m.mo:1:", "assigned to a variable only" },
        { "function f input Real x; end f; model M Real a = f(1); end M;",
          "m.mo:1:", "f has no output" },
        { "function f input String x; output Real y; algorithm y := 1; end f; "
          "model M Real a = f(\"a\"); end M;",
          "m.mo:1:", "String x in a function" },
        { NULL, NULL, NULL }
    };
    (void)state;
    refuse_all(list);
}

static void deep_nesting_is_refused(void **state)
{
    enum { N = 100000 };
    static const char *const opening[] = { "(",    "-(",    "{",
                                           "sin(", "not (", "if " };
    char *text = malloc(8 * N + 100);
    (void)state;
    for (size_t k = 0; k < sizeof opening / sizeof *opening; k++) {
        size_t used = (size_t)sprintf(text, "model M Real x = ");
        for (int i = 0; i < N; i++)
            used += (size_t)sprintf(text + used, "%s", opening[k]);
        refuses(text, "m.mo:1:", "nested more than 200 deep");
    }
    free(text);
}

static void zero_bytes_are_refused(void **state)
{
    static const char text[] = "model M Real x = \"\0\"; end M;";
    yk_flat *f = NULL;
    yoke_err err;
    (void)state;
    CHECK_STATUS(
        yk_equation_front(&f, "m.mo", text, sizeof text - 1, NULL, &err),
        YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "a zero byte");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_text_is_refused),
        cmocka_unit_test(a_model_tells_all_its_problems),
        cmocka_unit_test(parts_of_the_language_are_refused_by_name),
        cmocka_unit_test(wrong_sizes_and_types_are_refused),
        cmocka_unit_test(wrong_names_and_values_are_refused),
        cmocka_unit_test(wrong_equations_are_refused),
        cmocka_unit_test(wrong_functions_are_refused),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(zero_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
