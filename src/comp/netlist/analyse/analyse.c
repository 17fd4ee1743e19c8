/* comp/netlist/analyse/analyse.c -- operating point, DC sweeps and small
 * signals.
 *
 * Small signals: (G + i omega C) x = b with the Jacobians at the operating
 * point, b the amplitudes of the sources.  No node is driven there: sources
 * keep their branch equations, so that their amplitudes stand on the right.
 */
#include "comp/netlist/analyse/analyse.h"

#include "comp/netlist/circuit/part.h"
#include "la/lu.h"
#include "la/pattern.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

void yk_net_rows_clear(yk_net_rows *t)
{
    YK_FREE(t->name, t->value);
    *t = (yk_net_rows){ 0 };
}

/* A new row; its values are to be written to *row. */
static yoke_status add_row(yk_net_rows *t, double **row, yoke_err *err)
{
    const size_t width =
        t->is_complex ? 2 * (size_t)t->columns : (size_t)t->columns;

    YK_TRY(YK_GROW(&t->value, &t->room, width * ((size_t)t->rows + 1), err));
    *row = t->value + width * (size_t)t->rows++;
    memset(*row, 0, width * sizeof **row);
    return YOKE_OK;
}

/* ---- variables that are shown
 * ------------------------------------------------- */

/* Nodes of the netlist, then branches; internal nodes are not shown. */
static bool is_shown(const yk_circuit *c, int variable)
{
    return variable > 0 && (variable < c->net->nodes || variable >= c->nodes);
}

static yoke_status name_columns(yk_net_rows *t, const yk_circuit *c,
                                const char *scale, yoke_err *err)
{
    YK_TRY(YK_NEW(&t->name, c->variables + 1, err));
    t->name[0] = scale;
    t->columns = 1;
    for (int v = 1; v < c->variables; v++)
        if (is_shown(c, v)) t->name[t->columns++] = c->name[v];
    return YOKE_OK;
}

static void fill_row(const yk_circuit *c, const double *value, double *row)
{
    for (int v = 1; v < c->variables; v++)
        if (is_shown(c, v)) *row++ = value[v];
}

static void want_all(yk_circuit *c)
{
    for (int e = 0; e < c->net->elements; e++)
        if (c->net->element[e].kind == 'v') yk_circuit_want(c, e);
}

static yoke_status make_circuit(yk_circuit **c, double **value, yk_netlist *net,
                                const bool *external, yoke_err *err)
{
    YK_TRY(yk_circuit_create(c, net, 1e-9, 1e-6, external, err));
    want_all(*c);
    return YK_TAKE(&net->arena, value, (*c)->variables + 1, err);
}

/* ---- .op
 * ------------------------------------------------------------------------ */

static yoke_status operating_point(yk_net_rows *t, yk_netlist *net,
                                   yoke_err *err)
{
    yk_circuit *c = NULL;
    double *value = NULL, *row = NULL;

    YK_TRY(make_circuit(&c, &value, net, NULL, err));
    YK_TRY(yk_circuit_point(c, NAN, value, NULL, err));
    YK_TRY(name_columns(t, c, "point", err));
    YK_TRY(add_row(t, &row, err));
    fill_row(c, value, row + 1);
    return YOKE_OK;
}

/* ---- .dc
 * ------------------------------------------------------------------------ */

/* What a sweep changes, and its value before. */
typedef struct swept {
    const yk_net_sweep *sweep;
    int element; /* -1: temperature */
    double before;
    int count;
} swept;

static yk_net_param *resistance(yk_net_element *el)
{
    for (int k = 0; k < el->params; k++)
        if (strcmp(el->param[k].name, "value") == 0) return &el->param[k];
    return NULL;
}

static yoke_status prepare(swept *s, const yk_netlist *net,
                           const yk_net_task *task, int k, yoke_err *err)
{
    s->sweep = &task->sweep[k];
    s->element = -1;
    if (s->sweep->step == 0.0 ||
        (s->sweep->stop - s->sweep->start) / s->sweep->step < 0.0)
        return yk_net_fail(err, YOKE_E_MODEL, task->at,
                           ".dc: a step of %g does not lead from %g to %g",
                           s->sweep->step, s->sweep->start, s->sweep->stop);
    const double steps = (s->sweep->stop - s->sweep->start) / s->sweep->step;
    if (steps > 1e7)
        return yk_net_fail(err, YOKE_E_MODEL, task->at,
                           ".dc: %.3g points are too many, at most 1e7", steps);
    s->count = (int)floor(steps * (1.0 + 1e-9) + 1e-9) + 1;
    if (strcmp(s->sweep->name, "temp") == 0) return YOKE_OK;
    s->element = yk_net_find_element(net, s->sweep->name);
    if (s->element < 0 || !strchr("vir", net->element[s->element].kind))
        return yk_net_fail(err, YOKE_E_MODEL, task->at,
                           ".dc: \"%s\" is not a voltage source, current "
                           "source or resistor of the netlist, nor \"temp\"",
                           s->sweep->name);
    return YOKE_OK;
}

