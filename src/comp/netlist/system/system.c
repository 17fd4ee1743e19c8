/* comp/netlist/system/system.c -- a netlist as a system: its parts, what
 * couples them, and the run that its .tran line asks for. */
#include "comp/netlist/cut/cut.h"

#include "comp/netlist/analyse/measure.h"
#include "comp/netlist/cut/topology.h"
#include "comp/netlist/system/ringing.h"
#include "comp/netlist/system/settings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double preset_reltol = 1e-4; /* tighter than that of SPICE: what
                                             is printed is right to 1e-3 */
static const double preset_vntol = 1e-6;
static const double not_held =
    0.01; /* V, or of its value: off a level of .ic */

static bool is_netlist(const char *path)
{
    static const char *const tails[] = { ".cir", ".ckt", ".net",
                                         ".sp",  ".spi", ".spice" };
    const size_t length = strlen(path);

    for (size_t k = 0; k < sizeof tails / sizeof tails[0]; k++) {
        const size_t tail = strlen(tails[k]);
        if (length <= tail) continue;
        size_t same = 0;
        while (same < tail &&
               tolower((unsigned char)path[length - tail + same]) ==
                   tails[k][same])
            same++;
        if (same == tail) return true;
    }
    return false;
}

/* ---- what the netlist asks for ------------------------------------------- */

static const yk_net_task *find_task(const yk_netlist *net,
                                    yk_net_task_kind kind)
{
    for (int k = 0; k < net->tasks; k++)
        if (net->task[k].kind == kind) return &net->task[k];
    return NULL;
}

/* One .tran is run, the first. */
static yoke_status warn_of_more(yk_netlist *net, const yk_net_task *tran,
                                yoke_err *err)
{
    for (int k = 0; tran && k < net->tasks; k++)
        if (net->task[k].kind == YK_TASK_TRAN && &net->task[k] != tran)
            YK_TRY(yk_net_warn(net, err, net->task[k].at,
                               "this transient analysis is left out: only the "
                               "first one, of line %d, is run",
                               tran->at.line));
    return YOKE_OK;
}

typedef struct wish_list {
    yk_netlist *net;
    const char *analysis;
    yk_net_place at;
} wish_list;

static yoke_status add_wish(void *context, const char *name, yoke_err *err)
{
    const wish_list *list = context;
    yk_netlist *net = list->net;
    const char *copy = NULL;

    YK_TRY(yk_arena_print(&net->arena, &copy, err, "%s", name));
    net->wish[net->wishes++] =
        (yk_net_wish){ list->analysis, copy, list->at, NULL };
    return YOKE_OK;
}

/* What .measure tran needs is to be recorded.  Without other wishes everything
 * is, unless it is too much. */
static yoke_status wish_measured(yk_netlist *net, yoke_err *err)
{
    enum { MUCH = 500 };
    wish_list list = { .net = net, .analysis = "measure" };
    yk_net_wish *wish = NULL;
    int most = net->wishes + 1;

    if (net->nodes > MUCH) list.analysis = "tran";
    for (int k = 0; k < net->wishes; k++)
        if (!net->wish[k].analysis[0] ||
            strcmp(net->wish[k].analysis, "tran") == 0)
            list.analysis = "tran";
    for (int k = 0; k < net->measures; k++)
        most += yk_net_measure_most(&net->measure[k]);
    YK_TRY(YK_TAKE(&net->arena, &wish, most, err));
    if (net->wishes)
        memcpy(wish, net->wish, (size_t)net->wishes * sizeof *wish);
    net->wish = wish;
    for (int k = 0; k < net->measures; k++) {
        list.at = net->measure[k].at;
        if (strcmp(net->measure[k].analysis, "tran") == 0)
            YK_TRY(
                yk_net_measure_columns(&net->measure[k], add_wish, &list, err));
    }
    return YOKE_OK;
}

/* Lines of .measure that cannot be understood are refused before the run, those
 * of .control left out: they are tried on a table of zeros. */
