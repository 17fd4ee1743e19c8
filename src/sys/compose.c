/* sys/compose.c -- several subsystems and their inner links as one subsystem.
 *
 *     d/dt q_i(t, x_i, u_i) + f_i(t, x_i, u_i) = 0,   u_i = v_i + sum K_ij y_j
 *
 * with open inputs v.  Where the sources of an input do not depend on inputs
 * themselves (no entry in their rows of Hu) u_i is substituted and the chain
 * rule gives the Jacobians (sys/compose_terms.c).  Otherwise the input is kept
 * as an unknown w with the equation 0 = w - v - sum K y: algebraic loops become
 * equations like any other.  Here the composite is put together.
 */
#include "base/texts.h"
#include "sys/call.h"
#include "sys/compose.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Places are ints. */
static yoke_status check_members(int members, yoke_system *const *system,
                                 yoke_err *err)
{
    double total = 0.0;

    for (int i = 0; i < members; i++) {
        if (!system[i]) return yk_fail(err, YOKE_E_ARG, "member %d is NULL", i);
        const yoke_system_info *f = &system[i]->info;
        const yoke_pattern *const p[6] = { f->C,  f->G,  f->Cu,
                                           f->Gu, f->Hx, f->Hu };
        total += (double)f->n + (double)f->m + (double)f->p;
        total += (double)f->events;
        for (int k = 0; k < 6; k++) total += (double)yoke_pattern_count(p[k]);
    }
    if (total > INT_MAX / 4)
        return yk_fail(err, YOKE_E_ARG,
                       "%g unknowns, inputs, outputs, events and Jacobian "
                       "entries of the members are more than %d",
                       total, INT_MAX / 4);
    return YOKE_OK;
}

/* A member's memory begins where any type may begin. */
static size_t align(size_t bytes)
{
    const size_t unit = sizeof(max_align_t);

    return (bytes + unit - 1) / unit * unit;
}

static void place_members(composite *c, yoke_system *const *system,
                          size_t *memory, int *values)
{
    *memory = 0;
    *values = 0;
    c->has_rhs = true;
    for (int i = 0; i < c->members; i++) {
        member *m = &c->member[i];
        const yoke_system_info *f = &system[i]->info;
        m->system = system[i];
        m->x = c->base;
        m->u = c->m_all;
        m->y = c->p_all;
        m->memory = *memory;
        m->event = c->events;
        m->feedthrough = yoke_pattern_count(f->Hu) > 0;
        c->base += f->n;
        c->m_all += f->m;
        c->p_all += f->p;
        c->events += f->events;
        *memory += align(f->memory_bytes);
        int *const at[6] = { &m->C, &m->G, &m->Cu, &m->Gu, &m->Hx, &m->Hu };
        const yoke_pattern *const p[6] = { f->C,  f->G,  f->Cu,
                                           f->Gu, f->Hx, f->Hu };
        for (int k = 0; k < 6; k++) {
            *at[k] = *values;
            *values += yoke_pattern_count(p[k]);
        }
        if (!yk_system_has_rhs(system[i])) c->has_rhs = false;
        if (yk_system_limits(system[i])) c->settles = true;
    }
}

static yoke_status check_link(const composite *c, const yoke_link *link,
                              yoke_err *err)
{
    if (link->to < 0 || link->to >= c->members || link->from < 0 ||
        link->from >= c->members)
        return yk_fail(err, YOKE_E_ARG,
                       "link from member %d to member %d of "
                       "%d",
                       link->from, link->to, c->members);
    const yoke_system *to = c->member[link->to].system;
    const yoke_system *from = c->member[link->from].system;
    if (link->input < 0 || link->input >= to->info.m)
        return yk_fail(err, YOKE_E_ARG,
                       "link to input %d of \"%s\", which has "
                       "%d",
                       link->input, to->name, to->info.m);
    if (link->output < 0 || link->output >= from->info.p)
        return yk_fail(err, YOKE_E_ARG,
                       "link from output %d of \"%s\", which "
                       "has %d",
                       link->output, from->name, from->info.p);
    if (!isfinite(link->weight))
        return yk_fail(err, YOKE_E_ARG,
                       "link from \"%s\" to \"%s\" has the "
                       "weight %g",
                       from->name, to->name, link->weight);
    return YOKE_OK;
}

