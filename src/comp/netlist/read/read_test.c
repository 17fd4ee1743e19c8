/* comp/netlist/read/read_test.c */
#include "comp/netlist/read/read_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void numbers_have_suffixes_and_units(void **state)
{
    static const struct {
        const char *text;
        double value;
    } row[] = {
        { "1", 1.0 },
        { "-2.5", -2.5 },
        { "+3.", 3.0 },
        { ".5", 0.5 },
        { "1e3", 1e3 },
        { "1e-3", 1e-3 },
        { "1.5E+2", 150.0 },
        { "1d3", 1e3 },
        { "2t", 2e12 },
        { "2g", 2e9 },
        { "2meg", 2e6 },
        { "2MEGohm", 2e6 },
        { "2k", 2e3 },
        { "1kohm", 1e3 },
        { "2m", 2e-3 },
        { "2mil", 5.08e-5 },
        { "2u", 2e-6 },
        { "2n", 2e-9 },
        { "10pF", 1e-11 },
        { "2f", 2e-15 },
        { "2a", 2.0 },
        { "5V", 5.0 },
        { "3.3volts", 3.3 },
        { "1e3k", 1e6 },
        { "1e", 1.0 },
        { "12345678901234567890", 12345678901234567890. },
        { "0.1", 0.1 },
        { "6.02214076e23", 6.02214076e23 },
        { "1.7976931348623157e308", 1.7976931348623157e308 },
        { "4.7p", 4.7e-12 },
        { "1e-320", 1e-320 },
        { "0.000000000000000000001234567890123456789",
          1.234567890123456789e-21 },
    };
    (void)state;

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[120];
        snprintf(text, sizeof text, "t\nr1 a 0 %s\n.end\n", row[i].text);
        yk_netlist *net = read_text(text);
        CHECK_NEAR(param(element(net, "r1"), "value"), row[i].value,
                   1e-16 * fabs(row[i].value));
        yk_netlist_free(net);
    }
}

static void lines_are_joined_and_comments_cut(void **state)
{
    yk_netlist *net =
        read_text("The Title, as it is\n"
                  "* r9 a b 1\n"
                  "R1 A\n+ b\n* between\n\n+ 1k ; ohms\n"
                  "r2 a 0 2 $ comment\nr3 b 0 3 // comment\n"
                  "   r4 b 0\r\n+4\n$ r5 b 0 1\n; r6 b 0 1\n// r7 b 0 1\n"
                  ".END\nr8 b 0 1\n");
    (void)state;

    assert_string_equal(net->title, "The Title, as it is");
    assert_int_equal(net->elements, 4);
    CHECK_NEAR(param(element(net, "r1"), "value"), 1000.0, 0.0);
    assert_string_equal(node_of(net, "r1", 0), "a");
    assert_int_equal(element(net, "r1")->at.line, 3);
    CHECK_NEAR(param(element(net, "r4"), "value"), 4.0, 0.0);
    assert_int_equal(net->nodes, 3);
    assert_string_equal(net->node[0], "0");
    yk_netlist_free(net);
}

static void ratings_of_parts_are_left_out_and_told(void **state)
{
    yk_netlist *net = read_text(
        "t\nR1 1 0 1k tol=1 pwr=0.1 tc1=1m\nC1 1 0 1u V=50 Irms=1 "
        "mfg=\"Some One\" type=\"X5R\" ic=2\nL1 1 0 1m Ipk=3\n.end\n");
    (void)state;

    CHECK_NEAR(param(element(net, "r1"), "tc1"), 1e-3, 0.0);
    CHECK_NEAR(param(element(net, "c1"), "ic"), 2.0, 0.0);
    assert_int_equal(net->warnings, 7);
    CHECK_CONTAINS(net->warning[0], "\"r1\": tol is a rating");
    yk_netlist_free(net);
}

static void parameters_do_not_depend_on_order(void **state)
{
    yk_netlist *net = read_text("t\n.param b={2*a} c='b+1'\nr1 1 0 {c}\n"
                                "r2 1 0 c\nr3 1 0 r=c tc1={a/1000}\n"
                                ".param a = 3 a2 = 2 * a + 1\nr4 1 0 {a2}\n"
                                ".param a=4\n.end\n");
    (void)state;

    CHECK_NEAR(param(element(net, "r1"), "value"), 9.0, 0.0);
    CHECK_NEAR(param(element(net, "r2"), "value"), 9.0, 0.0);
    CHECK_NEAR(param(element(net, "r3"), "value"), 9.0, 0.0);
    CHECK_NEAR(param(element(net, "r3"), "tc1"), 4e-3, 0.0);
    CHECK_NEAR(param(element(net, "r4"), "value"), 9.0, 0.0);
    yk_netlist_free(net);
}