/* Sources are changed in place; resistors and the temperature in the netlist,
 * and the circuit is made again. */
static bool set_swept(yk_netlist *net, yk_circuit *c, const swept *s,
                      double value)
{
    if (s->element >= 0 && net->element[s->element].kind != 'r') {
        if (c)
            c->source[s->element] =
                (yk_stimulus){ .dc = value, .repeat = -1.0 };
        return false;
    }
    if (s->element >= 0)
        resistance(&net->element[s->element])->value = value;
    else
        for (int k = 0; k < net->options; k++)
            if (strcmp(net->option[k].name, "temp") == 0)
                net->option[k].value = value;
    return true;
}

static double present(yk_netlist *net, const swept *s)
{
    if (s->element >= 0)
        return net->element[s->element].kind == 'r'
                   ? resistance(&net->element[s->element])->value
                   : 0.0;
    return yk_net_value(net->option, net->options, "temp", 27.0, NULL);
}

/* There must be an option "temp" to be changed. */
static yoke_status add_temperature(yk_netlist *net, yk_net_place at,
                                   yoke_err *err)
{
    bool given = false;
    yk_net_param *list = NULL;

    yk_net_value(net->option, net->options, "temp", 0.0, &given);
    if (given) return YOKE_OK;
    YK_TRY(YK_TAKE(&net->arena, &list, net->options + 1, err));
    if (net->options)
        memcpy(list, net->option, (size_t)net->options * sizeof *list);
    list[net->options++] = (yk_net_param){ "temp", 27.0, at };
    net->option = list;
    return YOKE_OK;
}

static double swept_value(const swept *s, int k)
{
    return s->sweep->start + k * s->sweep->step;
}

static yoke_status sweep_rows(yk_net_rows *t, yk_netlist *net, const swept *s,
                              int sweeps, yoke_err *err)
{
    yk_circuit *c = NULL;
    double *value = NULL, *row = NULL;
    const int outer = sweeps > 1 ? s[1].count : 1;

    for (int j = 0; j < outer; j++)
        for (int k = 0; k < s[0].count; k++) {
            bool renew = c == NULL;
            if (sweeps > 1)
                renew |= set_swept(net, c, &s[1], swept_value(&s[1], j));
            renew |= set_swept(net, c, &s[0], swept_value(&s[0], k));
            if (renew) {
                double *old = value;
                const int count = c ? c->variables : 0;
                YK_TRY(make_circuit(&c, &value, net, NULL, err));
                if (old) memcpy(value, old, (size_t)count * sizeof *value);
                for (int i = 0; i < sweeps; i++)
                    set_swept(net, c, &s[i], swept_value(&s[i], i ? j : k));
            }
            if (k > 0)
                YK_TRY(yk_circuit_op_near(c, NAN, value, err));
            else
                YK_TRY(yk_circuit_op(c, NAN, value, NULL, err));
            if (!t->name)
                YK_TRY(name_columns(t, c,
                                    s[0].element < 0             ? "temp-sweep"
                                    : s[0].sweep->name[0] == 'i' ? "i-sweep"
                                    : s[0].sweep->name[0] == 'r' ? "res-sweep"
                                                                 : "v-sweep",
                                    err));
            YK_TRY(add_row(t, &row, err));
            row[0] = swept_value(&s[0], k);
            fill_row(c, value, row + 1);
        }
    return YOKE_OK;
}

static yoke_status dc_sweep(yk_net_rows *t, yk_netlist *net,
                            const yk_net_task *task, yoke_err *err)
{
    swept s[2];

    for (int k = 0; k < task->sweeps; k++) {
        YK_TRY(prepare(&s[k], net, task, k, err));
        if (s[k].element < 0) YK_TRY(add_temperature(net, task->at, err));
        s[k].before = present(net, &s[k]);
    }
    const yoke_status status = sweep_rows(t, net, s, task->sweeps, err);
    for (int k = 0; k < task->sweeps; k++)
        set_swept(net, NULL, &s[k], s[k].before);
    return status;
}