static yoke_status sort_links(composite *c, int links, const yoke_link *link,
                              yoke_err *err)
{
    int *start = NULL;

    YK_TRY(YK_NEW(&c->link, links, err));
    YK_TRY(yk_ints(&c->link_start, (size_t)c->m_all + 1, err));
    start = c->link_start;
    for (int l = 0; l < links; l++) {
        YK_TRY(check_link(c, &link[l], err));
        start[c->member[link[l].to].u + link[l].input + 1]++;
    }
    for (int k = 0; k < c->m_all; k++) start[k + 1] += start[k];
    for (int l = 0; l < links; l++)
        c->link[start[c->member[link[l].to].u + link[l].input]++] = link[l];
    for (int k = c->m_all; k > 0; k--) start[k] = start[k - 1];
    start[0] = 0;
    return YOKE_OK;
}

static yoke_status place_opens(composite *c, const int (*open)[2],
                               yoke_err *err)
{
    for (int k = 0; k < c->opens; k++) {
        const int i = open[k][0], input = open[k][1];
        if (i < 0 || i >= c->members || input < 0 ||
            input >= c->member[i].system->info.m)
            return yk_fail(err, YOKE_E_ARG,
                           "open input %d of member %d does "
                           "not exist",
                           input, i);
        if (c->open_at[c->member[i].u + input] >= 0)
            return yk_fail(err, YOKE_E_ARG, "input \"%s.%s\" is open twice",
                           c->member[i].system->name,
                           c->member[i].system->info.u_name[input]);
        c->open_at[c->member[i].u + input] = k;
    }
    return YOKE_OK;
}

/* An input fed by an output with feedthrough is kept as an unknown. */
static void choose_kept(composite *c)
{
    for (int l = 0; l < c->links; l++) {
        const yoke_link *link = &c->link[l];
        const int k = c->member[link->to].u + link->input;
        member *from = &c->member[link->from];
        if (from->hu_rows->start[link->output] ==
            from->hu_rows->start[link->output + 1])
            from->outputs_early = true;
        else if (c->kept_at[k] < 0)
            c->kept_at[k] = c->kept++;
    }
}

static yoke_status check_inputs(const composite *c, yoke_err *err)
{
    for (int i = 0; i < c->members; i++)
        for (int k = 0; k < c->member[i].system->info.m; k++) {
            const int at = c->member[i].u + k;
            if (c->open_at[at] < 0 &&
                c->link_start[at] == c->link_start[at + 1])
                return yk_fail(err, YOKE_E_MODEL,
                               "input \"%s.%s\" is not "
                               "connected",
                               c->member[i].system->name,
                               c->member[i].system->info.u_name[k]);
        }
    return YOKE_OK;
}

static yoke_status place_outs(composite *c, int outs, const int (*out)[2],
                              yoke_err *err)
{
    c->outs = out ? outs : c->p_all;
    YK_TRY(YK_NEW(&c->out, c->outs, err));
    if (!out)
        for (int i = 0, k = 0; i < c->members; i++)
            for (int j = 0; j < c->member[i].system->info.p; j++, k++) {
                c->out[k][0] = i;
                c->out[k][1] = j;
            }
    for (int k = 0; out && k < outs; k++) {
        const int i = out[k][0], output = out[k][1];
        if (i < 0 || i >= c->members || output < 0 ||
            output >= c->member[i].system->info.p)
            return yk_fail(err, YOKE_E_ARG,
                           "output %d of member %d does not exist", output, i);
        c->out[k][0] = i;
        c->out[k][1] = output;
    }
    for (int k = 0; k < c->outs; k++) c->member[c->out[k][0]].wanted = true;
    return YOKE_OK;
}

