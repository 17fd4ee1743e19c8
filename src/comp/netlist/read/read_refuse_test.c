/* comp/netlist/read/read_refuse_test.c -- every mistake has a place and a
 * reason. */
#include "comp/netlist/read/read_fixture.h"

#include <stdio.h>
#include <stdlib.h>

/* Lines after the title; "@" stands for a line break.  The message begins with
 * test.cir:line: and contains the text. */
static const struct {
    int line;
    const char *text, *message;
} rows[] = {
    /* lines and words */
    { 2, "+ r1 a 0 1", "none before it to continue" },
    { 2, "r1 a 0 {1", "\"{\" has no partner" },
    { 2, "r1 a 0 1}", "\"}\" has no partner" },
    { 2, "r1 a 0 '1", "\"'\" has no partner" },
    { 2, "r1 a 0 \"x", "has no partner" },
    { 2, "r1 a 0 1\x01", "byte 0x01 at letter 9 is not text" },
    { 3, "r1 a 0 1@{x} 1 2", "a line cannot begin with" },
    /* numbers */
    { 2, "r1 a 0 4k7", "\"4k7\" is not a number (write 4.7k" },
    { 2, "r1 a 0 2*3", "expressions in braces" },
    { 2, "r1 a 0 1e999", "\"1e999\" is too large" },
    { 2, "r1 a 0 1.2.3", "is not a number" },
    { 2, "r1 a 0 1k m=x", "\"x\" is neither a number nor a parameter" },
    { 2, "r1 a 0 r= ", "neither a value nor a model" },
    /* elements */
    { 2, "r1", "\"r1\" needs 2 nodes, the line has 0" },
    { 2, "r1 a", "\"r1\" needs 2 nodes, the line has 1" },
    { 2, "r1 a 0", "\"r1\" has neither a value nor a model" },
    { 2, "r1 a 0 1k 2k", "unexpected word \"2k\"" },
    { 2, "r1 a 0 1k tcx=2", "no parameter \"tcx\" (near: \"tc\")" },
    { 2, "r1 a 0 nomodel", "neither a number nor a parameter" },
    { 2, "r1 a 0 dm@.model dm d", "has a model of type \"d\"" },
    { 3, "r1 a 0 1@r1 b 0 2", "\"r1\" is defined twice, first at test.cir:2" },
    { 2, "a1 1 2 x", "an XSPICE code model, which is not supported" },
    { 2, "n1 1 2 x", "a compiled Verilog-A device" },
    { 2, "p1 1 2 x", "a coupled multiconductor line" },
    { 2, "y1 1 2 x", "a single lossy line" },
    { 2, "z1 1 2 3 x", "a MESFET" },
    { 2, "?1 1 2 3", "is not an element: its first letter" },
    { 2, "k1 l1 0.9@l1 a 0 1", "two inductors" },
    { 2, "k1 l1 0.9", "two inductors" },
    { 2, "k1 l1 l2 0.9@l1 a 0 1", "there is no element \"l2\" (near: \"l1\")" },
    { 2, "k1 l1 r1 0.9@l1 a 0 1@r1 a 0 1", "an inductor is needed" },
    { 2, "k1 l1 l2 1.5@l1 a 0 1@l2 a 0 1", "1.5 is not between -1 and 1" },
    { 2, "t1 a 0 b 0 z0=50", "needs z0 and either td or f" },
    { 2, "t1 a 0 b 0 td=1n", "needs z0 and either td or f" },
    { 2, "t1 a 0 b", "needs 4 nodes" },
    { 2, "t1 a 0 b 0 z0=50 nl=0.3", "has nl without f" },
    { 2, "t1 a 0 b 0 z0=-5 td=1n", "z0 = -5 must be more than 0" },
    { 2, "t1 a 0 b 0 z0=50 td=0", "td = 0 must be more than 0" },
    { 2, "t1 a 0 b 0 z0=50 td=-1n", "td = -1e-09 must be more than 0" },
    { 2, "t1 a 0 b 0 z0=50 f=0", "f = 0 and nl = 0.25 must be" },
    { 2, "t1 a 0 b 0 z0=50 f=1g nl=-1", "nl = -1 must be" },
    { 2, "o1 a 0 b 0", "names no model" },
    { 2, "o1 a 0 b 0 m@.model m d", "is of type \"d\", supported is ltra" },
    { 3, "o1 a 0 b 0 m@.model m ltra r=1", "len = 0 of a line must be more" },
    { 3, "o1 a 0 b 0 m@.model m ltra r=-1 len=1", "must not be negative" },
    { 2, "o1 a 0 b 0 m@.model m ltra c=1 len=1", "has neither r nor both" },
    { 2, "o1 a 0 b 0 m@.model m ltra l=1 r=1 g=1 len=1", "has l and g" },
    { 2, "o1 a 0 b d m@.model m ltra r=1 c=1 len=1", "other return nodes" },
    { 2, "o1 a 0 b 0 m@.options linesections=0@.model m ltra r=1 c=1 len=1",
      "linesections = 0" },
    { 2, "u1 a b", "needs 3 nodes" },
    { 2, "u1 a b 0 m@.model m urc", "needs a length l" },
    { 2, "u1 a b 0 m l=1@.model m urc k=1", "k = 1 of its model must be" },
    { 3, "u1 a b 0 m l=1@.model m urc rperl=0", "rperl = 0 of a line" },
    { 2, "u1 a b 0 m l=1 n=1e9@.model m urc", "n = 1e+09 lumps" },
    { 2, "u1 a b 0 m l=1 n=900@.model m urc k=9", "too many lumps" },
    /* semiconductors and models */
    { 2, "d1 a 0", "\"d1\" names no model" },
    { 2, "d1 a 0 dn@.model dm d", "no model \"dn\" (near: \"dm\")" },
    { 2, "d1 a 0 dm@.model dm numd x=word", "is of type \"numd\"" },
    { 2, "d1 a 0 dm@.model dm npn", "is of type \"npn\", supported is d" },
    { 2, ".model dm", ".model needs a name and a type" },
    { 3, "d1 a 0 dm@.model dm d is=", "\"is\" has no value" },
    { 3, "d1 a 0 dm@.model dm d is=zz", "(of model \"dm\")" },
    { 2, "q1 c b e s t qm@.model qm npn", "5 nodes, a Gummel-Poon" },
    { 2, "q1 c b qm@.model qm npn", "names no model" },
    { 2, "m1 d g s nm@.model nm nmos", "3 nodes before the model" },
    { 2, "m1 d g s b b2 nm@.model nm nmos", "5 nodes before the model" },
    { 2, "m1 d g s b bin l=1 w=1@.model bin.1 nmos lmin=2 lmax=3",
      "no bin of model \"bin\" holds l = 1" },
    { 2, "m1 d g s b nm wx=1@.model nm nmos", "no parameter \"wx\"" },
    { 2, "m1 d g s b vm@.model vm vdmos", "type \"vdmos\"" },
    { 2, "s1 a 0 b 0 sm@.model sm csw", "supported is sw" },
    { 2, "w1 a 0 sm@.model sm csw", "names no model" },
    { 2, "w1 a 0 vx wm@.model wm csw", "there is no element \"vx\"" },
    /* sources */
    { 2, "v1 a 0 pulse(1)", "pulse takes 2 to 8 numbers, not 1" },
    { 2, "v1 a 0 pulse(0 1 x)", "\"x)\" is neither a number nor \")\"" },
    { 2, "v1 a 0 sin(0 1", "the bracket of sin( is not closed" },
    { 2, "v1 a 0 pwl(0 0 1)", "pwl has 3 numbers" },
    { 2, "v1 a 0 pwl(0 0 2 1 1 0)",
      "pwl time 1 is before the previous one, 2" },
    { 2, "v1 a 0 pwl(0 0 2 1) r=1", "r = 1 is none of the times" },
    { 2, "v1 a 0 pwl file=no/such", "\"no/such\" cannot be opened" },
    { 2, "v1 a 0 pwl repeat for 0 (0 0)", "repeat for 0: not in 1" },
    { 2, "v1 a 0 sin(0 1) exp(0 1)", "two waveforms" },
    { 2, "v1 a 0 1 2", "two dc values" },
    { 2, "v1 a 0 trnoise(1 2)", "\"trnoise\" of a source is not supported" },
    { 2, "v1 a 0 dc 0 portnum 1", "\"portnum\" of a source" },
    { 2, "v1 a 0 dc 0 z0=50", "\"z0\" of a source" },
    { 2, "e1 a 0", "has nothing that controls it" },
    { 2, "e1 a 0 b", "needs 4 nodes" },
    { 2, "e1 a 0 b 0", "has no gain" },
    { 2, "e1 a 0 poly(0) b 0 1", "dimensions are 1 to 20" },
    { 2, "e1 a 0 poly(2) b 0 1", "needs 6 nodes" },
    { 2, "e1 a 0 poly(1) b 0", "poly has no coefficients" },
    { 2, "e1 a 0 laplace {v(a)} {1/(1+s)^0.5}",
      "an exponent that is no whole number" },
    { 2, "e1 a 0 freq {v(a)} (1,2,3)", "freq is not supported" },
    { 2, "e1 a 0 table {v(b)} = (0,0)", "two points (x, y) or more" },
    { 2, "e1 a 0 table {v(a)} = (1,0) (0,1)", "points of pwl do not grow" },
    { 2, "e1 a 0 value={v(a)} m=2", "m of a voltage is not supported" },
    { 2, "f1 a 0", "has nothing that controls it" },
    { 2, "f1 a 0 vx 2", "there is no element \"vx\"" },
    { 2, "f1 a 0 r1 2@r1 a 0 1", "a voltage source is needed" },
    { 2, "b1 a 0 v(1)", "needs v = expression or i = expression" },
    { 2, "b1 a 0 v=", "has no expression" },
    { 2, "b1 a 0 i=i(vx)", "there is no element \"vx\"" },
    { 2, "b1 a 0 i=v(b)", "no element is connected with node \"b\"" },
    /* expressions */
    { 2, "r1 a 0 {}", "the end comes too early" },
    { 2, "r1 a 0 {1+}", "the end comes too early" },
    { 2, "r1 a 0 {(1}", "\")\" is missing" },
    { 2, "r1 a 0 {1 2}", "something is left over at letter 3" },
    { 2, "r1 a 0 {1 ? 2}", "\":\" is missing" },
    { 2, "r1 a 0 {x1}@.param x2=1", "no parameter \"x1\" (near: \"x2\")" },
    { 2, "r1 a 0 {sinn(1)}", "no function \"sinn\" (near: \"sin\")" },
    { 2, "r1 a 0 {max(1)}", "an argument is missing" },
    { 2, "r1 a 0 {sin(1,2)}", "\")\" is missing" },
    { 2, "r1 a 0 {1/0}", "the value is not finite" },
    { 2, "r1 a 0 {sqrt(-1)}", "the value is not finite" },
    { 2, "r1 a 0 {3k3}", "write 4.7k for 4k7" },
    { 2, "r1 a 0 {5mil}", "\"mil\" is milli for ngspice" },
    { 2, "r1 a 0 {gauss(1,2,3)}", "random numbers" },
    { 2, "b1 a 0 v=limit(v(a),1)", "with two arguments is a random number" },
    { 2, "r1 a 0 {ddt(3)}", "ddt() is not supported" },
    { 2, "b1 a 0 v=hertz", "hertz is not supported" },
    { 2, "b1 a 0 v=pwl(v(a),1,2)", "two points" },
    { 2, "b1 a 0 v=pwl(v(a),1,2,1,3)", "do not grow" },
    { 2, "b1 a 0 v=pwl(v(a),1,v(a),2,3)", "not a constant" },
    { 2, "b1 a 0 v=v()", "a name of a node or source is missing" },
    { 2, "b1 a 0 v=v(a", "\")\" is missing after v(" },
    { 2, ".param p={time}@r1 a 0 p", "time is not known here" },
    { 2, ".param p={v(a)}@r1 a 0 p", "not known here" },
    /* parameters */
    { 2, ".param a={b} b={a}@r1 1 0 a", "parameter \"a\" depends on itself" },
    { 2, ".param a", "expected \"name = value\"" },
    { 2, ".param a=", "parameter \"a\" has no value" },
    { 2, ".param a=\"x\"", "is a text" },
    { 2, ".func f", "expected .func name(argument" },
    { 2, ".func f(x)", "function \"f\" has no expression" },
    { 2, ".func f(x) = ", "function \"f\" has no expression" },
    { 2, ".func f(x) {f(x)}@r1 a 0 {f(1)}", "functions are too deep" },
    /* subcircuits */
    { 2, ".subckt", ".subckt needs a name" },
    { 2, ".subckt s a", "subcircuit \"s\" has no .ends" },
    { 2, ".ends", ".ends without .subckt" },
    { 2, ".subckt s a a@.ends", "two ports \"a\"" },
    { 2, "x1", "names no subcircuit" },
    { 2, "x1 a sx@.subckt sy a@.ends", "no subcircuit \"sx\" (near: \"sy\")" },
    { 2, "x1 a b s@.subckt s a@.ends", "has 1 ports, the line 2 nodes" },
    { 2, ".options reltol", "option \"reltol\" has no value" },
    { 2, "x1 a s q=1@.subckt s a p=1@.ends",
      "has no parameter \"q\" (near: \"p\")" },
    { 3, ".subckt s a@x1 a s@.ends@x2 1 s", "contains itself: s in s" },
    { 7, "x0 1 s@.subckt s a@x1 a t@.ends@.subckt t a@x1 a s@.ends",
      "contains itself: s in t in s" },
    { 3, "x1 a s@x1 a s@.subckt s a@r1 a 0 1@.ends", "used twice" },
    { 3, ".subckt s a@.tran 1 2@.ends@x1 a s", "cannot stand in a subcircuit" },
    { 3, ".subckt s a@.temp 1@.ends@x1 a s", "cannot stand in a subcircuit" },
    /* commands */
    { 2, ".tran", ".tran needs a" },
    { 2, ".tran -1 1", "must be positive" },
    { 2, ".tran 1n 1u 2u", "the start before the end" },
    { 2, ".tran 1n 1u 0 1n uic x", "unexpected word \"x\"" },
    { 2, ".dc v1 0 1", ".dc needs a step" },
    { 2, ".dc v1 0 1 -1", "the step -1 does not lead from 0 to 1" },
    { 2, ".dc v1 0 1 1e-20", "more than 1e8 points" },
    { 2, ".dc vx 0 1 1", "there is no source \"vx\" to sweep" },
    { 3, "c1 a 0 1@.dc c1 0 1 1", "neither a source nor a resistor" },
    { 3, "r1 a 0 {temper}@.dc temp 0 1 1", "test.cir:2 depends on it" },
    { 2, ".ac 10 1 2", "needs dec, oct or lin" },
    { 2, ".ac dec 10 0 100", "10 points from 0 to 100 Hz" },
    { 2, ".ic v(a)", "expected v(node) = value" },
    { 2, ".options method=euler", "neither trap nor gear" },
    { 2, ".options reltol=", "option \"reltol\" has no value" },
    { 2, ".temp", ".temp needs a temperature" },
    { 2, ".meas tran", "needs an analysis, a name" },
    { 2, ".meas noise x max v(a)", "is not tran, dc, ac or op" },
    { 2, ".if (1)@r1 a 0 1", ".if without .endif" },
    { 2, ".endif", ".endif without .if" },
    { 2, ".else@.endif", ".else without .if" },
    { 2, ".if@.endif", "the condition is missing" },
    { 2, ".if (nosuch == 1)@.endif", "nosuch" },
    { 4, ".if (0)@.else@.elseif (1)@.endif", "after the .else" },
    { 3, ".if (1)@.param q=1@.endif",
      ".param between .if (line 2) and .endif is not supported" },
    { 3, ".if (1)@.subckt q a@.ends@.endif", "is not supported" },
    { 3, ".subckt q a@.if (1)@.ends@.endif", ".if without .endif" },
    { 2, ".trann 1 2", "no command \".trann\" (near: \".tran\")" },
    { 2, ".endl", ".endl without .lib" },
    { 2, ".lib tt@r1 a 0 1@.endl", "\"tt\" cannot be opened (a section" },
    { 2, "r1 a 0 rm@.model rm r tc1=1", "has not r or rsh" },
    { 2, "c1 a 0 cm l=1@.model cm c", "has not cap, cj or cjsw" },
    { 2, "l1 a 0 lm@.model lm l", "has not ind" },
    { 2, "r1 a 0 1 ac=5", "no parameter \"ac\"" },
    { 2, ".lib", ".lib needs a file and a section" },
    { 2, ".include", "no name of a file" },
    { 2, ".include no/such/file", "cannot be opened" },
    { 3, ".control@alter @m1[w] = 2u@run@.endc", "before the first analysis" },
    { 4, "r1 a 0 1@.control@alter r2 2@run@.endc", "no element \"r2\"" },
    { 3, ".control@altermod m1 vto=1@run@.endc", "write the value into" },
    { 3, ".control@set temp=3@.endc", "\"set temp=3\" before the first" },
    { 3, ".control@option temp=3@.endc", "write it as .temp" },
    { 3, ".control@source other.cir@.endc", "takes another circuit" },
    { 2, "r1 a 0 1k\xff", "is not UTF-8" },
    { 2,
      "c1 a 0 1\xc3\x82\xc2\xb5"
      "F",
      "is not a number" },
};