/* As ngspice 39 prints it: a value of the X line wins over .param of the body,
 * which wins over the default; parameters of the caller are visible. */
static void scopes_of_parameters_are_those_of_ngspice(void **state)
{
    yk_netlist *net =
        read_text("t\nx1 4 outer loc=7\nx5 5 s1\nx6 6 s1 p=7\n"
                  "x7 7 deflt\nx8 8 deflt params: a=2\n"
                  ".subckt outer o loc=1\n.param inner=9\nx2 o inn\n.ends\n"
                  ".subckt inn o\nv1 o 0 {loc+inner}\n.ends inn\n"
                  ".subckt s1 o p=1\n.param p=5\nv1 o 0 {p}\n.ends\n"
                  ".subckt deflt o params: a=1 b={a*10}\nv1 o 0 {b}\n.ends\n"
                  ".end\n");
    (void)state;

    CHECK_NEAR(element(net, "v.x1.x2.v1")->source->dc, 16.0, 0.0);
    CHECK_NEAR(element(net, "v.x5.v1")->source->dc, 5.0, 0.0);
    CHECK_NEAR(element(net, "v.x6.v1")->source->dc, 7.0, 0.0);
    CHECK_NEAR(element(net, "v.x7.v1")->source->dc, 10.0, 0.0);
    CHECK_NEAR(element(net, "v.x8.v1")->source->dc, 20.0, 0.0);
    yk_netlist_free(net);
}

static void subcircuits_are_expanded(void **state)
{
    yk_netlist *net = read_text(
        "t\n.global vdd\nxa in out two\nxb out 0 two m=2\nrt out gnd 1\n"
        ".subckt two a b\nx1 a mid one\nx2 mid b one m=3\n"
        "r1 mid vdd 5\n.nodeset v(mid)=1.5 v(a)=2\n"
        ".subckt one p q\nrload p inner 1k\nc1 inner q 1n m=2\nb1 p q i=v(p)\n"
        "g1 p q p q 1m\n.ends one\n"
        ".ends\n.ic v(xa.mid)=0.5\n.end\n");
    (void)state;

    assert_int_equal(net->instances, 7);
    assert_string_equal(net->instance[1].name, "xa");
    assert_string_equal(net->instance[2].name, "xa.x1");
    assert_int_equal(net->instance[2].parent, 1);
    assert_string_equal(net->node[net->instance[2].port[1]], "xa.mid");
    assert_string_equal(node_of(net, "r.xa.x1.rload", 0), "in");
    assert_string_equal(node_of(net, "r.xa.x1.rload", 1), "xa.x1.inner");
    assert_string_equal(node_of(net, "c.xa.x1.c1", 1), "xa.mid");
    assert_string_equal(node_of(net, "r.xb.r1", 1), "vdd");
    assert_string_equal(node_of(net, "c.xb.x2.c1", 1), "0");
    assert_int_equal(element(net, "r.xa.x1.rload")->instance, 2);
    CHECK_NEAR(param(element(net, "c.xa.x2.c1"), "m"), 6.0, 0.0);
    CHECK_NEAR(param(element(net, "c.xb.x2.c1"), "m"), 12.0, 0.0);
    CHECK_NEAR(param(element(net, "r.xb.r1"), "m"), 2.0, 0.0);
    CHECK_NEAR(element(net, "g.xb.x2.g1")->coef[1], 6e-3, 1e-18);
    assert_int_equal(net->warnings, 1); /* of m inside m */
    assert_int_equal(net->nodesets, 4);
    assert_string_equal(net->node[net->nodeset[1].node], "in");
    assert_int_equal(net->ics, 1);
    assert_string_equal(net->node[net->ic[0].node], "xa.mid");
    yk_netlist_free(net);
}

static void models_belong_to_their_scope(void **state)
{
    yk_netlist *net = read_text(
        "t\nd1 1 0 dm\nx1 1 s k=2\nx2 1 s k=3\nx3 1 s k=3\n"
        ".model dm d(is=1e-14, rs = 2 n={1+0.5})\n.model unused sonderbar x=1\n"
        ".subckt s a k=1\nd1 a 0 dm 2.5 off ic=0.3\nd2 a 0 loc\n"
        ".model dm d is={k}\n.model loc d is=7\n.ends\n.end\n");
    (void)state;

    const yk_net_model *top = &net->model[element(net, "d1")->model];
    assert_string_equal(top->name, "dm");
    assert_int_equal(top->params, 3);
    CHECK_NEAR(yk_net_value(top->param, 3, "n", 0.0, NULL), 1.5, 0.0);
    const yk_net_element *d = element(net, "d.x2.d1");
    assert_string_equal(net->model[d->model].name, "x2:dm");
    CHECK_NEAR(net->model[d->model].param[0].value, 3.0, 0.0);
    CHECK_NEAR(param(d, "area"), 2.5, 0.0);
    CHECK_NEAR(param(d, "ic"), 0.3, 0.0);
    assert_true(d->off);
    assert_int_equal(element(net, "d.x1.d2")->model,
                     element(net, "d.x3.d2")->model);
    assert_string_equal(net->model[element(net, "d.x1.d2")->model].name,
                        "s:loc");
    assert_int_equal(net->models, 5);
    yk_netlist_free(net);
}