static yoke_status check_measures(yk_circuit *c, yoke_err *err)
{
    yk_netlist *net = c->net;
    int kept = 0;
    yoke_status status = YOKE_OK;
    yk_net_rows rows = { .columns = c->variables, .rows = 2 };

    if (net->measures == 0) return YOKE_OK;
    YK_GO(YK_NEW(&rows.name, c->variables, err));
    YK_GO(YK_NEW(&rows.value, 4 * (size_t)c->variables, err));
    memcpy(rows.name, c->name, (size_t)c->variables * sizeof *rows.name);
    for (int k = 0; k < net->measures; k++) {
        yoke_err why = { YOKE_OK, "" };
        double value;
        rows.is_complex = strcmp(net->measure[k].analysis, "ac") == 0;
        rows.name[0] = rows.is_complex ? "frequency" : "time";
        const size_t second = (rows.is_complex ? 2 : 1) * (size_t)c->variables;
        rows.value[second] = 1.0; /* the scale */
        const yoke_status how =
            yk_net_measure_eval(&net->measure[k], &rows, NULL, &value, &why);
        rows.value[second] = 0.0;
        if (how == YOKE_E_ARG && !net->measure[k].optional) {
            if (!yk_err_gather(&status, how, &why, err)) break;
        } else if (how == YOKE_E_ARG)
            YK_GO(yk_net_warn(net, err, net->measure[k].at,
                              "meas %.60s is left out: %.300s",
                              net->measure[k].name, why.text));
        else
            net->measure[kept++] = net->measure[k];
    }
    net->measures = kept;
done:
    yk_net_rows_clear(&rows);
    return status;
}

/* Currents of sources that are to be shown are solved for. */
static void want_shown(yk_circuit *c)
{
    const yk_netlist *net = c->net;
    char name[256];

    for (int k = 0; k < net->wishes; k++) {
        const yk_net_wish *w = &net->wish[k];
        if (sscanf(w->text, "i(%255[^)])", name) != 1) continue;
        const int e = yk_net_find_element(net, name);
        if (e >= 0) yk_circuit_want(c, e);
    }
}

/* ---- start --------------------------------------------------------------- */

/* Voltage k between two nodes of element e at the start, where it is given: ic =
 * ... of an element, the value of a voltage source. */
static bool told_voltage(const yk_circuit *c, int e, int k, int *plus,
                         int *minus, double *voltage)
{
    const yk_net_element *el = &c->net->element[e];
    const bool is_source = el->kind == 'v' && k == 0;

    *plus = 0;
    *minus = 1;
    if (is_source)
        *voltage = yk_source_value(&c->source[e], 0.0);
    else if (!yk_net_ic(el, k, plus, minus, voltage))
        return false;
    *plus = el->node[*plus];
    *minus = el->node[*minus];
    return true;
}

/* They give the voltage of one end where the other is known. */
static void spread_ics(const yk_circuit *c, double *start, bool *known)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < YK_NET_ICS * c->net->elements; i++) {
            int a, b;
            double ic;
            if (!told_voltage(c, i / YK_NET_ICS, i % YK_NET_ICS, &a, &b, &ic) ||
                known[a] == known[b])
                continue;
            if (known[a])
                start[b] = start[a] - ic;
            else
                start[a] = start[b] + ic;
            known[a] = known[b] = more = true;
        }
    }
}

static void element_ics(const yk_circuit *c, double *start)
{
    const yk_netlist *net = c->net;

    for (int e = 0; e < net->elements; e++) {
        const yk_net_element *el = &net->element[e];
        bool given = false;
        const double ic =
            yk_net_value(el->param, el->params, "ic", 0.0, &given);
        if (given && el->kind == 'l') start[c->branch[e]] = ic;
    }
}

/* The charges begin with what the user gives, zero where there is nothing, also
 * where a source is; what contradicts itself flows together. */
static yoke_status settle_start(yk_circuit *c, const yk_net_task *tran,
                                const yk_file_hints *hints, double *start,
                                yoke_err *err)
{
    static const double part = 1e-6; /* of the print step */
    yk_netlist *net = c->net;
    yoke_err why = { YOKE_OK, "" };
    double *given = NULL;

    YK_TRY(YK_TAKE(&net->arena, &given, c->variables + 1, err));
    for (int k = 0; k < net->ics; k++)
        given[net->ic[k].node] = net->ic[k].value;
    yk_file_bridge(net, hints, given);
    element_ics(c, given);
    const yoke_status status =
        yk_circuit_settle(c, part * tran->tstep, given, start, &why);
    if (status == YOKE_OK || status == YOKE_E_MEMORY)
        return status == YOKE_OK ? YOKE_OK
                                 : yk_fail(err, status, "%s", why.text);
    return yk_net_warn(net, err, tran->at,
                       "uic: the charges of the start do not settle, the run "
                       "begins with the voltages alone: %.300s",
                       why.text);
}