/* ---- .ac
 * ------------------------------------------------------------------------ */

typedef struct small {
    yk_circuit *c;
    yk_net_part *p;
    yoke_pattern *both;
    yk_lu *lu;
    double *G, *C, *A, *b, *x;
    int *g_at, *c_at;
} small;

static void small_clear(small *s)
{
    yk_lu_free(s->lu);
    yoke_pattern_free(s->both);
    yk_part_free(s->p);
    YK_FREE(s->G, s->C, s->A, s->b, s->x, s->g_at, s->c_at);
}

/* What only a transient needs (read/shunt.c) is not there: beside gmin it would
 * be seen. */
static void take_bare(small *s)
{
    const yk_netlist *net = s->c->net;

    for (int e = net->bare; e < net->bare + net->bares; e++) {
        const yk_net_element *el = &net->element[e];
        const bool charge = el->kind == 'c';
        const double value = el->param[0].value;
        const int at =
            yoke_pattern_find(charge ? s->p->pattern_C : s->p->pattern_G,
                              el->node[0] - 1, el->node[0] - 1);
        if (at < 0) continue;
        if (charge)
            s->C[at] -= value;
        else
            s->G[at] -= 1.0 / value;
    }
}

static yoke_status linearise(small *s, const double *value, yoke_err *err)
{
    yk_net_part_spec spec = { 0 };
    int *own = NULL;

    YK_TRY(YK_TAKE(&s->c->net->arena, &own, s->c->variables + 1, err));
    for (int v = 1; v < s->c->variables; v++) own[spec.count++] = v;
    spec.variable = own;
    YK_TRY(yk_net_part_create(&s->p, s->c, &spec, err));
    const size_t n = (size_t)s->p->n;
    const size_t g = (size_t)yoke_pattern_count(s->p->pattern_G);
    const size_t c = (size_t)yoke_pattern_count(s->p->pattern_C);
    YK_TRY(yk_doubles(&s->G, g + 1, err));
    YK_TRY(yk_doubles(&s->C, c + 1, err));
    YK_TRY(yk_doubles(&s->b, 2 * n + 2, err));
    YK_TRY(yk_doubles(&s->x, n + 1, err));
    for (int i = 0; i < s->p->n; i++) s->x[i] = value[s->p->variable[i]];
    const yoke_jacobian jac = { .G = s->G, .C = s->C };
    YK_TRY(yk_part_jacobian(s->p, 0.0, s->x, NULL, &jac, err));
    take_bare(s);
    YK_TRY(yk_pattern_union(&s->both, s->p->pattern_C, s->p->pattern_G,
                            &s->c_at, &s->g_at, err));
    YK_TRY(yk_doubles(&s->A, 2 * (size_t)yoke_pattern_count(s->both) + 2, err));
    return yk_lu_create(&s->lu, s->both, true, err);
}

/* Amplitudes of the sources in the rows where they stand. */
static void excite(small *s)
{
    const yk_net_part *p = s->p;

    memset(s->b, 0, 2 * (size_t)p->n * sizeof *s->b);
    for (int k = 0; k < p->sources; k++) {
        const yk_part_source *src = &p->source[k];
        const yk_net_source *from =
            s->c->net->element[src->source - s->c->source].source;
        const double phase = from ? from->ac_phase * pi / 180.0 : 0.0;
        const double size = from ? from->ac_magnitude : 0.0;
        for (int r = 0; r < 2; r++)
            if (src->row[r] >= 0) {
                s->b[2 * src->row[r]] -= src->factor[r] * size * cos(phase);
                s->b[2 * src->row[r] + 1] -= src->factor[r] * size * sin(phase);
            }
    }
}

/* What a line passes from one end to the other turns by omega td.  The
 * equations at rest have it with the factor 1. */
static void turn_lines(small *s, double omega)
{
    const yk_netlist *net = s->c->net;

    for (int e = 0; s->c->lines && e < net->elements; e++) {
        const yk_net_element *el = &net->element[e];
        if (el->kind != 't') continue;
        const double z0 = yk_net_value(el->param, el->params, "z0", 0.0, NULL);
        const double phase =
            omega * yk_net_value(el->param, el->params, "td", 0.0, NULL);
        for (int end = 0; end < 2; end++) {
            const int row = s->c->branch[e] + end - 1;
            const int from[] = { el->node[2 - 2 * end], el->node[3 - 2 * end],
                                 s->c->branch[e] + 1 - end };
            const double factor[] = { -1.0, 1.0, -z0 };
            for (int k = 0; k < 3; k++) {
                if (from[k] == 0) continue;
                const int at = yoke_pattern_find(s->both, row, from[k] - 1);
                s->A[2 * at] += factor[k] * (cos(phase) - 1.0);
                s->A[2 * at + 1] -= factor[k] * sin(phase);
            }
        }
    }
}