static void sources_have_parts_in_any_order(void **state)
{
    yk_netlist *net = read_text(
        "t\nv1 1 0 sin 0 1 1k\nv2 2 0 dc 1 ac 1 45 pulse(0 1 0 1n 1n 1u 2u)\n"
        "v3 3 0 pulse (0 5 0 1n) dc 2\nv4 4 0 dc=3 ac=2\nv5 5 0 ac\n"
        "v6 6 0 5 ac 1 sin(1,2,3)\ni7 0 7 pwl(0 0 1u {a}) r=0 td=1u m=3\n"
        "v8 8 0\nv9 9 0 a\nv10 10 0 exp(0 1) ac 1\nv11 11 0 sffm(0 1 1k 5 "
        "100)\n"
        "v12 12 0 am 1 0 1k 1meg 0\nr7 7 0 1\n.param a=4\n.end\n");
    const yk_net_source *s = element(net, "v2")->source;
    (void)state;

    assert_int_equal(element(net, "v1")->source->shape, YK_SHAPE_SIN);
    assert_int_equal(element(net, "v1")->source->args, 3);
    assert_false(element(net, "v1")->source->has_dc);
    assert_int_equal(s->shape, YK_SHAPE_PULSE);
    assert_int_equal(s->args, 7);
    CHECK_NEAR(s->dc, 1.0, 0.0);
    CHECK_NEAR(s->ac_phase, 45.0, 0.0);
    CHECK_NEAR(element(net, "v3")->source->dc, 2.0, 0.0);
    assert_int_equal(element(net, "v3")->source->args, 4);
    CHECK_NEAR(element(net, "v4")->source->ac_magnitude, 2.0, 0.0);
    CHECK_NEAR(element(net, "v5")->source->ac_magnitude, 1.0, 0.0);
    CHECK_NEAR(element(net, "v6")->source->dc, 5.0, 0.0);
    CHECK_NEAR(element(net, "v6")->source->arg[2], 3.0, 0.0);
    s = element(net, "i7")->source;
    assert_true(s->has_repeat);
    CHECK_NEAR(s->repeat, 0.0, 0.0);
    CHECK_NEAR(s->delay_by, 1e-6, 0.0);
    CHECK_NEAR(s->arg[3], 4.0, 0.0);
    CHECK_NEAR(param(element(net, "i7"), "m"), 3.0, 0.0);
    CHECK_NEAR(element(net, "v9")->source->dc, 4.0, 0.0);
    assert_int_equal(element(net, "v11")->source->shape, YK_SHAPE_SFFM);
    assert_int_equal(element(net, "v12")->source->args, 5);
    yk_netlist_free(net);
}

static void controlled_sources_are_polynomials_or_expressions(void **state)
{
    yk_netlist *net = read_text(
        "t\ne1 1 0 a b 5\ne2 2 0 (a,b) 4\ng1 3 0 poly(2) a 0 (b,0) 1 2 3 m=2\n"
        "f1 4 0 vs 3\nh1 5 0 poly(1) vs 7\ne3 6 0 value={v(a)^2}\n"
        "e4 7 0 vol='v(a)*2'\ng2 8 0 cur='i(vs)' m=4\nb1 9 0 v=v(a)*2 m=2\n"
        "b2 10 0 i = {k}*v(a) tc1=0.01 temp=37\nf2 4 0 poly(2) vs v2 0 1 1\n"
        "vs a 0 1\nv2 b 0 1\n.param k=3\n"
        "r1 1 0 1\nr2 2 0 1\nr3 3 0 1\nr9 9 0 r={1+v(a)}\nr10 9 0 {k*2}\n"
        "k1 l1 l2 0.99\nl1 a 0 1u ic=2\nl2 b 0 {4u}\nr11 3 0 '1+i(vs)'\n"
        ".end\n");
    (void)state;

    const yk_net_element *e = element(net, "e2");
    assert_int_equal(e->nodes, 4);
    assert_int_equal(e->dimensions, 1);
    CHECK_NEAR(e->coef[0], 0.0, 0.0);
    CHECK_NEAR(e->coef[1], 4.0, 0.0);
    e = element(net, "g1");
    assert_int_equal(e->nodes, 6);
    assert_int_equal(e->coefs, 3);
    CHECK_NEAR(e->coef[2], 6.0, 0.0);
    e = element(net, "h1");
    assert_int_equal(e->coefs, 1); /* ngspice: the constant */
    assert_int_equal(e->control[0], yk_net_find_element(net, "vs"));
    assert_int_equal(element(net, "f2")->controls, 2);
    assert_non_null(element(net, "e3")->expr);
    assert_non_null(element(net, "e4")->expr);
    assert_true(element(net, "g2")->expr->var[0].is_current);
    assert_false(element(net, "b1")->is_current);
    assert_true(element(net, "b2")->is_current);
    double one = 1.0, value, slope, work[64];
    yk_net_expr_eval(element(net, "b2")->expr, 0.0, &one, &value, &slope, work);
    CHECK_NEAR(value, 3.3, 1e-15);
    yk_net_expr_eval(element(net, "b1")->expr, 0.0, &one, &value, &slope, work);
    CHECK_NEAR(value, 4.0, 0.0);
    assert_non_null(element(net, "r9")->expr);
    assert_non_null(element(net, "r11")->expr);
    assert_null(element(net, "r10")->expr);
    e = element(net, "k1");
    assert_int_equal(e->controls, 2);
    assert_int_equal(e->control[1], yk_net_find_element(net, "l2"));
    CHECK_NEAR(param(element(net, "l1"), "ic"), 2.0, 0.0);
    yk_netlist_free(net);
}