/* Initial conditions of the user: ic of elements, then .ic, zero
 * where there is none. */
static yoke_status user_start(yk_circuit *c, const yk_net_task *tran,
                              const yk_file_hints *hints, double *start,
                              yoke_err *err)
{
    const yk_netlist *net = c->net;
    bool *known = NULL;

    YK_TRY(YK_NEW(&known, c->nodes + 1, err));
    known[0] = true;
    for (int k = 0; k < c->drivens; k++) {
        const int n = c->driven[k];
        start[n] = start[c->below[n]] +
                   c->sign[n] * yk_source_value(&c->source[c->driver[n]], 0.0);
        known[n] = true;
    }
    spread_ics(c, start, known);
    for (int k = 0; k < net->ics; k++)
        if (!known[net->ic[k].node]) {
            start[net->ic[k].node] = net->ic[k].value;
            known[net->ic[k].node] = true;
        }
    spread_ics(c, start, known);
    for (int i = 0; i < 3 * net->elements; i++) { /* between unknown nodes */
        int a, b;
        double ic;
        if (!yk_net_ic(&net->element[i / 3], i % 3, &a, &b, &ic)) continue;
        a = net->element[i / 3].node[a];
        b = net->element[i / 3].node[b];
        if (known[a]) continue;
        start[a] = start[b] + ic;
        known[a] = known[b] = true;
    }
    spread_ics(c, start, known);
    yk_free(known);
    element_ics(c, start);
    return settle_start(c, tran, hints, start, err);
}

/* An operating point that nothing holds is left by a small push. */
static yoke_status disturb(yk_circuit *c, const yk_net_task *tran,
                           double *start, yoke_err *err)
{
    yk_netlist *net = c->net;
    const yk_op_tolerance tolerance = {
        .reltol = yk_net_option(net, "reltol", preset_reltol),
        .vntol = yk_net_option(net, "vntol", preset_vntol),
    };
    yk_disturbance d;
    char turn[60] = "";

    if (yk_net_option(net, "nudge", 1.0) == 0.0) return YOKE_OK;
    YK_TRY(yk_circuit_disturb(c, tran->tstop, &tolerance, start, &d, err));
    if (d.rate == 0.0) return YOKE_OK;
    if (d.turn > 0.0)
        snprintf(turn, sizeof turn, " with %.3g Hz",
                 d.turn / (2.0 * acos(-1.0)));
    return yk_net_warn(net, err, tran->at,
                       "the operating point is unstable: disturbances grow by "
                       "e in %.3g s%s; the run begins with %.80s moved by %.2g "
                       "(.options nudge=0: it stays there)",
                       1.0 / d.rate, turn, c->name[d.variable], d.change);
}

/* .ic holds nodes in the operating point by a conductance.  What holds one more
 * strongly, a coil or a source, has a current there that nobody wants. */
static yoke_status check_levels(const yk_circuit *c, const double *start,
                                bool uic, yoke_err *err)
{
    static const char by_source[] =
        "and with what .ic drives through the elements there: %.500s; a run "
        "that begins with voltages of .ic and without currents has uic in "
        ".tran";
    static const char by_nothing[] =
        "because no charge there holds it: %.500s; a capacitor at the node "
        "would";
    yk_netlist *net = c->net;
    char text[600], why[800];

    for (int k = 0; k < net->ics; k++) {
        const yk_net_level *level = &net->ic[k];
        const double is = start[level->node];
        if (fabs(is - level->value) <= not_held * fmax(1.0, fabs(level->value)))
            continue;
        yk_circuit_at_node(c, level->node, text, sizeof text);
        if (uic)
            snprintf(why, sizeof why, by_nothing, text);
        else
            snprintf(why, sizeof why, by_source, text);
        YK_TRY(yk_net_warn(net, err, level->at,
                           "%.80s begins at %.4g, not at the %.4g of .ic, %s",
                           c->name[level->node], is, level->value, why));
    }
    return YOKE_OK;
}

static bool held_start(yk_circuit *c, double *start)
{
    memset(start, 0, (size_t)c->variables * sizeof *start);
    return yk_circuit_held_point(c, 0.0, start, NULL) == YOKE_OK;
}