static yoke_status build(composite *c, const yoke_composition *parts,
                         size_t *memory, yoke_err *err)
{
    int values = 0;

    YK_TRY(check_members(parts->members, parts->member, err));
    c->members = parts->members;
    c->links = parts->links;
    c->opens = parts->opens;
    YK_TRY(YK_NEW(&c->member, c->members, err));
    place_members(c, parts->member, memory, &values);
    YK_TRY(sort_links(c, parts->links, parts->link, err));
    for (int i = 0; i < c->members; i++) {
        const yoke_system_info *f = &c->member[i].system->info;
        YK_TRY(yk_pattern_transpose(&c->member[i].hx_rows, f->Hx, err));
        YK_TRY(yk_pattern_transpose(&c->member[i].hu_rows, f->Hu, err));
    }
    YK_TRY(YK_INTS((size_t)c->m_all, err, &c->open_at, &c->kept_at));
    for (int k = 0; k < c->m_all; k++) c->open_at[k] = c->kept_at[k] = -1;
    YK_TRY(place_opens(c, parts->open, err));
    YK_TRY(place_outs(c, parts->outs, parts->out, err));
    YK_TRY(check_inputs(c, err));
    choose_kept(c);
    c->n = c->base + c->kept;
    if (c->kept) c->has_rhs = false;
    YK_TRY(YK_DOUBLES((size_t)c->m_all, err, &c->u, &c->du));
    YK_TRY(yk_doubles(&c->x_before, (size_t)c->n, err));
    YK_TRY(yk_doubles(&c->y, (size_t)c->p_all, err));
    YK_TRY(yk_doubles(&c->value, (size_t)values, err));
    for (int i = 0; i < c->members && !c->closed; i++)
        if (c->member[i].system->info.closed)
            YK_TRY(yk_ints(&c->closed, (size_t)c->members, err));
    return yk_composite_terms(c, err);
}

/* Writes "member.name" one after the other. */
typedef struct name_writer {
    char *text;
    size_t used;
} name_writer;

static const char *write_prefixed(name_writer *w, const char *prefix,
                                  const char *owner, const char *name)
{
    char *start = w->text + w->used;
    const size_t room = strlen(prefix) + strlen(owner) + strlen(name) + 2;

    snprintf(start, room, "%s%s.%s", prefix, owner, name);
    w->used += room;
    return start;
}

static const char *write_name(name_writer *w, const char *owner,
                              const char *name)
{
    return write_prefixed(w, "", owner, name);
}

static size_t names_size(const composite *c)
{
    size_t size = 1;

    for (int i = 0; i < c->members; i++) {
        const yoke_system_info *f = &c->member[i].system->info;
        const size_t own = strlen(c->member[i].system->name) + 2;
        for (int k = 0; k < f->n; k++)
            size += strlen(f->x_name[k]) + strlen(f->eq_name[k]) + 2 * own;
        for (int k = 0; k < f->m; k++)
            size += 3 * (strlen(f->u_name[k]) + own + strlen("input "));
    }
    for (int k = 0; k < c->outs; k++) {
        const yoke_system *from = c->member[c->out[k][0]].system;
        size += strlen(from->name) + 2;
        size += strlen(from->info.y_name[c->out[k][1]]);
    }
    return size;
}

typedef struct facts {
    const char **x, **u, **y, **eq;
    name_writer names;
    double *x0, *nominal;
    bool *guess;
    int positions;
    int (*position)[2];
} facts;

static void facts_clear(facts *f)
{
    YK_FREE(f->x, f->u, f->y, f->eq, f->names.text, f->x0, f->nominal, f->guess,
            f->position);
}

/* An input may have the name of an unknown, but not two unknowns. */
static void write_member(const composite *c, const member *m, facts *out)
{
    const yoke_system_info *f = &m->system->info;
    const char *name = m->system->name;

    for (int k = 0; k < f->n; k++) {
        out->x[m->x + k] = write_name(&out->names, name, f->x_name[k]);
        out->eq[m->x + k] = write_name(&out->names, name, f->eq_name[k]);
        out->x0[m->x + k] = f->x0[k];
        out->nominal[m->x + k] = f->nominal[k];
        out->guess[m->x + k] = f->guess && f->guess[k];
    }
    for (int k = 0; k < f->m; k++) {
        const int open = c->open_at[m->u + k], kept = c->kept_at[m->u + k];
        if (open >= 0)
            out->u[open] = write_name(&out->names, name, f->u_name[k]);
        if (kept < 0) continue;
        const char *prefix =
            yk_texts_find(f->x_name, f->n, f->u_name[k]) >= 0 ? "input " : "";
        out->x[c->base + kept] =
            write_prefixed(&out->names, prefix, name, f->u_name[k]);
        out->eq[c->base + kept] =
            write_prefixed(&out->names, "input ", name, f->u_name[k]);
        out->nominal[c->base + kept] = 1.0;
        out->guess[c->base + kept] = true;
    }
}

