/* comp/netlist/circuit/part_system.c -- a part of a circuit as a subsystem. */
#include "comp/netlist/circuit/part_build.h"

#include <stdio.h>
#include <string.h>

/* Derivatives of voltages in V/ns: the voltages have their own errors. */
static const double rate_size = 1e7;
static const double current_size = 1e-3; /* A, where none is known */

static yoke_status write_name(yk_net_part *p, const char **out,
                              const char *format, const char *name,
                              yoke_err *err)
{
    return yk_arena_print(&p->arena, out, err, format, name);
}

static yoke_status name_inputs(yk_net_part *p, const yk_net_part_spec *spec,
                               const char **name, yoke_err *err)
{
    const yk_circuit *c = p->circuit;

    for (int k = 0; k < p->foreign; k++)
        name[k] = c->name[p->variable[p->n + k]];
    for (int k = 0; k < p->values; k++)
        name[p->foreign + k] = spec->value[k].input;
    for (int k = 0; k < p->injections; k++)
        YK_TRY(write_name(p, &name[p->foreign + p->values + k], "into(%s)",
                          c->net->node[spec->injection[k]], err));
    return YOKE_OK;
}

static yoke_status name_equations(yk_net_part *p, const char **name,
                                  yoke_err *err)
{
    const yk_circuit *c = p->circuit;

    for (int i = 0; i < p->n; i++) {
        const int v = p->variable[i];
        YK_TRY(write_name(p, &name[i],
                          v < c->nodes ? "currents at the node of %s"
                                       : "law of the branch of %s",
                          c->name[v], err));
    }
    return YOKE_OK;
}

static bool is_probe(const yk_circuit *c, int variable)
{
    return yk_net_is_probe(c->net, variable) && c->name[variable][0] != 'v';
}

static const char *unit_of(const yk_circuit *c, int variable)
{
    if (yk_circuit_is_rate(c, variable)) return NULL;
    return variable < c->nodes && !is_probe(c, variable) ? "V" : "A";
}

/* "part2.v(a)" */
static yoke_status name_copy(yk_net_part *p, const char **out, const char *part,
                             const char *name, yoke_err *err)
{
    return yk_arena_print(&p->arena, out, err, "%s.%s", part, name);
}

/* Sources that are constant or made of straight lines hide nothing between
 * their corners; sines and the like, and expressions of time, may. */
static bool is_timeless(const yk_net_part *p)
{
    for (int k = 0; k < p->drivens; k++)
        if (!yk_source_is_straight(p->driven[k].source)) return false;
    for (int k = 0; k < p->sources; k++)
        if (!yk_source_is_straight(p->source[k].source)) return false;
    for (int k = 0; k < p->functions; k++)
        if (p->function[k].expr && p->function[k].expr->uses_time) return false;
    return true;
}

/* Sources whose values are inputs, sums of voltages, functions of time. */
static bool is_affine(const yk_net_part *p)
{
    if (p->devices + p->switches > 0) return false;
    for (int k = 0; k < p->functions; k++) {
        const yk_part_function *fn = &p->function[k];
        if (fn->law != YK_LAW_CURRENT && fn->law != YK_LAW_VOLTAGE)
            return false;
        if (fn->expr && !yk_net_expr_is_affine(fn->expr)) return false;
        if (fn->coef && fn->coefs > 1 + fn->dimensions) return false;
    }
    return true;
}

/* The branches that belong to x0 and, until inputs are known, 0. */
static yoke_status settle_at(yk_net_part *p, const double *x0, yoke_err *err)
{
    double *u = NULL;

    if (p->holds == 0) return YOKE_OK;
    YK_TRY(yk_doubles(&u, (size_t)p->m + 1, err));
    yk_part_settle(p, 0.0, x0, u);
    yk_free(u);
    return YOKE_OK;
}