static void devices_find_their_nodes_and_models(void **state)
{
    yk_netlist *net = read_text(
        "t\nq1 c b e qm\nq2 c b e s qm 2 off ic=0.6,5\nm1 d g s b nm w=1u "
        "l=2u\n"
        "m2 d g s b bin w=5u l=1u\nm3 d g s b bin w=5u l=3u\nj1 d g s jm 3\n"
        "s1 a b c d sm on\nw1 a b vs wm off\nt1 a 0 b 0 z0=50 td=1n\n"
        "t2 a 0 b 0 zo=75 f=1meg nl=0.25 ic=1,2,3,4\no1 a 0 b 0 om\n"
        "c1 a b cm l=1u w=2u\nr1 a b rm 5k\nr2 a b 5k rm\nvs s 0 1\n"
        ".model qm npn bf=100\n.model nm nmos level=1\n"
        ".model bin.1 nmos lmin=0 lmax=2u wmin=1u wmax=10u vto=1\n"
        ".model bin.2 nmos lmin=2u lmax=9u wmin=1u wmax=10u vto=2\n"
        ".model jm njf\n.model sm sw vt=1\n.model wm csw it=1\n"
        ".model om ltra r=1 l=1n c=1p len=2 nosteplimit\n.model cm c cj=1\n"
        ".model rm r rsh=1\n.end\n");
    (void)state;

    assert_int_equal(element(net, "q1")->nodes, 3);
    const yk_net_element *e = element(net, "q2");
    assert_int_equal(e->nodes, 4);
    CHECK_NEAR(param(e, "area"), 2.0, 0.0);
    CHECK_NEAR(param(e, "ic"), 0.6, 0.0);
    CHECK_NEAR(param(e, "ic2"), 5.0, 0.0);
    assert_true(e->off);
    assert_string_equal(net->model[element(net, "m2")->model].name, "bin.1");
    assert_string_equal(net->model[element(net, "m3")->model].name, "bin.2");
    assert_true(element(net, "s1")->on);
    assert_true(element(net, "w1")->off);
    assert_int_equal(element(net, "w1")->control[0],
                     yk_net_find_element(net, "vs"));
    CHECK_NEAR(param(element(net, "t2"), "z0"), 75.0, 0.0);
    CHECK_NEAR(param(element(net, "t2"), "td"), 0.25e-6, 1e-18);
    CHECK_NEAR(param(element(net, "t2"), "i2"), 4.0, 0.0);
    CHECK_NEAR(param(element(net, "r1"), "value"), 5e3, 0.0);
    assert_int_equal(element(net, "r2")->model, element(net, "r1")->model);
    yk_netlist_free(net);
}

/* Sections of lossless lines with the losses between them; lumps that sum up to
 * the whole. */