static yoke_status respond(small *s, double frequency, yoke_err *err)
{
    const double omega = 2.0 * pi * frequency;
    int column = -1;

    memset(s->A, 0, 2 * (size_t)yoke_pattern_count(s->both) * sizeof *s->A);
    for (int k = 0; k < yoke_pattern_count(s->p->pattern_G); k++)
        s->A[2 * s->g_at[k]] += s->G[k];
    for (int k = 0; k < yoke_pattern_count(s->p->pattern_C); k++)
        s->A[2 * s->c_at[k] + 1] += omega * s->C[k];
    turn_lines(s, omega);
    const yoke_status status = yk_lu_factor(s->lu, s->A, &column, err);
    if (status != YOKE_OK)
        return yk_fail(err, YOKE_E_MODEL,
                       "%s: .ac: the equations are singular at %g Hz, near %s",
                       s->c->net->path, frequency,
                       column >= 0 ? s->c->name[s->p->variable[column]] : "?");
    excite(s);
    return yk_lu_solve(s->lu, s->b, err);
}

static yoke_status small_rows(yk_net_rows *t, small *s, const yk_net_task *task,
                              yoke_err *err)
{
    const double ratio = task->fstop / task->fstart;
    const double per = task->scale == 'd' ? log10(ratio) : log2(ratio);
    const double steps = task->scale == 'l' ? (double)task->points - 1.0
                                            : per * (double)task->points;
    double *row = NULL;

    if (!(task->fstart > 0.0 || task->scale == 'l') || !(steps < 1e7) ||
        task->points < 1 || task->fstop < task->fstart)
        return yk_net_fail(err, YOKE_E_MODEL, task->at,
                           ".ac: %d points from %g Hz to %g Hz make no sense",
                           task->points, task->fstart, task->fstop);
    const int count = (int)floor(steps + 1e-6) + 1;
    for (int k = 0; k < count; k++) {
        const double base = task->scale == 'd' ? 10.0 : 2.0;
        const double f =
            task->scale == 'l'
                ? task->fstart + (steps > 0.0 ? (task->fstop - task->fstart) *
                                                    (double)k / steps
                                              : 0.0)
                : task->fstart * pow(base, (double)k / task->points);
        YK_TRY(respond(s, f, err));
        YK_TRY(add_row(t, &row, err));
        row[0] = f;
        int at = 1;
        for (int v = 1; v < s->c->variables; v++)
            if (is_shown(s->c, v)) {
                row[2 * at] = s->b[2 * (v - 1)];
                row[2 * at + 1] = s->b[2 * (v - 1) + 1];
                at++;
            }
    }
    return YOKE_OK;
}

/* A circuit without driven nodes, its variables at the operating point. */
static yoke_status small_signal(yk_net_rows *t, yk_netlist *net,
                                const yk_net_task *task, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    small s = { 0 };
    double *value = NULL;
    bool *external = NULL;

    t->is_complex = true;
    YK_GO(YK_TAKE(&net->arena, &external, net->elements + 1, err));
    for (int e = 0; e < net->elements; e++) external[e] = true;
    YK_GO(make_circuit(&s.c, &value, net, external, err));
    YK_GO(yk_circuit_point(s.c, NAN, value, NULL, err));
    YK_GO(name_columns(t, s.c, "frequency", err));
    YK_GO(linearise(&s, value, err));
    YK_GO(small_rows(t, &s, task, err));
done:
    small_clear(&s);
    return status;
}

yoke_status yk_net_analyse(yk_net_rows *out, yk_netlist *net,
                           const yk_net_task *task, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    *out = (yk_net_rows){ 0 };
    if (task->kind == YK_TASK_OP) status = operating_point(out, net, err);
    if (task->kind == YK_TASK_DC) status = dc_sweep(out, net, task, err);
    if (task->kind == YK_TASK_AC) status = small_signal(out, net, task, err);
    if (status != YOKE_OK) yk_net_rows_clear(out);
    return status;
}