static yoke_status describe(yk_net_part *p, const char *name,
                            const yk_net_part_spec *spec,
                            yoke_system_info *info, yoke_err *err)
{
    const yk_circuit *c = p->circuit;
    const char **x_name = NULL, **u_name = NULL, **y_name = NULL;
    const char **eq_name = NULL, **x_unit = NULL, **y_unit = NULL;
    double *x0 = NULL, *nominal = NULL;

    YK_TRY(YK_TAKE(&p->arena, &x_name, p->n + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &eq_name, p->n + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &u_name, p->m + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &y_name, p->outputs + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &x_unit, p->n + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &y_unit, p->outputs + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &x0, p->n + 1, err));
    YK_TRY(YK_TAKE(&p->arena, &nominal, p->n + 1, err));
    p->holding = true;
    if (spec->cell) YK_TRY(yk_part_tell_cells(p, spec, err));
    YK_TRY(name_inputs(p, spec, u_name, err));
    YK_TRY(name_equations(p, eq_name, err));
    for (int i = 0; i < p->n; i++) {
        const int v = p->variable[i];
        x_name[i] = c->name[v];
        if (i >= p->n - p->rates - spec->copies)
            YK_TRY(name_copy(p, &x_name[i], name, c->name[v], err));
        x0[i] = spec->start ? spec->start[v] : 0.0;
        nominal[i] = yk_circuit_is_rate(c, v)          ? rate_size
                     : v < c->nodes && !is_probe(c, v) ? 1.0
                                                       : current_size;
        x_unit[i] = unit_of(c, v);
    }
    for (int k = 0; k < p->outputs; k++) {
        y_name[k] = c->name[spec->output[k]];
        y_unit[k] = unit_of(c, spec->output[k]);
    }
    YK_TRY(yk_part_find_courses(p, err));
    if (!spec->whole) YK_TRY(settle_at(p, x0, err));
    *info = (yoke_system_info){
        .n = p->n,
        .m = p->m,
        .p = p->outputs,
        .flags = YOKE_PARALLEL | (spec->dotted ? 0u : YOKE_OWN_NAMES) |
                 (p->settles ? YOKE_LIMITS : 0u) |
                 (is_timeless(p) ? YOKE_TIMELESS : 0u) |
                 (is_affine(p) ? YOKE_AFFINE : 0u),
        .memory_bytes = yk_part_memory(p),
        .events = yk_part_event_count(p),
        .event = yk_part_event_count(p) ? &yk_part_events : NULL,
        .help = &yk_part_help,
        .cells = p->cells.count > 0 ? &p->cells : NULL,
        .courses = yk_courses_tell(&p->courses),
        .x0 = x0,
        .nominal = nominal,
        .x_name = x_name,
        .u_name = u_name,
        .y_name = y_name,
        .x_unit = x_unit,
        .y_unit = y_unit,
        .eq_name = eq_name,
        .C = p->pattern_C,
        .G = p->pattern_G,
        .Cu = p->pattern_Cu,
        .Gu = p->pattern_Gu,
        .Hx = p->pattern_Hx,
    };
    return YOKE_OK;
}

yoke_status yk_part_make(yoke_system **out, yk_net_part **part,
                         const char *name, yk_circuit *circuit,
                         const yk_net_part_spec *spec, yoke_err *err)
{
    yk_net_part *p = NULL;
    yoke_system_info info;

    YK_TRY(yk_net_part_create(&p, circuit, spec, err));
    yoke_status status = describe(p, name, spec, &info, err);
    if (status == YOKE_OK && spec->cell)
        status = write_name(p, &p->name, "%s", name, err);
    if (status != YOKE_OK) {
        yk_part_free(p);
        return status;
    }
    YK_TRY(yoke_system_create(out, name,
                              yk_part_event_count(p) ? &yk_part_event_system_ops
                                                     : &yk_part_ops,
                              p, &info, err));
    if (part) *part = p;
    return YOKE_OK;
}