static void lossy_lines_become_elements(void **state)
{
    yk_netlist *net = read_text(
        "t\no1 a 0 b 0 om\no2 b 0 c 0 rg\nx1 c d s m=2\nu1 d e 0 um l=2 n=5\n"
        ".subckt s p q\nt1 p 0 q 0 z0=50 td=1n ic=1,2,3,4\n.ends\n"
        ".model om ltra r=1 l=1n c=1p len=2 nosteplimit\n"
        ".model rg ltra r=2 g=0.5 l=0 c=0 len=1 elephant=1\n"
        ".model um urc k=2 rperl=500 cperl=1p\n.end\n");
    double delay = 0.0, r = 0.0, c = 0.0;
    (void)state;

    for (int e = 0; e < net->elements; e++) {
        const yk_net_element *el = &net->element[e];
        if (strncmp(el->name, "t#o1#", 5) == 0) delay += param(el, "td");
        if (strncmp(el->name, "r#u1#", 5) == 0) r += param(el, "value");
        if (strncmp(el->name, "c#u1#", 5) == 0) c += param(el, "value");
    }
    CHECK_NEAR(delay, 2.0 * sqrt(1e-21), 1e-24);
    CHECK_NEAR(r, 1000.0, 1e-9);
    CHECK_NEAR(c, 2e-12, 1e-24);
    CHECK_NEAR(param(element(net, "r#o1#1"), "value"), 2.0 / 32.0, 1e-15);
    CHECK_NEAR(param(element(net, "r#o2#3"), "value"), 2.0 * sinh(1.0), 1e-14);
    CHECK_NEAR(param(element(net, "t.x1.t1"), "z0"), 25.0, 0.0);
    CHECK_NEAR(param(element(net, "t.x1.t1"), "i2"), 8.0, 0.0);
    assert_int_equal(net->warnings, 1);
    CHECK_CONTAINS(net->warning[0], "\"elephant\" is ignored");
    yk_netlist_free(net);
}

static void slips_in_options_are_told(void **state)
{
    yk_netlist *net = read_text(
        "t\nr1 1 0 1\n.options reltoll=1 itl4=50 reltol=1e-5\n.end\n");
    (void)state;

    assert_int_equal(net->warnings, 1);
    CHECK_CONTAINS(net->warning[0], "there is no option \"reltoll\"");
    yk_netlist_free(net);
}

static void commands_become_tasks_and_wishes(void **state)
{
    yk_netlist *net = read_text(
        "t\nv1 in 0 1\nr1 in out 1\nc1 out 0 1\n.param tend=1u\n"
        ".tran 1n {tend} 0 2n uic\n.tran 1n 1u uic\n.op\n"
        ".dc v1 0 1 0.1 temp 0 100 50\n.ac dec 10 1 1meg\n"
        ".print tran v(out) v( in , out ) i(v1)\n.plot ac vdb(out) (0,5)\n"
        ".save all @m1[id]\n"
        ".meas tran rise trig v(out) val={tend/2e-6} rise=1\n"
        "+ targ v(out) val=0.9 rise=1\n.measure tran p param='rise*2'\n"
        ".options reltol=1e-4 abstol = 1p method=gear acct filetype=ascii\n"
        ".temp 50\n.ic v(out)=0.5\n.width out=80\n"
        "* yoke: cut (in, out) weak\n.end\n");
    const yk_net_task *task = net->task;
    (void)state;

    assert_int_equal(net->tasks, 5);
    CHECK_NEAR(task[0].tstop, 1e-6, 0.0);
    CHECK_NEAR(task[0].tmax, 2e-9, 0.0);
    assert_true(task[0].uic && task[1].uic);
    assert_int_equal(task[2].kind, YK_TASK_OP);
    assert_int_equal(task[3].sweeps, 2);
    assert_string_equal(task[3].sweep[1].name, "temp");
    assert_int_equal(task[4].scale, 'd');
    assert_int_equal(task[4].points, 10);
    assert_int_equal(net->wishes, 6);
    assert_string_equal(net->wish[1].text, "v(in,out)");
    assert_string_equal(net->wish[1].analysis, "tran");
    assert_string_equal(net->wish[3].text, "vdb(out)");
    assert_string_equal(net->wish[3].analysis, "ac");
    assert_string_equal(net->wish[5].text, "@m1[id]");
    assert_int_equal(net->measures, 2);
    const char *const want[] = { "trig", "v(out)", "val", "=",
                                 "0.5",  "rise",   "=",   "1",
                                 "targ", "v(out)", "val", "=",
                                 "0.9",  "rise",   "=",   "1" };
    assert_int_equal(net->measure[0].words, 16);
    for (int i = 0; i < 16; i++)
        assert_string_equal(net->measure[0].word[i], want[i]);
    assert_string_equal(net->measure[1].name, "p");
    assert_non_null(net->measure[1].expr[2]);
    assert_int_equal(net->measure[1].expr[2]->vars, 1);
    assert_int_equal(net->measure[1].expr[2]->var[0].a, 0);
    CHECK_NEAR(yk_net_value(net->option, net->options, "method", 0.0, NULL),
               1.0, 0.0);
    CHECK_NEAR(yk_net_value(net->option, net->options, "temp", 0.0, NULL), 50.0,
               0.0);
    CHECK_NEAR(yk_net_value(net->option, net->options, "acct", 0.0, NULL), 1.0,
               0.0);
    assert_int_equal(net->warnings, 2);
    CHECK_CONTAINS(net->warning[0], "filetype");
    CHECK_CONTAINS(net->warning[1], ".width");
    assert_int_equal(net->hints, 1);
    assert_int_equal(net->hint[0].words, 3);
    assert_string_equal(net->hint[0].word[1], "(in, out)");
    yk_netlist_free(net);
}