static void every_mistake_is_named_with_its_line(void **state)
{
    int bad = 0;
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400], place[40];
        yk_netlist *net = NULL;
        yoke_err err = { YOKE_OK, "" };
        snprintf(text, sizeof text, "title@%s@.end@", rows[i].text);
        for (char *p = text; *p; p++)
            if (*p == '@') *p = '\n';
        snprintf(place, sizeof place, "test.cir:%d:", rows[i].line);
        const yoke_status status =
            yk_netlist_read(&net, "test.cir", text, strlen(text), &err);
        if (status < 0 && !net &&
            strncmp(err.text, place, strlen(place)) == 0 &&
            strstr(err.text, rows[i].message))
            continue;
        print_message("row %zu: %s\n  gives %d \"%s\"\n  not %s ... %s\n", i,
                      rows[i].text, (int)status, err.text, place,
                      rows[i].message);
        yk_netlist_free(net);
        bad++;
    }
    assert_int_equal(bad, 0);
    assert_true(sizeof rows / sizeof *rows >= 80);
}

/* The place of a word: its line of the file, which a continuation or a comment
 * between may have moved, and its column in letters. */
static const struct {
    const char *text, *place;
} words[] = {
    { "r1 a 0 4k7", "test.cir:2:8: " },
    { "   r1  a 0\t4k7", "test.cir:2:12: " },
    { "r1 a@+ 0@+   4k7", "test.cir:4:5: " },
    { "r1 a@* a comment@@  + 0 4k7", "test.cir:5:7: " },
    { "r1 \xce\xb1\xce\xb2 0 4k7", "test.cir:2:9: " },
    { "r1 a 0 1\xc2\xb5 foo=1", "test.cir:2:11: " },
    { "r1 a 0 {1 +@+ nosuch}", "test.cir:3:3: " },
    { "b1 a 0 v = 2*nosuch(v(a))", "test.cir:2:14: " },
    { ".param p={q} q={p}@r1 a 0 {p}", "test.cir:2:" },
    { "d1 a 0@+ nomodel", "test.cir:3:3: " },
    { "x1 a nosub", "test.cir:2:6: " },
    { "x1 a s rest=1@.subckt s a res=1@r1 a 0 1@.ends", "test.cir:2:8: " },
    { "v1 a 0 sin(0 1 x)", "test.cir:2:16: " },
    { "f1 a 0@+ vnone 2@r1 a 0 1", "test.cir:3:3: " },
    { ".tran 1n 1u 0 1n uic x", "test.cir:2:22: " },
    { ".ic v(a) 3", "test.cir:2:5: " },
    { ".options method=euler", "test.cir:2:17: " },
    { "  .trann 1 2", "test.cir:2:3: " },
    { "r1 a 0 1 (2", "test.cir:2:11: " },
    { "d1 a 0 m@.model m d(is=1 =3)", "test.cir:3:" },
};