/* With `uic` what the user gives; otherwise the operating point. */
static yoke_status find_start(yoke_file *file, yk_circuit *c,
                              const yk_net_task *tran,
                              const yk_file_hints *hints, double *start,
                              bool *rests, yoke_err *err)
{
    static const char turned_back[] =
        "there is no operating point: switches or relations turn themselves "
        "back; the run begins where they are as without voltages";
    yk_netlist *net = c->net;
    yk_op_report report = { 0, "" };

    *rests = false;
    if (tran && tran->uic) {
        YK_TRY(user_start(c, tran, hints, start, err));
        YK_TRY(check_levels(c, start, true, err));
        return yk_file_report(
            file, err, "%s: initial conditions of the user (uic)", net->path);
    }
    const yoke_status status = yk_circuit_point(c, 0.0, start, &report, err);
    if (status == YOKE_NOT_CONVERGED && tran && held_start(c, start)) {
        if (err) *err = (yoke_err){ YOKE_OK, "" };
        return yk_net_warn(net, err, tran->at, "%s", turned_back);
    }
    YK_TRY(status);
    *rests = net->ics == 0;
    YK_TRY(check_levels(c, start, false, err));
    YK_TRY(yk_file_report(
        file, err, "%s: operating point by %s, %d iterations, %d unknowns",
        net->path, report.way, report.iterations, c->variables - 1));
    return tran ? disturb(c, tran, start, err) : YOKE_OK;
}

static bool is_seen(const yk_circuit *c, int v)
{
    return (yk_circuit_has(c, v) && !yk_circuit_is_rate(c, v)) ||
           (v < c->nodes && c->driver[v] >= 0);
}

/* Everything but derivatives of voltages, which nobody asked for; where there
 * are none an empty list says so, or * if it is much. */
static yoke_status record_all(yoke_file *file, const yk_circuit *c,
                              yoke_err *err)
{
    static const int much = 500;
    size_t length = 0, at = 0;

    yk_free(file->record);
    file->record = NULL;
    if (c->first_rate == c->nodes)
        return yk_copy_text(&file->record, c->variables > much ? "*" : "", err);
    for (int v = 1; v < c->variables; v++) length += strlen(c->name[v]) + 1;
    YK_TRY(yk_alloc((void **)&file->record, length + 1, 1, err));
    for (int v = 1; v < c->variables; v++)
        if (is_seen(c, v))
            at += (size_t)snprintf(file->record + at, length + 1 - at, "%s%s",
                                   at ? " " : "", c->name[v]);
    return YOKE_OK;
}

/* Variables of .print, .plot and .save for .tran, as patterns; what is neither
 * a variable nor a probe (probe.c) is a warning. */
/* What `print` and `plot` may ask for and no waveform has: results of measures;
 * parts of complex values, which are in the table of .ac. */
static bool is_answered(const yk_netlist *net, const char *text)
{
    static const char *const part[] = { "db(", "m(", "p(", "r(", "i(" };

    for (int k = 0; k < net->measures; k++)
        if (strcmp(net->measure[k].name, text) == 0) return true;
    for (size_t k = 0; find_task(net, YK_TASK_AC) && k < 5; k++)
        if (strchr("vi", text[0]) &&
            strncmp(text + 1, part[k], strlen(part[k])) == 0)
            return true;
    return strcmp(text, "frequency") == 0 || strcmp(text, "time") == 0;
}

static yoke_status set_record(yoke_file *file, const yk_circuit *c,
                              yoke_err *err)
{
    yk_netlist *net = c->net;
    size_t length = 0;

    for (int k = 0; k < net->wishes; k++)
        length += strlen(net->wish[k].text) + 1;
    YK_TRY(yk_alloc((void **)&file->record, length + 1, 1, err));
    for (int k = 0; k < net->wishes; k++) {
        const yk_net_wish *w = &net->wish[k];
        bool found = false;
        if (w->analysis[0] && strcmp(w->analysis, "tran") != 0) continue;
        if (strcmp(w->text, "all") == 0) { /* an empty list */
            file->record[0] = '\0';
            break;
        }
        for (int v = 1; !found && v < c->variables; v++)
            if ((yk_circuit_has(c, v) || (v < c->nodes && c->driver[v] >= 0)) &&
                strcmp(c->name[v], w->text) == 0) {
                if (file->record[0]) strcat(file->record, " ");
                strcat(file->record, w->text);
                found = true;
            }
        if (!found && !is_answered(net, w->text))
            YK_TRY(yk_net_warn(net, err, w->at,
                               "\"%.80s\" is not recorded: there are "
                               "voltages v(a) and v(a,b), currents i(v1), "
                               "i(r1), @q1[ic], powers @r1[p] of resistors "
                               "and sources, and expressions in .print tran",
                               w->text));
    }
    if (!file->record[0]) YK_TRY(record_all(file, c, err));
    file->run.record = file->record;
    return YOKE_OK;
}