static bool any_initial(const composite *c)
{
    for (int i = 0; i < c->members; i++)
        if (c->member[i].system->info.initial) return true;
    return false;
}

/* Positions and velocities of all members. */
static yoke_status write_positions(const composite *c, facts *out,
                                   yoke_err *err)
{
    int total = 0;

    for (int i = 0; i < c->members; i++)
        total += c->member[i].system->info.positions;
    YK_TRY(YK_NEW(&out->position, total, err));
    for (int i = 0; i < c->members; i++) {
        const yoke_system_info *f = &c->member[i].system->info;
        for (int k = 0; k < f->positions; k++) {
            int *const pair = out->position[out->positions++];
            pair[0] = c->member[i].x + f->position[k][0];
            pair[1] = c->member[i].x + f->position[k][1];
        }
    }
    return YOKE_OK;
}

static yoke_status write_facts(const composite *c, facts *out, yoke_err *err)
{
    YK_TRY(write_positions(c, out, err));
    YK_TRY(YK_NEW(&out->x, c->n, err));
    YK_TRY(YK_NEW(&out->eq, c->n, err));
    YK_TRY(YK_NEW(&out->u, c->opens, err));
    YK_TRY(YK_NEW(&out->y, c->outs, err));
    YK_TRY(yk_alloc((void **)&out->names.text, names_size(c), 1, err));
    YK_TRY(YK_DOUBLES((size_t)c->n, err, &out->x0, &out->nominal));
    YK_TRY(YK_NEW(&out->guess, c->n, err));
    for (int i = 0; i < c->members; i++) write_member(c, &c->member[i], out);
    for (int k = 0; k < c->outs; k++) {
        const yoke_system *from = c->member[c->out[k][0]].system;
        out->y[k] = write_name(&out->names, from->name,
                               from->info.y_name[c->out[k][1]]);
    }
    return YOKE_OK;
}

static unsigned common_flags(const composite *c)
{
    unsigned flags = YOKE_AFFINE | YOKE_LINEAR | YOKE_TIMELESS | YOKE_PARALLEL;

    for (int i = 0; i < c->members; i++)
        flags &= c->member[i].system->info.flags;
    return c->settles ? flags | YOKE_LIMITS : flags;
}

/* How much the unknowns of the members count. */
static yoke_status take_weights(yoke_system *made, const composite *c,
                                yoke_err *err)
{
    bool any = false;

    for (int i = 0; i < c->members; i++)
        any = any || c->member[i].system->weight;
    if (!any) return YOKE_OK;
    YK_TRY(yk_doubles(&made->own, (size_t)c->n + 1, err));
    for (int k = 0; k < c->n; k++) made->own[k] = 1.0;
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        for (int k = 0; k < m->system->info.n; k++)
            made->own[m->x + k] = yk_system_weight(m->system, k);
    }
    return yk_system_weigh(made, NULL, err);
}

static yoke_status take_profiles(yoke_system *s, const composite *c,
                                 yoke_err *err)
{
    const yoke_profile *list = NULL;

    for (int i = 0; i < c->members; i++) {
        const yoke_system *from = c->member[i].system;
        const int count = yk_system_profiles(from, &list);
        for (int k = 0; k < count; k++)
            YK_TRY(yk_profile_add(s, from->name, &list[k], err));
    }
    return YOKE_OK;
}

/* Events of members that read what other members tell are joint.  How outputs
 * jump is found for the subsystems one by one. */