static void control_sections_are_understood_or_refused(void **state)
{
    yk_netlist *net = read_text(
        "t\nv1 in 0 1\nr1 in 0 1\n.control\nset filetype=ascii\n"
        "run ; begin\n* a comment\ntran 1n 1u\nprint v(in) > out.txt\n"
        "plot v(in) xlimit 0 1\nmeas tran m max v(in)\nwrite a.raw v(in)\n"
        "echo it's done\nquit\n.endc\n.end\n");
    (void)state;

    assert_int_equal(net->tasks, 1);
    assert_int_equal(net->measures, 1);
    assert_true(net->wishes >= 3);
    assert_int_equal(net->warnings, 1);
    yk_netlist_free(net);
}

static void temper_is_the_temperature(void **state)
{
    yk_netlist *net = read_text("t\nr1 1 0 {temper}\n.options temp=85\n.end\n");
    (void)state;

    CHECK_NEAR(param(element(net, "r1"), "value"), 85.0, 0.0);
    yk_netlist_free(net);
}

/* Printed by ngspice 39 at 77 degrees. */
static void values_of_models_and_temperature_are_those_of_ngspice(void **state)
{
    static const struct {
        const char *name;
        double value;
    } row[] = {
        { "r1", 561.3333333333333 },
        { "r2", 5262.5 },
        { "r3", 123.0 },
        { "r4", 2100.0 },
        { "r5", 1187.2 },
        { "r6", 250.0 },
        { "r7", 7.0 },
        { "r8", 1644.632 },
        { "r9", 1644.632 },
        { "c1", 2.4589551e-11 },
        { "c2", 5e-12 },
        { "c3", 2.1e-9 },
        { "c4", 1.0672e-9 },
        { "l1", 2.1e-6 },
        { "l2", 2.1e-6 },
        { "l3", 3.15e-6 },
        { "r10", 1e-3 },
    };
    yk_netlist *net = read_text(
        "t\n.options temp=77\nr1 1 0 rm l=10u w=2u\nr2 1 0 rm 5k\nr3 1 0 rm2\n"
        "r4 1 0 1k tc1=1m scale=2 m=4\nr5 1 0 rm3 1k tc1=3m\nr6 1 0 rm4 l=10u\n"
        "r7 1 0 rm5\nr8 1 0 1k tce=1\nr9 1 0 rm6 1k\nr10 1 0 0\n"
        ".model rm r rsh=100 tc1=1m tc2=1u narrow=0.1u short=0.2u\n"
        ".model rm2 r r=123\n.model rm3 r tc1=1m tc2=2u tnom=17\n"
        ".model rm4 r rsh=100 defw=4u\n.model rm5 r rsh=7\n"
        ".model rm6 r tce=1 odd=3\nc1 1 0 cm l=10u w=2u\nc2 1 0 cm2\n"
        "c3 1 0 1n tc1=1m scale=2 m=4\nc4 1 0 cm3 1n\n"
        ".model cm c cj=1m cjsw=1u narrow=0.1u short=0.2u tc1=1m\n"
        ".model cm2 c cap=5p\n.model cm3 c tc1=1m tc2=2u tnom=17\n"
        "l1 1 0 1u tc1=1m scale=2 m=4\nl2 1 0 lm 2u\nl3 1 0 lm\n"
        ".model lm l ind=3u tc1=1m\n.end\n");
    (void)state;

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        CHECK_NEAR(yk_net_passive(net, element(net, row[i].name)), row[i].value,
                   5e-7 * row[i].value);
    assert_int_equal(net->warnings, 2);
    CHECK_CONTAINS(net->warning[0], "parameter \"odd\" is ignored");
    CHECK_CONTAINS(net->warning[1], "taken as 1 mOhm");
    yk_netlist_free(net);
}

/* As in ngspice: the first definition counts, the name of .ends does not. */
static void odd_definitions_are_warnings(void **state)
{
    yk_netlist *net = read_text(
        "t\nr1 1 0 rm\n.model rm r r=10\n.model rm r r=20\nx1 1 s\n"
        ".subckt s a\nr1 a 0 6\n.ends other\n.subckt s a\nr1 a 0 7\n.ends\n"
        "v2 2 0 dc pwl (0 1) (1n 2)\nv3 3 0 sine(0 1 1k)\nr2 2 3 1\n.end\n");
    (void)state;

    CHECK_NEAR(yk_net_passive(net, element(net, "r1")), 10.0, 0.0);
    CHECK_NEAR(yk_net_passive(net, element(net, "r.x1.r1")), 6.0, 0.0);
    assert_int_equal(element(net, "v2")->source->args, 4);
    assert_true(element(net, "v2")->source->has_dc);
    assert_int_equal(element(net, "v3")->source->shape, YK_SHAPE_SIN);
    assert_int_equal(net->warnings, 3);
    yk_netlist_free(net);
}