static void words_are_named_with_their_columns(void **state)
{
    (void)state;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[400];
        yk_netlist *net = NULL;
        yoke_err err = { YOKE_OK, "" };
        snprintf(text, sizeof text, "title@%s@.end@", words[i].text);
        for (char *p = text; *p; p++)
            if (*p == '@') *p = '\n';
        CHECK_STATUS(
            yk_netlist_read(&net, "test.cir", text, strlen(text), &err),
            YOKE_E_ARG, &err);
        CHECK_CONTAINS(err.text, words[i].place);
        assert_null(strchr(err.text, '\v'));
    }
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    static const char nul[] = "title\nr1 a\0b 0 1\n";
    yk_netlist *net = NULL;
    yoke_err err;
    (void)state;

    CHECK_STATUS(yk_netlist_read(&net, "x.cir", nul, sizeof nul - 1, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "x.cir:2: the line has a NUL byte");
    CHECK_STATUS(yk_netlist_read(&net, "x.cir", "", 0, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "x.cir:1: the file is empty");
}

/* Only in comments and in the title. */
static void letters_of_other_scripts_may_stand_in_comments(void **state)
{
    yk_netlist *net = read_text("R\xc3\xb6hre\n* 10 \xc2\xb5"
                                "F\n"
                                "r1 a 0 1 ; \xce\xa9\n.end\n");
    (void)state;

    assert_int_equal(net->elements, 1);
    yk_netlist_free(net);
}

static void check_refused(const char *text, size_t length, const char *message)
{
    yk_netlist *net = NULL;
    yoke_err err;

    CHECK_STATUS(yk_netlist_read(&net, "x.cir", text, length, &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, message);
}

static void an_enormous_line_is_refused(void **state)
{
    const size_t size = ((size_t)1 << 24) + 100;
    char *text = malloc(size);
    (void)state;

    assert_non_null(text);
    memset(text, 'r', size);
    memcpy(text, "t\n", 2);
    check_refused(text, size, "x.cir:2: the line has more than 16777216");
    free(text);
}

static void deep_brackets_and_chains_are_refused(void **state)
{
    char *text = malloc(400000), *p = text;
    (void)state;

    assert_non_null(text);
    p += sprintf(p, "t\nr1 a 0 {");
    for (int i = 0; i < 50000; i++) *p++ = '(';
    p += sprintf(p, "1}\n");
    check_refused(text, (size_t)(p - text), "brackets are too deep");

    p = text + sprintf(text, "t\nr1 a 0 {");
    for (int i = 0; i < 50000; i++) *p++ = '-';
    p += sprintf(p, "1}\nb1 a 0 i=");
    for (int i = 0; i < 50000; i++) *p++ = '-';
    p += sprintf(p, "v(a)\n");
    check_refused(text, (size_t)(p - text), "signs are too many");

    p = text + sprintf(text, "t\nr1 a 0 {p0}\n");
    for (int i = 0; i < 5000; i++)
        p += sprintf(p, ".param p%d={p%d+1}\n", i, i + 1);
    check_refused(text, (size_t)(p - text), "too deeply");
    free(text);
}

/* Each level twice the one below, 2^levels elements at the lowest. */
static size_t doubling(char *text, int levels, const char *options)
{
    char *p = text;

    p += sprintf(p, "t\n%s\n.subckt s0 a b\nr1 a b 1k\n.ends\n", options);
    for (int i = 1; i <= levels; i++)
        p += sprintf(p, ".subckt s%d a b\nx1 a m s%d\nx2 m b s%d\n.ends\n", i,
                     i - 1, i - 1);
    p += sprintf(p, "v1 in 0 1\nx1 in 0 s%d\n", levels);
    return (size_t)(p - text);
}

static void doubling_subcircuits_meet_a_limit(void **state)
{
    char text[4000];
    yk_netlist *net = NULL;
    yoke_err err;
    (void)state;

    check_refused(text, doubling(text, 40, ""),
                  "expands to more than 1000000 elements and subcircuits");
    check_refused(text, doubling(text, 40, ".options maxelements=1000"),
                  "expands to more than 1000 elements and subcircuits");
    check_refused(text, doubling(text, 2, ".options maxelements=0"),
                  "maxelements = 0 is not in 1");

    /* 64 resistors, the source, 127 instances and the top. */
    const size_t full = doubling(text, 6, ".options maxelements=193");
    CHECK_OK(yk_netlist_read(&net, "t.cir", text, full, &err), &err);
    assert_int_equal(net->elements, 65);
    yk_netlist_free(net);
    check_refused(text, doubling(text, 6, ".options maxelements=192"),
                  "x.cir:4: the netlist expands to more than 192");
}

static void a_bomb_of_subcircuits_is_stopped(void **state)
{
    char text[4000], *p = text;
    (void)state;

    p += sprintf(p, "t\n.subckt s0 a\n.ends\n");
    for (int i = 1; i <= 70; i++)
        p += sprintf(p, ".subckt s%d a\nx1 a s%d\n.ends\n", i, i - 1);
    p += sprintf(p, "x1 a s70\n");
    check_refused(text, (size_t)(p - text), "nested more than 64 deep");

    p = text + sprintf(text, "t\n.func f0(x) {x}\n");
    for (int i = 1; i <= 40; i++)
        p += sprintf(p, ".func f%d(x) {f%d(x)+f%d(x)}\n", i, i - 1, i - 1);
    p += sprintf(p, "r1 a 0 {f40(1)}\n");
    check_refused(text, (size_t)(p - text), "too many calls");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_named_with_its_line),
        cmocka_unit_test(words_are_named_with_their_columns),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(letters_of_other_scripts_may_stand_in_comments),
        cmocka_unit_test(an_enormous_line_is_refused),
        cmocka_unit_test(deep_brackets_and_chains_are_refused),
        cmocka_unit_test(doubling_subcircuits_meet_a_limit),
        cmocka_unit_test(a_bomb_of_subcircuits_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
