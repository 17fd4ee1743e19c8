/* record/power.c -- energy of port-Hamiltonian subsystems, and reports.
 *
 *     H = x'Q'E x / 2,    dH/dt = - (Qx)'R(Qx) + r'G'Qx
 *
 * from the recorded unknowns; a scheme that iterates on them tells its own
 * balance, by the quadrature of its method (iter/ph/balance.c).
 */
#include "base/text.h"
#include "record/power.h"

#include <math.h>
#include <string.h>

typedef struct member {
    int node;
    const yoke_ports *ports;
    int *watched; /* of each unknown: its component in the unit */
} member;

struct yk_power {
    const yk_record *record;
    int members;
    member *member;
    bool complete; /* every unknown is recorded: the energy is known */
    bool open;     /* something else feeds their ports */
    double *wave, *x, *v, *f, *r;
    bool begun;
    yk_balance energy;
    yk_split_sums done; /* of the unit that iterates on them */
    yk_split_plan plan;
    bool split; /* there is one */
};

void yk_power_free(yk_power *p)
{
    if (!p) return;
    for (int i = 0; p->member && i < p->members; i++)
        yk_free(p->member[i].watched);
    YK_FREE(p->member, p->wave, p->x, p->v, p->f, p->r, p);
}

static const yoke_ports *ports_of(const yoke_graph *graph, int node)
{
    return yoke_system_facts(yoke_graph_system(graph, node))->ports;
}

yoke_status yk_power_place(yk_power *p, yoke_err *err)
{
    size_t wave = 1;

    if (!p) return YOKE_OK;
    const yk_record *r = p->record;
    const yk_unit_plan *plan = &r->units->plan[0];
    p->complete = true;
    for (int i = 0; i < p->members; i++) {
        member *m = &p->member[i];
        int found = 0;
        for (int k = 0; k < r->columns; k++)
            if (r->column[k].node == m->node && !r->column[k].is_output) {
                m->watched[r->column[k].index] = r->column[k].component;
                found++;
            }
        p->complete = p->complete && found == m->ports->E.pattern->rows;
    }
    for (int c = 0; c < plan->schedule->clusters; c++)
        if ((size_t)plan->watches[c] > wave) wave = (size_t)plan->watches[c];
    yk_free(p->wave);
    p->wave = NULL;
    return yk_doubles(&p->wave, wave, err);
}

/* Do others feed the ports? */
static bool fed_from_outside(const yoke_graph *graph)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);

    for (int l = 0; l < links; l++)
        if (ports_of(graph, link[l].to) &&
            (!ports_of(graph, link[l].from) ||
             yoke_graph_delay_of(graph, l).time > 0.0))
            return true;
    return false;
}

static yoke_status build(yk_power *p, yoke_err *err)
{
    const yoke_graph *graph = p->record->graph;
    size_t n = 1, sources = 1;

    YK_TRY(YK_NEW(&p->member, yoke_graph_count(graph), err));
    for (int i = 0; i < yoke_graph_count(graph); i++) {
        member *m = &p->member[p->members];
        if (!ports_of(graph, i)) continue;
        *m = (member){ .node = i, .ports = ports_of(graph, i) };
        p->members++;
        const size_t own = (size_t)m->ports->E.pattern->rows;
        YK_TRY(yk_ints(&m->watched, own + 1, err));
        if (own > n) n = own;
        if ((size_t)m->ports->sources > sources)
            sources = (size_t)m->ports->sources;
    }
    p->open = fed_from_outside(graph);
    YK_TRY(YK_DOUBLES(n, err, &p->x, &p->v, &p->f));
    YK_TRY(yk_doubles(&p->r, sources, err));
    return yk_power_place(p, err);
}

yoke_status yk_power_create(yk_power **out, const yk_record *record,
                            yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_power *p = NULL;
    bool any = false;

    for (int i = 0; i < yoke_graph_count(record->graph); i++)
        any = any || ports_of(record->graph, i);
    if (!any) return YOKE_OK;
    YK_TRY(YK_NEW(&p, 1, err));
    p->record = record;
    YK_GO(build(p, err));
    *out = p;
    p = NULL;
done:
    yk_power_free(p);
    return status;
}

/* ---- energy -------------------------------------------------------------- */

/* v' y with y = m x. */
static double form(const double *v, const yoke_matrix *m, const double *x,
                   double *y)
{
    const yoke_pattern *p = m->pattern;
    double sum = 0.0;

    memset(y, 0, (size_t)p->rows * sizeof *y);
    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            y[p->row[k]] += m->value[k] * x[j];
    for (int i = 0; v && i < p->rows; i++) sum += v[i] * y[i];
    return sum;
}

/* H, and with `power` also what is dissipated and supplied per time. */
static double energy(yk_power *p, const member *m, double t, const double *x,
                     double power[2])
{
    const yoke_ports *f = m->ports;

    form(NULL, &f->Q, x, p->v);
    if (power) {
        power[0] = form(p->v, &f->R, p->v, p->f);
        if (f->sources > 0) f->source(f->self, t, p->r);
        power[1] = f->sources > 0 ? form(p->v, &f->G, p->r, p->f) : 0.0;
    }
    return 0.5 * form(p->v, &f->E, x, p->f);
}