static void unknown_node_of_ic_is_a_warning(void **state)
{
    yk_netlist *net = read_text("t\nr1 out 0 1\n.ic v(oud)=1\n.end\n");
    (void)state;

    assert_int_equal(net->ics, 0);
    assert_int_equal(net->warnings, 1);
    CHECK_CONTAINS(net->warning[0], "near: \"out\"");
    yk_netlist_free(net);
}

/* ---- files --------------------------------------------------------------- */

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void check_file_refused(const char *path, const char *message)
{
    yk_netlist *net = NULL;
    yoke_err err;

    assert_true(yk_netlist_read(&net, path, NULL, 0, &err) < 0);
    CHECK_CONTAINS(err.text, message);
    assert_null(net);
}

static void files_are_included_from_their_folder(void **state)
{
    yk_netlist *net = NULL;
    yoke_err err;
    (void)state;

    mkdir("netlist_test", 0777);
    mkdir("netlist_test/Sub", 0777);
    write_text("netlist_test/main.cir",
               "t\n.include \"Sub/Parts.inc\"\n.lib 'Sub/all.lib' TT ; // x\n"
               "r1 a 0 {p}\nd1 a 0 dm\n.end\n");
    write_text("netlist_test/Sub/Parts.inc",
               "r2 a 0 {p}\n.inc more.inc\n.end\nr3 a 0 1\n");
    write_text("netlist_test/Sub/more.inc", "r4 a 0 1\n");
    write_text("netlist_test/Sub/all.lib",
               "x is not read\n.lib SS\n.param p=1\n.endl\n.lib tt\n"
               ".param p=2\n.lib all.lib common\n.endl tt\n"
               ".lib common\n.model dm d\n.endl\n");
    CHECK_OK(yk_netlist_read(&net, "netlist_test/main.cir", NULL, 0, &err),
             &err);
    assert_int_equal(net->elements, 5);
    CHECK_NEAR(param(element(net, "r1"), "value"), 2.0, 0.0);
    assert_string_equal(element(net, "r4")->at.file,
                        "netlist_test/Sub/more.inc");
    yk_netlist_free(net);

    write_text("netlist_test/loop.cir", "t\n.include Sub/a.inc\n");
    write_text("netlist_test/Sub/a.inc", "* a\n.include ./b.inc\n");
    write_text("netlist_test/Sub/b.inc", ".include ../Sub/a.inc\n");
    check_file_refused("netlist_test/loop.cir",
                       "b.inc:1: the file includes "
                       "itself: netlist_test/Sub/./..");
    write_text("netlist_test/none.cir", "t\nr1 a 0 1\n.include nowhere.inc\n");
    check_file_refused("netlist_test/none.cir",
                       "none.cir:3: \"netlist_test/nowhere.inc\" cannot be "
                       "opened");
    write_text("netlist_test/dir.cir", "t\n.include Sub\n");
    check_file_refused("netlist_test/dir.cir", "dir.cir:2: ");
    write_text("netlist_test/sec.cir", "t\n.lib Sub/all.lib ts\n");
    check_file_refused("netlist_test/sec.cir",
                       "has no section \"ts\" (near: \"");
    write_text("netlist_test/open.cir", "t\n.lib Sub/open.lib a\n");
    write_text("netlist_test/Sub/open.lib", ".lib a\nr1 a 0 1\n");
    check_file_refused("netlist_test/open.cir", "open.lib:1: the section has "
                                                "no .endl");
    check_file_refused("netlist_test/absent.cir", "cannot be opened");
}

/* A folder of files that each include the next twice is 2^60 files. */
static void a_bomb_of_includes_is_stopped(void **state)
{
    char path[80], text[80];
    (void)state;

    mkdir("netlist_test", 0777);
    for (int i = 0; i < 20; i++) {
        snprintf(path, sizeof path, "netlist_test/bomb%d.inc", i);
        snprintf(text, sizeof text, "* b\n.inc bomb%d.inc\n.inc bomb%d.inc\n",
                 i + 1, i + 1);
        write_text(path, text);
    }
    write_text("netlist_test/bomb20.inc", "* end\n");
    check_file_refused("netlist_test/bomb0.inc", "more than 10000 included");
}

/* ---- size ---------------------------------------------------------------- */

static size_t most_taken, now_taken;