static yoke_status join_events(composite *c, yoke_err *err)
{
    if (c->events == 0) return YOKE_OK;
    YK_TRY(YK_NEW(&c->discrete, c->n + 1, err));
    YK_TRY(YK_NEW(&c->reads, c->opens + 1, err));
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        const yoke_event_facts *f = m->system->info.at_events;
        if (!f) continue;
        for (int k = 0; k < m->system->info.n; k++)
            c->discrete[m->x + k] = f->discrete[k];
        for (int k = 0; k < m->system->info.m; k++) {
            const int at = m->u + k;
            if (!f->reads[k]) continue;
            if (c->open_at[at] >= 0) c->reads[c->open_at[at]] |= f->reads[k];
            if (c->link_start[at] < c->link_start[at + 1])
                c->at_events.joint = true;
        }
        if (f->joint) c->at_events.joint = true;
    }
    c->at_events.discrete = c->discrete;
    c->at_events.reads = c->reads;
    return YOKE_OK;
}

static yoke_status finish(yoke_system **out, const char *name, composite *c,
                          size_t memory, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    facts f = { 0 };
    bool taken = false;
    yoke_system *made = NULL;

    YK_GO(write_facts(c, &f, err));
    YK_GO(join_events(c, err));
    const yoke_system_info info = {
        .n = c->n,
        .m = c->opens,
        .p = c->outs,
        .flags = common_flags(c),
        .positions = f.positions,
        .position = (const int(*)[2])f.position,
        .memory_bytes = memory,
        .help = yk_composite_help(c),
        .events = c->events,
        .event = c->events > 0 ? &yk_composite_event_ops : NULL,
        .courses = yk_composite_courses(c),
        .at_events = c->events > 0 ? &c->at_events : NULL,
        .initial = any_initial(c) ? &yk_composite_initial_ops : NULL,
        .curves = yk_composite_curves(c),
        .x0 = f.x0,
        .nominal = f.nominal,
        .guess = f.guess,
        .x_name = f.x,
        .u_name = f.u,
        .y_name = f.y,
        .eq_name = f.eq,
        .C = c->pC,
        .G = c->pG,
        .Cu = c->pCu,
        .Gu = c->pGu,
        .Hx = c->pHx,
        .Hu = c->pHu,
    };
    taken = true;
    YK_GO(yoke_system_create(
        &made, name, c->has_rhs ? &yk_composite_ode_ops : &yk_composite_ops, c,
        &info, err));
    for (int i = 0; i < c->members; i++)
        if (c->member[i].system->differenced) made->differenced = true;
    YK_GO(take_weights(made, c, err));
    YK_GO(take_profiles(made, c, err));
    *out = made;
    made = NULL;
done:
    yoke_system_free(made);
    if (!taken) yk_composite_free(c);
    facts_clear(&f);
    return status;
}

yoke_status yoke_compose(yoke_system **out, const char *name,
                         const yoke_composition *parts, yoke_err *err)
{
    composite *c = NULL;
    size_t memory = 0;

    if (!name) name = "unnamed";
    if (parts->members < 1 || parts->links < 0 || parts->opens < 0 ||
        parts->outs < 0)
        return yk_fail(err, YOKE_E_ARG,
                       "composite \"%s\" of %d members, %d links, %d inputs, "
                       "%d outputs; at least 1, 0, 0, 0",
                       name, parts->members, parts->links, parts->opens,
                       parts->outs);
    YK_TRY(YK_NEW(&c, 1, err));
    yoke_status status = yk_copy_text(&c->name, name, err);
    if (status == YOKE_OK) status = build(c, parts, &memory, err);
    if (status != YOKE_OK) {
        yk_prefix(err, "composite \"%s\"", name);
        yk_composite_free(c);
        return status;
    }
    return finish(out, name, c, memory, err);
}

bool yk_composite_kept(const yoke_system *system, int k, int *owner, int *input)
{
    if (system->ops != &yk_composite_ops) return false; /* ODEs keep none */
    const composite *c = system->self;
    for (int i = 0; i < c->members; i++)
        for (int j = 0; j < c->member[i].system->info.m; j++)
            if (c->kept_at[c->member[i].u + j] == k) {
                *owner = i;
                *input = j;
                return true;
            }
    return false;
}