static void read_x(yk_power *p, const member *m, const yk_wave *w, double t,
                   int *cursor)
{
    yk_wave_eval(w, t, cursor, p->wave);
    for (int i = 0; i < m->ports->E.pattern->rows; i++)
        p->x[i] = p->wave[m->watched[i]];
}

/* Gauss's three points in every piece. */
static void integrate(yk_power *p, const member *m, const yk_wave *w)
{
    static const double at[3] = { 0.1127016653792583, 0.5, 0.8872983346207417 };
    static const double weight[3] = { 5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0 };
    int cursor = 0;

    for (int k = 0; k < yk_wave_pieces(w); k++) {
        const double a = yk_wave_knot(w, k), h = yk_wave_knot(w, k + 1) - a;
        for (int g = 0; g < 3; g++) {
            double power[2];
            read_x(p, m, w, a + at[g] * h, &cursor);
            energy(p, m, a + at[g] * h, p->x, power);
            p->energy.dissipated += h * weight[g] * power[0];
            p->energy.supplied += h * weight[g] * power[1];
        }
    }
}

/* Does a unit iterate on them?  It knows more. */
static bool read_split(yk_power *p)
{
    const yk_unit_plan *plan = &p->record->units->plan[0];

    for (int c = 0; c < plan->schedule->clusters; c++)
        if (yk_split_is(&plan->propagator[c])) {
            p->split = true;
            p->done = *yk_split_done(&plan->propagator[c]);
            p->plan = *yk_split_planned(&plan->propagator[c]);
        }
    return p->split;
}

void yk_power_window(yk_power *p, double *const *x0, double t1)
{
    if (!p || read_split(p) || !p->complete) return;
    const yk_unit_plan *plan = &p->record->units->plan[0];
    yk_balance *e = &p->energy;
    for (int i = 0; i < p->members && !p->begun; i++)
        e->start += energy(p, &p->member[i], p->record->options->start,
                           x0[p->member[i].node], NULL);
    p->begun = true;
    e->end = 0.0;
    for (int i = 0; i < p->members; i++) {
        const member *m = &p->member[i];
        const yk_propagator *from =
            &plan->propagator[plan->schedule->cluster[m->node]];
        const yk_wave *w = from->ops->watched(from->self);
        integrate(p, m, w);
        read_x(p, m, w, t1, NULL);
        e->end += energy(p, m, t1, p->x, NULL);
    }
    e->defect = e->end - e->start + e->dissipated - e->supplied;
}

/* ---- reports ------------------------------------------------------------- */

void yk_power_plan(yoke_power *out, const yk_split_plan *plan)
{
    out->split = true;
    out->blocks = plan->blocks;
    out->pairs = plan->pairs;
    out->step = plan->h;
    out->window = plan->window;
    out->mu = plan->promise.mu;
    out->omega = plan->promise.omega;
    out->q = plan->q;
    out->guaranteed = plan->sweeps;
    out->method = plan->mercier  ? "Lions-Mercier iteration"
                  : plan->direct ? "condensed ports"
                  : plan->gmres  ? "port waves with GMRES"
                                 : "port waves";
}

yoke_power yk_power_unknown(void)
{
    return (yoke_power){ .method = "port waves",
                         .q = 1.0,
                         .guaranteed = INFINITY,
                         .bound = NAN,
                         .optimum = NAN,
                         .lambda = NAN,
                         .matrix = NAN,
                         .statement = "",
                         .frequency = NAN,
                         .growth = NAN,
                         .peak = NAN,
                         .sweeps = NAN,
                         .worst = NAN,
                         .rate = NAN,
                         .begun = NAN,
                         .stored = NAN,
                         .dissipated = NAN,
                         .supplied = NAN,
                         .defect = NAN };
}

bool yk_power_result(const yk_power *p, yoke_power *out)
{
    *out = yk_power_unknown();
    if (!p) return false;
    const yk_split_sums *s = &p->done;
    const yk_balance *e = p->split ? &s->energy : &p->energy;
    out->blocks = p->members;
    if (p->split) yk_power_plan(out, &p->plan);
    if (p->split ? s->done.windows == 0 : !p->begun || p->open) return true;
    if (p->split) {
        out->sweeps = (double)s->done.sweeps / s->done.windows;
        out->worst = s->worst;
        out->guaranteed = s->promised;
        out->rate = s->done.rate > 0.0 ? s->done.rate : NAN; /* GMRES: none */
    }
    out->begun = e->start;
    out->stored = e->end;
    out->dissipated = e->dissipated;
    out->supplied = e->supplied;
    out->defect = e->defect;
    return true;
}

void yk_power_text(const yk_power *power, char *text, size_t room)
{
    yoke_power p;

    text[0] = '\0';
    if (!yk_power_result(power, &p)) return;
    if (p.split && isfinite(p.sweeps))
        yk_append(text, room,
                  " By %s: %.3g sweeps per window at most guaranteed, "
                  "%.3g needed (%.3g at most); the rate is q = %.3g, "
                  "measured %.3g.",
                  p.method, p.guaranteed, p.sweeps, p.worst, p.q, p.rate);
    if (isfinite(p.stored))
        yk_append(text, room,
                  " Energy: %.6g stored at the start, %.6g at the end, %.6g "
                  "dissipated, %.6g supplied, defect %.2g.",
                  p.begun, p.stored, p.dissipated, p.supplied, p.defect);
}