/* Keeps the size in front of each block. */
static void *counted(void *block, size_t bytes)
{
    size_t *old = block ? (size_t *)block - 2 : NULL;
    const size_t before = old ? old[0] : 0;
    size_t *new = realloc(old, bytes + 2 * sizeof *new);

    if (!new) return NULL;
    new[0] = bytes;
    now_taken += bytes - before;
    if (now_taken > most_taken) most_taken = now_taken;
    return new + 2;
}

static void counted_free(void *block)
{
    if (!block) return;
    now_taken -= ((size_t *)block - 2)[0];
    free((size_t *)block - 2);
}

/* Memory grows with the file and no faster: 200,000 lines take 772 bytes for
 * each node, all freed. */
static void a_large_tree_is_read(void **state)
{
    const yoke_allocator allocator = { counted, counted_free };
    enum { NODES = 100000 };
    const size_t room = (size_t)NODES * 60 + 100;
    char *text = malloc(room), *p = text;
    yk_netlist *net = NULL;
    yoke_err err;
    (void)state;

    assert_non_null(text);
    p += sprintf(p, "tree\nv1 1 0 1\n");
    for (int i = 2; i <= NODES; i++)
        p += sprintf(p, "r%d %d %d 10\nc%d %d 0 1f\n", i, i / 2, i, i, i);
    yoke_set_allocator(&allocator);
    CHECK_OK(yk_netlist_read(&net, "tree", text, (size_t)(p - text), &err),
             &err);
    assert_int_equal(net->nodes, NODES + 1);
    assert_int_equal(net->elements, 2 * NODES - 1);
    assert_int_equal(yk_net_find_node(net, "77777"), 77777);
    yk_netlist_free(net);
    yoke_set_allocator(NULL);
    print_message("%zu bytes for each node\n", most_taken / NODES);
    assert_true(most_taken < (size_t)NODES * 900);
    assert_int_equal(now_taken, 0);
    free(text);
}

/* ---- memory -------------------------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
    static const char text[] =
        "t\n.param a=2 b={a*3}\n.func f(x,y) {x*y}\n.global g\n"
        ".model dm d is={a}\nx1 1 g s k={f(a,b)}\nb1 1 0 i=f(v(1),v(2))+i(v1)\n"
        "v1 1 0 pwl(0 0 1 1)\ne1 2 0 poly(1) 1 0 1 2\nf1 2 0 v1 2\n"
        "e2 3 0 table {v(1)} = (0,0) (1,1)\nr3 3 0 1\n"
        ".subckt s a b k=1\n.model loc d is={k}\nd1 a b loc\nx2 a b t\n"
        ".subckt t a b\nr1 a m {k}\nr2 m b 1\n.ends\n.ends\n"
        ".ic v(1)=1 v(no)=2\n.tran 1 2\n.print tran v(1)\n.options reltol=1\n"
        ".meas tran m max v(1)\n* yoke: one\n.control\nrun\n.endc\n.end\n";
    yoke_status status = YOKE_E_MEMORY;
    int n = 0;
    (void)state;

    for (; status == YOKE_E_MEMORY; n++) {
        yk_netlist *net = NULL;
        yoke_err err;
        fault_allocator(n + 1);
        status = yk_netlist_read(&net, "test.cir", text, strlen(text), &err);
        yk_netlist_free(net);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
    assert_int_equal(status, YOKE_OK);
    assert_true(n > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_suffixes_and_units),
        cmocka_unit_test(lines_are_joined_and_comments_cut),
        cmocka_unit_test(ratings_of_parts_are_left_out_and_told),
        cmocka_unit_test(parameters_do_not_depend_on_order),
        cmocka_unit_test(scopes_of_parameters_are_those_of_ngspice),
        cmocka_unit_test(subcircuits_are_expanded),
        cmocka_unit_test(models_belong_to_their_scope),
        cmocka_unit_test(sources_have_parts_in_any_order),
        cmocka_unit_test(controlled_sources_are_polynomials_or_expressions),
        cmocka_unit_test(devices_find_their_nodes_and_models),
        cmocka_unit_test(lossy_lines_become_elements),
        cmocka_unit_test(slips_in_options_are_told),
        cmocka_unit_test(commands_become_tasks_and_wishes),
        cmocka_unit_test(control_sections_are_understood_or_refused),
        cmocka_unit_test(temper_is_the_temperature),
        cmocka_unit_test(odd_definitions_are_warnings),
        cmocka_unit_test(unknown_node_of_ic_is_a_warning),
        cmocka_unit_test(values_of_models_and_temperature_are_those_of_ngspice),
        cmocka_unit_test(files_are_included_from_their_folder),
        cmocka_unit_test(a_bomb_of_includes_is_stopped),
        cmocka_unit_test(a_large_tree_is_read),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