/* At its operating point a circuit rests; where levels or switches are held
 * until the run begins the charges remain and the rest follows them. */
static void set_run(yoke_file *file, const yk_netlist *net,
                    const yk_net_task *tran, bool rests)
{
    yoke_run_options *run = &file->run;

    run->iterate.rtol = yk_net_option(net, "reltol", preset_reltol);
    run->iterate.atol = yk_net_option(net, "vntol", preset_vntol);
    run->given = run->solved = rests;
    if (!tran) return;
    run->stop = tran->tstop;
    run->every = tran->tstep;
}

/* Junctions switch within a step: a method that solves one stage after the
 * other, with a new Jacobian where it is needed, gets further than one that
 * solves all stages with the Jacobian of the step's beginning, unless the
 * tolerance makes the steps short anyway.  But it does not begin where a
 * current follows a charge, and errors of coils that ring add up in it
 * (ringing.c). */
static bool has_junctions(const yk_netlist *net)
{
    for (int e = 0; e < net->elements; e++)
        if (strchr("dqj", net->element[e].kind)) return true;
    return false;
}

/* Is the current of a source wanted that drives a node with charge? */
static bool wants_charging(const yk_circuit *c)
{
    for (int k = 0; k < c->drivens; k++) {
        const int n = c->driven[k];
        if (!c->wanted[c->branch[c->driver[n]] - c->nodes]) continue;
        for (int i = c->touch_start[n]; i < c->touch_start[n + 1]; i++)
            if (strchr("cdqmj", c->net->element[c->touch[i]].kind)) return true;
    }
    return false;
}

/* Meyer's capacitances make unknowns of derivatives.  That of a node that a
 * source drives is the source's, index 2, in which trbdf2 loses an order. */
static bool has_driven_rates(const yk_circuit *c)
{
    for (int k = 0; k < c->nodes - c->first_rate; k++)
        if (c->driver[c->rate_node[k]] >= 0) return true;
    return false;
}

static yoke_status set_stepper(const yk_circuit *c, const yk_net_task *tran,
                               const yk_file_hints *hints,
                               yoke_stepper_options *how, yoke_err *err)
{
    static const double tight = 1e-6;
    const yk_netlist *net = c->net;

    *how = yoke_stepper_defaults();
    how->turns = tran ? yk_circuit_turns(c, tran->tstop) : 0.0;
    if (has_junctions(net) && !yk_net_has_mirrors(net) &&
        !has_driven_rates(c) && !wants_charging(c) &&
        yk_net_option(net, "reltol", preset_reltol) >= tight &&
        how->turns == 0.0)
        snprintf(how->method, sizeof how->method, "trbdf2");
    how->latent = hints->latent;
    if (tran)
        how->max_step =
            tran->tmax > 0.0 ? tran->tmax : (tran->tstop - tran->tstart) / 50.0;
    if (!hints->method) return YOKE_OK;
    if (yoke_stepper_set(how, "method", hints->method, err) != YOKE_OK) {
        yk_prefix(err, "%s:%d", hints->method_at.file, hints->method_at.line);
        return YOKE_E_FILE;
    }
    how->step = hints->step > 0.0 ? hints->step : tran ? tran->tstep : 0.0;
    return YOKE_OK;
}

/* Where sources drive every node their currents are all there is to solve. */
static void want_something(yk_circuit *c)
{
    for (int v = 1; v < c->variables; v++)
        if (yk_circuit_has(c, v)) return;
    for (int e = 0; e < c->net->elements; e++)
        if (c->net->element[e].kind == 'v') yk_circuit_want(c, e);
}

static yoke_status build(yoke_file *file, yk_netlist *net,
                         const yoke_file_options *options, yoke_err *err)
{
    const yk_net_task *tran = find_task(net, YK_TASK_TRAN);
    yk_file_hints hints;
    yk_circuit *c = NULL;
    double *start = NULL;
    bool rests = false;
    yoke_stepper_options how;

    YK_TRY(warn_of_more(net, tran, err));
    YK_TRY(wish_measured(net, err));
    YK_TRY(yk_file_take_hints(net, tran, &hints, err));
    YK_TRY(yk_circuit_create(&c, net, tran ? tran->tstep : 1e-9,
                             tran ? tran->tstop : 1e-6, NULL, err));
    if (tran)
        YK_TRY(yk_circuit_compile(c, tran->tstop / tran->tstep, options, err));
    YK_TRY(yk_circuit_tell_values(c, err));
    YK_TRY(check_measures(c, err));
    YK_TRY(yk_measures_create(&yk_net_system_of(file)->measures, net,
                              tran ? tran->tstart : 0.0, err));
    YK_TRY(yk_file_check_seams(c, &hints, err));
    want_shown(c);
    want_something(c);
    YK_TRY(YK_TAKE(&net->arena, &start, c->variables + 1, err));
    YK_TRY(yk_net_system_check(yk_net_system_of(file), c, !(tran && tran->uic),
                               err));
    YK_TRY(find_start(file, c, tran, &hints, start, &rests, err));
    set_run(file, net, tran, rests);
    YK_TRY(yk_net_settings_run(options, file, err));
    YK_TRY(set_record(file, c, err));
    YK_TRY(set_stepper(c, tran, &hints, &how, err));
    YK_TRY(yk_net_settings_stepper(options, &how, err));
    return yk_file_cut(file, c, start, &hints, &how, err);
}

static yoke_status read_whole(yoke_file **out, const char *path,
                              const char *text, size_t length,
                              const yoke_file_options *options, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_file *file = NULL;
    yk_net_system *s = NULL;
    yk_net_set *set = NULL;
    int sets = 0;

    YK_GO(yk_net_settings_read(options, &sets, &set, err));
    YK_GO(YK_NEW(&file, 1, err));
    file->run = yoke_run_defaults();
    YK_GO(yoke_model_create(&file->model, err));
    YK_GO(yk_net_system_create(file, &s, err));
    YK_GO(yk_netlist_read_set(&s->netlist, path, text, length, sets, set, err));
    YK_GO(yk_net_settings_apply(s->netlist, options, sets, set, err));
    const yk_net_task *tran = find_task(s->netlist, YK_TASK_TRAN);
    if (tran) YK_GO(yk_net_shunt_bare(s->netlist, tran->tstep, err));
    YK_GO(yk_net_system_inputs(file, s->netlist, err));
    YK_GO(yk_copy_text(&file->name, s->netlist->title, err));
    YK_GO(build(file, s->netlist, options, err));
    *out = file;
    file = NULL;
done:
    if (status == YOKE_E_MISSING)
        yk_suffix(err, "; if ngspice takes it, it can be a subsystem with "
                       "engine: ngspice");
    yoke_file_free(file);
    yk_net_settings_free(sets, set);
    return status;
}

static const yk_key keys[] = {
    { "inputs", YK_KEY_MAP, false, NULL, "sources whose values are inputs" },
    { "outputs", YK_KEY_LIST, false, NULL, "voltages and currents" },
    { "ports", YK_KEY_MAP, false, NULL, "pairs of nodes for connect" },
    { "engine", YK_KEY_TEXT, false, NULL,
      "yoke (if left out), or ngspice: in a process of its own, with every "
      "device that ngspice has" },
    { "time_limit", YK_KEY_NUMBER, false, "s",
      "for one exchange with ngspice; 600 s if left out" },
    { "memory_limit", YK_KEY_NUMBER, false, "1",
      "of ngspice, in megabytes; 8000 if left out" },
    { "replay", YK_KEY_TEXT, false, NULL,
      "true: ngspice goes back in time by running again from the start" },
    { NULL, YK_KEY_TEXT, false, NULL, NULL },
};

const yk_component yk_component_netlist = {
    .source = "netlist",
    .text = "a circuit, a SPICE netlist",
    .key = keys,
    .read = yk_net_subsystem,
    .added = yk_net_subsystem_added,
    .is_whole = is_netlist,
    .whole = read_whole,
};
