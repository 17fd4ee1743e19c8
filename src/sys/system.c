/* sys/system.c -- a subsystem: facts copied, callbacks called with care. */
#include "sys/system.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names -------------------------------------------------------------- */

typedef struct name_list {
    const char *const *given;
    const char *letter; /* of the default names */
    int count;
    char **copy;
} name_list;

static size_t name_bytes(const name_list *list, int i)
{
    return list->given ? strlen(list->given[i]) + 1 : strlen(list->letter) + 12;
}

typedef struct named {
    const char *name;
    int index;
} named;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    const int order = strcmp(x->name, y->name);

    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static yoke_status check_repeats(const char *what, const name_list *list,
                                 yoke_err *err)
{
    named *sorted = NULL;
    yoke_status status = YOKE_OK;

    YK_TRY(YK_NEW(&sorted, list->count, err));
    for (int i = 0; i < list->count; i++)
        sorted[i] = (named){ list->given[i], i };
    qsort(sorted, (size_t)list->count, sizeof *sorted, by_name);
    for (int i = 1; i < list->count && status == YOKE_OK; i++)
        if (strcmp(sorted[i - 1].name, sorted[i].name) == 0)
            status = yk_fail(
                err, YOKE_E_ARG, "%s %d and %d have the same name \"%s\"", what,
                sorted[i - 1].index + 1, sorted[i].index + 1, sorted[i].name);
    yk_free(sorted);
    return status;
}

static yoke_status check_names(const char *what, const name_list *list,
                               yoke_err *err)
{
    if (!list->given) return YOKE_OK;
    for (int i = 0; i < list->count; i++)
        if (!list->given[i] || !list->given[i][0])
            return yk_fail(err, YOKE_E_ARG, "%s: number %d has no name", what,
                           i + 1);
    return check_repeats(what, list, err);
}

static char *write_names(name_list *list, char *text)
{
    for (int i = 0; i < list->count; i++) {
        const size_t room = name_bytes(list, i);
        list->copy[i] = text;
        if (list->given)
            memcpy(text, list->given[i], room);
        else
            snprintf(text, room, "%s%d", list->letter, i + 1);
        text += room;
    }
    return text;
}

static yoke_status copy_names(yoke_system *s, const yoke_system_info *info,
                              yoke_err *err)
{
    const bool same = !s->ops->output && !info->y_name;
    name_list list[4] = {
        { info->x_name, "x", s->info.n, NULL },
        { info->u_name, "u", s->info.m, NULL },
        { same ? info->x_name : info->y_name, same ? "x" : "y", s->info.p,
          NULL },
        { info->eq_name, "equation ", s->info.n, NULL },
    };
    static const char *const what[4] = { "unknowns", "inputs", "outputs",
                                         "equations" };
    size_t bytes = 1;

    for (int k = 0; k < 4; k++) {
        YK_TRY(check_names(what[k], &list[k], err));
        for (int i = 0; i < list[k].count; i++)
            bytes += name_bytes(&list[k], i);
    }
    YK_TRY(yk_alloc((void **)&s->names, bytes, 1, err));
    char *text = s->names;
    for (int k = 0; k < 4; k++) {
        YK_TRY(YK_NEW(&list[k].copy, list[k].count, err));
        const char *const *names = (const char *const *)list[k].copy;
        if (k == 0) s->info.x_name = names;
        if (k == 1) s->info.u_name = names;
        if (k == 2) s->info.y_name = names;
        if (k == 3) s->info.eq_name = names;
        text = write_names(&list[k], text);
    }
    return YOKE_OK;
}

/* ---- numbers and patterns ----------------------------------------------- */

static yoke_status copy_values(yoke_system *s, const yoke_system_info *info,
                               yoke_err *err)
{
    const int n = s->info.n;
    double *x0 = NULL, *nominal = NULL;
    int at = 0;

    YK_TRY(yk_doubles(&x0, (size_t)n, err));
    s->info.x0 = x0;
    YK_TRY(yk_doubles(&nominal, (size_t)n, err));
    s->info.nominal = nominal;
    for (int i = 0; i < n; i++) {
        x0[i] = info->x0 ? info->x0[i] : 0.0;
        nominal[i] = info->nominal ? info->nominal[i] : 1.0;
        if (!(nominal[i] > 0.0) || !isfinite(nominal[i]))
            return yk_fail(err, YOKE_E_ARG,
                           "nominal value of %s is %g, it "
                           "must be positive",
                           s->info.x_name[i], nominal[i]);
    }
    if (!yk_all_finite(x0, n, &at))
        return yk_fail(err, YOKE_E_ARG, "initial value of %s is %g",
                       s->info.x_name[at], x0[at]);
    return YOKE_OK;
}

typedef struct pattern_slot {
    const char *name;
    const yoke_pattern *given;
    const yoke_pattern **own;
    int rows, cols;
    bool identity, empty; /* known without asking */
} pattern_slot;

static bool is_identity(const yoke_pattern *p)
{
    if (yoke_pattern_count(p) != p->cols) return false;
    for (int j = 0; j < p->cols; j++)
        if (p->start[j] != j || p->row[j] != j) return false;
    return true;
}

/* A pattern given for a matrix that is known anyway must agree: the callback
 * writes into an array of the known size. */
static yoke_status check_known(const pattern_slot *slot, yoke_err *err)
{
    if (slot->identity && !is_identity(slot->given))
        return yk_fail(err, YOKE_E_ARG,
                       "pattern %s must be the identity (or NULL) because %s",
                       slot->name, slot->name[0] == 'C' ? "q = x" : "y = x");
    if (slot->empty && yoke_pattern_count(slot->given) > 0)
        return yk_fail(err, YOKE_E_ARG,
                       "pattern %s must be empty (or NULL) because %s",
                       slot->name, slot->name[0] == 'C' ? "q = x" : "y = x");
    return YOKE_OK;
}

static yoke_status copy_pattern(yoke_system *s, const pattern_slot *slot,
                                yoke_err *err)
{
    yoke_pattern *p = NULL;

    if (slot->given) {
        YK_TRY(yk_pattern_check(slot->given, slot->name, slot->rows, slot->cols,
                                err));
        YK_TRY(check_known(slot, err));
    }
    if (slot->identity)
        YK_TRY(yoke_pattern_identity(&p, slot->rows, err));
    else if (slot->given) {
        YK_TRY(yk_pattern_copy(&p, slot->given, err));
    } else if (slot->empty || s->ops->jacobian || slot->rows == 0 ||
               slot->cols == 0)
        YK_TRY(yoke_pattern_empty(&p, slot->rows, slot->cols, err));
    *slot->own = p; /* NULL: to be probed */
    return YOKE_OK;
}

static yoke_status copy_patterns(yoke_system *s, const yoke_system_info *info,
                                 yoke_err *err)
{
    const bool ode = !s->ops->eval, same = !s->ops->output;
    const int n = s->info.n, m = s->info.m, p = s->info.p;
    yoke_system_info *own = &s->info;
    const pattern_slot slot[6] = {
        { "C", info->C, &own->C, n, n, ode, false },
        { "G", info->G, &own->G, n, n, false, false },
        { "Cu", info->Cu, &own->Cu, n, m, false, ode },
        { "Gu", info->Gu, &own->Gu, n, m, false, false },
        { "Hx", info->Hx, &own->Hx, p, n, same, false },
        { "Hu", info->Hu, &own->Hu, p, m, false, same },
    };

    for (int k = 0; k < 6; k++) YK_TRY(copy_pattern(s, &slot[k], err));
    return yk_probe_patterns(s, err);
}

static yoke_status check_sizes(const yoke_system_ops *ops,
                               const yoke_system_info *info, yoke_err *err)
{
    const int limit = INT_MAX / 4;

    if (!ops->eval && !ops->rhs && info->n > 0)
        return yk_fail(err, YOKE_E_ARG, "neither eval nor rhs is given");
    if (info->n < 0 || info->n > limit || info->m < 0 || info->m > limit ||
        info->p < 0 || info->p > limit)
        return yk_fail(err, YOKE_E_ARG,
                       "n = %d, m = %d, p = %d are not all "
                       "between 0 and %d",
                       info->n, info->m, info->p, limit);
    if (!ops->output && info->p != 0 && info->p != info->n)
        return yk_fail(err, YOKE_E_ARG,
                       "p = %d without an output callback; "
                       "then y = x and p is 0 (not given) or %d",
                       info->p, info->n);
    if (info->flags & ~(YOKE_AFFINE | YOKE_LINEAR | YOKE_OWN_NAMES |
                        YOKE_LIMITS | YOKE_ITERATED | YOKE_TIMELESS))
        return yk_fail(err, YOKE_E_ARG, "flags = %#x has unknown bits",
                       info->flags);
    if ((info->flags & YOKE_LIMITS) && !(ops->settled && ops->limit))
        return yk_fail(err, YOKE_E_ARG,
                       "YOKE_LIMITS needs the callbacks settled and limit");
    if (info->positions < 0 || info->positions > info->n / 2)
        return yk_fail(err, YOKE_E_ARG,
                       "positions = %d is not between 0 and "
                       "n / 2 = %d",
                       info->positions, info->n / 2);
    if (!ops->save != !ops->restore)
        return yk_fail(err, YOKE_E_ARG,
                       "save and restore must be given "
                       "together");
    if (info->memory_bytes && !ops->save)
        return yk_fail(err, YOKE_E_ARG,
                       "memory_bytes = %zu without save and "
                       "restore",
                       info->memory_bytes);
    return YOKE_OK;
}

static yoke_status check_events(const yoke_system_info *info, yoke_err *err)
{
    const int limit = INT_MAX / 4;

    if (info->events < 0 || info->events > limit)
        return yk_fail(err, YOKE_E_ARG, "events = %d is not between 0 and %d",
                       info->events, limit);
    if (info->events == 0) return YOKE_OK;
    if (!info->event || !info->event->indicate || !info->event->apply)
        return yk_fail(err, YOKE_E_ARG,
                       "events = %d without indicate and apply", info->events);
    return YOKE_OK;
}

/* Every unknown is at most one of these. */
static yoke_status check_positions(const yoke_system *s, const int (*pair)[2],
                                   yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *taken = NULL;

    YK_TRY(YK_NEW(&taken, s->info.n, err));
    for (int k = 0; status == YOKE_OK && k < 2 * s->info.positions; k++) {
        const int at = pair[k / 2][k % 2];
        if (at < 0 || at >= s->info.n)
            status = yk_fail(err, YOKE_E_ARG,
                             "unknown %d is no position or velocity: there are "
                             "%d unknowns",
                             at, s->info.n);
        else if (taken[at])
            status = yk_fail(err, YOKE_E_ARG,
                             "unknown %d is a position or velocity twice", at);
        else
            taken[at] = true;
    }
    yk_free(taken);
    return status;
}

static yoke_status copy_positions(yoke_system *s, const yoke_system_info *info,
                                  yoke_err *err)
{
    int(*pair)[2] = NULL;

    YK_TRY(YK_NEW(&pair, info->positions, err));
    s->info.position = (const int(*)[2])pair;
    for (int k = 0; k < info->positions; k++) {
        pair[k][0] = info->position ? info->position[k][0] : k;
        pair[k][1] =
            info->position ? info->position[k][1] : info->positions + k;
    }
    return check_positions(s, s->info.position, err);
}

static yoke_status build(yoke_system *s, const yoke_system_info *info,
                         yoke_err *err)
{
    YK_TRY(check_sizes(s->ops, info, err));
    YK_TRY(check_events(info, err));
    s->info.n = info->n;
    s->info.m = info->m;
    s->info.p = s->ops->output ? info->p : info->n;
    s->info.flags = info->flags;
    if (info->flags & YOKE_AFFINE) s->info.flags |= YOKE_LINEAR;
    s->info.positions = info->positions;
    s->info.memory_bytes = info->memory_bytes;
    s->info.events = info->events;
    s->info.event = info->event;
    s->info.initial = info->initial;
    s->info.project = info->project;
    s->info.bound = info->bound;
    s->info.cells = info->cells;
    s->info.at_events = info->at_events;
    s->info.ports = info->ports;
    s->info.courses = info->courses;
    s->info.curves = info->curves;
    YK_TRY(copy_names(s, info, err));
    YK_TRY(copy_values(s, info, err));
    YK_TRY(copy_positions(s, info, err));
    YK_TRY(copy_patterns(s, info, err));
    s->differenced = !s->ops->jacobian;
    if (!s->ops->jacobian) YK_TRY(yk_difference_create(&s->difference, s, err));
    if (info->memory_bytes == 0) return YOKE_OK;
    YK_TRY(yk_alloc(&s->initial, info->memory_bytes, 1, err));
    s->ops->save(s->self, s->initial);
    return YOKE_OK;
}

yoke_status yoke_system_create(yoke_system **out, const char *name,
                               const yoke_system_ops *ops, void *self,
                               const yoke_system_info *info, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_system *s = NULL;

    if (!ops || !info) {
        if (ops && ops->free) ops->free(self);
        return yk_fail(err, YOKE_E_ARG, "subsystem \"%s\": %s is NULL",
                       name ? name : "unnamed", ops ? "info" : "ops");
    }
    status = YK_NEW(&s, 1, err);
    if (status != YOKE_OK) {
        if (ops->free) ops->free(self);
        return status;
    }
    s->ops = ops;
    s->self = self;
    YK_GO(yk_copy_text(&s->name, name ? name : "unnamed", err));
    YK_GO(build(s, info, err));
    *out = s;
    return YOKE_OK;
done:
    yk_prefix(err, "subsystem \"%s\"", name ? name : "unnamed");
    yoke_system_free(s);
    return status;
}

static void free_const(const void *block)
{
    yk_free((void *)(size_t)block);
}

static void free_pattern(const yoke_pattern *pattern)
{
    yoke_pattern_free((yoke_pattern *)(size_t)pattern);
}

/* Composites call their members no more once they are gone. */
static void free_parts(yoke_system *const *part, int parts)
{
    for (int i = 0; i < parts; i++) yoke_system_free(part[i]);
}

void yoke_system_free(yoke_system *s)
{
    if (!s) return;
    free_parts(s->part, s->parts);
    yk_free(s->part);
    yk_difference_free(s->difference);
    yk_free(s->own);
    yk_free(s->weight);
    free_const(s->info.x0);
    free_const(s->info.nominal);
    free_const(s->info.position);
    free_const(s->info.x_name);
    free_const(s->info.u_name);
    free_const(s->info.y_name);
    free_const(s->info.eq_name);
    free_pattern(s->info.C);
    free_pattern(s->info.G);
    free_pattern(s->info.Cu);
    free_pattern(s->info.Gu);
    free_pattern(s->info.Hx);
    free_pattern(s->info.Hu);
    yk_profiles_free(s);
    yk_derived_free(s->derived);
    yk_free(s->initial);
    yk_free(s->names);
    yk_free(s->name);
    if (s->ops->free) s->ops->free(s->self);
    yk_free(s);
}

/* ---- calls -------------------------------------------------------------- */

const yoke_system_info *yoke_system_facts(const yoke_system *system)
{
    return &system->info;
}

const char *yoke_system_name(const yoke_system *system)
{
    return system->name;
}

const char *yoke_system_kind(const yoke_system *system)
{
    return system->ops->kind ? system->ops->kind : "user";
}

bool yoke_system_has_rhs(const yoke_system *system)
{
    return system->ops->rhs != NULL;
}

/* A callback may fail without a message. */
static yoke_status failed(const yoke_system *s, double t, yoke_status status,
                          const char *what, yoke_err *err)
{
    if (err && (err->status != status || !err->text[0]))
        yk_fail(err, status, "%s returned \"%s\"", what,
                yoke_status_text(status));
    yk_prefix(err, "subsystem \"%s\", t = %.9g", s->name, t);
    return status;
}

static yoke_status not_finite(const yoke_system *s, double t, const char *what,
                              const char *name, double value, yoke_err *err)
{
    return yk_fail(err, YOKE_RETRY,
                   "subsystem \"%s\", t = %.9g: %s of \"%s\" "
                   "is %g",
                   s->name, t, what, name, value);
}

static yoke_status check_finite(const yoke_system *s, double t,
                                const char *what, const char *const *name,
                                const double *v, int n, yoke_err *err)
{
    int at = 0;

    if (!v || yk_all_finite(v, n, &at)) return YOKE_OK;
    return not_finite(s, t, what, name[at], v[at], err);
}

/* A stale message in err must not be taken for the callback's. */
static void forget(yoke_err *err)
{
    if (!err) return;
    err->status = YOKE_OK;
    err->text[0] = '\0';
}

yoke_status yk_system_eval_raw(yoke_system *s, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    const int n = s->info.n;
    yoke_status status = YOKE_OK;

    forget(err);
    if (s->ops->eval)
        status = s->ops->eval(s->self, t, x, u, q, f, err);
    else {
        if (f && n > 0) {
            status = s->ops->rhs(s->self, t, x, u, f, err);
            for (int i = 0; i < n; i++) f[i] = -f[i];
        }
        if (q && n > 0) memcpy(q, x, (size_t)n * sizeof *q);
    }
    return status == YOKE_OK ? YOKE_OK : failed(s, t, status, "eval", err);
}

yoke_status yoke_system_eval(yoke_system *s, double t, const double *x,
                             const double *u, double *q, double *f,
                             yoke_err *err)
{
    YK_TRY(yk_system_eval_raw(s, t, x, u, q, f, err));
    YK_TRY(check_finite(s, t, "q", s->info.eq_name, q, s->info.n, err));
    return check_finite(s, t, "f", s->info.eq_name, f, s->info.n, err);
}

yoke_status yk_system_output_raw(yoke_system *s, double t, const double *x,
                                 const double *u, double *y, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    forget(err);
    if (s->ops->output)
        status = s->ops->output(s->self, t, x, u, y, err);
    else if (s->info.n > 0)
        memcpy(y, x, (size_t)s->info.n * sizeof *y);
    return status == YOKE_OK ? YOKE_OK : failed(s, t, status, "output", err);
}

yoke_status yoke_system_output(yoke_system *s, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    YK_TRY(yk_system_output_raw(s, t, x, u, y, err));
    return check_finite(s, t, "value", s->info.y_name, y, s->info.p, err);
}

yoke_status yoke_system_rhs(yoke_system *s, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    if (!s->ops->rhs)
        return yk_fail(err, YOKE_E_MISSING,
                       "subsystem \"%s\" has no explicit "
                       "right-hand side",
                       s->name);
    forget(err);
    const yoke_status status = s->ops->rhs(s->self, t, x, u, xdot, err);
    if (status != YOKE_OK) return failed(s, t, status, "rhs", err);
    return check_finite(s, t, "derivative", s->info.x_name, xdot, s->info.n,
                        err);
}

static yoke_status check_matrix(const yoke_system *s, double t,
                                const char *name, const yoke_pattern *p,
                                const double *value, yoke_err *err)
{
    int at = 0, col = 0;

    if (!value || yk_all_finite(value, yoke_pattern_count(p), &at))
        return YOKE_OK;
    while (p->start[col + 1] <= at) col++;
    return yk_fail(err, YOKE_RETRY,
                   "subsystem \"%s\", t = %.9g: Jacobian "
                   "%s(%d, %d) is %g",
                   s->name, t, name, p->row[at] + 1, col + 1, value[at]);
}

static void set_identity(double *value, int n)
{
    for (int i = 0; value && i < n; i++) value[i] = 1.0;
}

static void clear(double *value, const yoke_pattern *p)
{
    if (value) memset(value, 0, (size_t)yoke_pattern_count(p) * sizeof *value);
}

static yoke_status given_jacobian(yoke_system *s, double t, const double *x,
                                  const double *u, const yoke_jacobian *jac,
                                  yoke_err *err)
{
    const yoke_system_info *info = &s->info;

    clear(jac->C, info->C);
    clear(jac->G, info->G);
    clear(jac->Cu, info->Cu);
    clear(jac->Gu, info->Gu);
    clear(jac->Hx, info->Hx);
    clear(jac->Hu, info->Hu);
    forget(err);
    const yoke_status status = s->ops->jacobian(s->self, t, x, u, jac, err);
    if (status != YOKE_OK) return failed(s, t, status, "jacobian", err);
    if (!s->ops->eval) set_identity(jac->C, info->n);
    if (!s->ops->output) set_identity(jac->Hx, info->n);
    return YOKE_OK;
}

yoke_status yoke_system_jacobian(yoke_system *s, double t, const double *x,
                                 const double *u, const yoke_jacobian *jac,
                                 yoke_err *err)
{
    const yoke_system_info *info = &s->info;

    if (s->ops->jacobian)
        YK_TRY(given_jacobian(s, t, x, u, jac, err));
    else
        YK_TRY(yk_difference_jacobian(s->difference, s, t, x, u, jac, err));
    YK_TRY(check_matrix(s, t, "C", info->C, jac->C, err));
    YK_TRY(check_matrix(s, t, "G", info->G, jac->G, err));
    YK_TRY(check_matrix(s, t, "Cu", info->Cu, jac->Cu, err));
    YK_TRY(check_matrix(s, t, "Gu", info->Gu, jac->Gu, err));
    YK_TRY(check_matrix(s, t, "Hx", info->Hx, jac->Hx, err));
    return check_matrix(s, t, "Hu", info->Hu, jac->Hu, err);
}

yoke_status yoke_system_indicate(yoke_system *s, double t, const double *x,
                                 const double *u, double *g, yoke_err *err)
{
    int at = 0;

    if (s->info.events == 0) return YOKE_OK;
    forget(err);
    const yoke_status status =
        s->info.event->indicate(s->self, t, x, u, g, err);
    if (status != YOKE_OK) return failed(s, t, status, "indicate", err);
    if (yk_all_finite(g, s->info.events, &at)) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY,
                   "subsystem \"%s\", t = %.9g: indicator of event %d is %g",
                   s->name, t, at + 1, g[at]);
}

yoke_status yoke_system_begin(yoke_system *s, double t, const double *x,
                              const double *u, bool *happened, yoke_err *err)
{
    for (int k = 0; k < s->info.events; k++) happened[k] = false;
    if (s->info.events == 0 || !s->info.event->begin) return YOKE_OK;
    forget(err);
    const yoke_status status =
        s->info.event->begin(s->self, t, x, u, happened, err);
    return status == YOKE_OK ? YOKE_OK : failed(s, t, status, "begin", err);
}

yoke_status yoke_system_apply(yoke_system *s, double t, const double *x,
                              const double *u, const bool *happened,
                              double *x_new, yoke_err *err)
{
    if (s->info.n > 0) memcpy(x_new, x, (size_t)s->info.n * sizeof *x_new);
    if (s->info.events == 0) return YOKE_OK;
    forget(err);
    const yoke_status status =
        s->info.event->apply(s->self, t, x, u, happened, x_new, err);
    if (status != YOKE_OK) return failed(s, t, status, "apply", err);
    return check_finite(s, t, "value after an event", s->info.x_name, x_new,
                        s->info.n, err);
}

yoke_status yoke_system_meet(yoke_system *s, const yoke_instant *at,
                             double *x_new, yoke_err *err)
{
    if (s->info.events == 0 || !s->info.event->meet) {
        if (at->memory) yoke_system_restore(s, at->memory);
        return yoke_system_apply(s, at->t, at->x, at->u, at->happened, x_new,
                                 err);
    }
    memcpy(x_new, at->x, (size_t)s->info.n * sizeof *x_new);
    forget(err);
    const yoke_status status = s->info.event->meet(s->self, at, x_new, err);
    if (status != YOKE_OK) return failed(s, at->t, status, "meet", err);
    return check_finite(s, at->t, "value after an event", s->info.x_name, x_new,
                        s->info.n, err);
}

yoke_status yoke_system_settle(yoke_system *s, double t, const double *x,
                               const double *u, double *x_new, bool *changed,
                               yoke_err *err)
{
    if (s->info.n > 0) memcpy(x_new, x, (size_t)s->info.n * sizeof *x_new);
    *changed = false;
    if (s->info.events == 0 || !s->info.event->settle) return YOKE_OK;
    forget(err);
    const yoke_status status =
        s->info.event->settle(s->self, t, x, u, x_new, changed, err);
    return status == YOKE_OK ? YOKE_OK : failed(s, t, status, "settle", err);
}

void yoke_system_about(yoke_system *s, int k, yoke_event_about *out)
{
    *out = (yoke_event_about){ .text = NULL };
    if (k >= 0 && k < s->info.events && s->info.event->about)
        s->info.event->about(s->self, k, out);
}

bool yoke_system_remark(yoke_system *s, int k, yoke_remark *out)
{
    return s->info.events > 0 && s->info.event->remark &&
           s->info.event->remark(s->self, k, out);
}

yoke_status yoke_system_project(yoke_system *s, double t, double *x,
                                double missed[2], yoke_err *err)
{
    missed[0] = missed[1] = 0.0;
    if (!s->info.project) return YOKE_OK;
    const yoke_status status = s->info.project(s->self, t, x, missed, err);
    if (status != YOKE_OK)
        yk_prefix(err, "subsystem \"%s\", t = %.9g", s->name, t);
    return status;
}

yoke_status yk_system_weigh(yoke_system *s, const double *weight, yoke_err *err)
{
    yk_free(s->weight);
    s->weight = NULL;
    if (!weight && !s->own) return YOKE_OK;
    YK_TRY(yk_doubles(&s->weight, (size_t)s->info.n + 1, err));
    for (int i = 0; i < s->info.n; i++)
        s->weight[i] = (weight ? weight[i] : 1.0) * (s->own ? s->own[i] : 1.0);
    return YOKE_OK;
}

double yk_system_weight(const yoke_system *s, int i)
{
    return s->weight ? s->weight[i] : 1.0;
}

bool yoke_system_bound(yoke_system *s, const double *x, double *dx)
{
    return s->info.bound && s->info.bound(s->self, x, dx);
}

double yoke_system_next_break(yoke_system *s, double t)
{
    if (!s->ops->next_break) return INFINITY;
    const double next = s->ops->next_break(s->self, t);
    return next > t ? next : INFINITY;
}

void yoke_system_accuracy(yoke_system *s, double rtol)
{
    if (s->ops->accuracy) s->ops->accuracy(s->self, rtol);
}

bool yoke_system_limits(const yoke_system *s)
{
    return s->info.flags & YOKE_LIMITS;
}

void yoke_system_limit(yoke_system *s, bool on, double t, const double *x,
                       const double *u)
{
    if (s->ops->limit) s->ops->limit(s->self, on, t, x, u);
}

bool yoke_system_settled(yoke_system *s, double t, const double *x,
                         const double *dx, const double *u, const double *du)
{
    return !s->ops->settled || s->ops->settled(s->self, t, x, dx, u, du);
}

yoke_status yoke_system_part(yoke_system *s, int unknowns, const int *unknown,
                             const double *x, yoke_cell_part *out,
                             yoke_err *err)
{
    return s->info.cells->part(s->self, unknowns, unknown, x, out, err);
}

bool yoke_system_is_still(yoke_system *s, int cell, double t0, double t1)
{
    return s->info.cells->is_still(s->self, cell, t0, t1);
}

bool yoke_system_is_far(yoke_system *s, int cell, double t, const double *x,
                        const double *slack)
{
    return s->info.cells->is_far(s->self, cell, t, x, slack);
}

void yoke_system_absorb(yoke_system *s, const yoke_system *part)
{
    s->info.cells->absorb(s->self, part);
}

void yoke_system_save(yoke_system *s, void *bytes)
{
    if (s->ops->save) s->ops->save(s->self, bytes);
}

void yk_system_reset(yoke_system *s)
{
    if (s->initial) s->ops->restore(s->self, s->initial);
}

void yoke_system_restore(yoke_system *s, const void *bytes)
{
    if (s->ops->restore) s->ops->restore(s->self, bytes);
}

static void mark_rows(const yoke_pattern *p, bool *algebraic)
{
    for (int k = 0; k < yoke_pattern_count(p); k++)
        algebraic[p->row[k]] = false;
}

void yk_system_algebraic_rows(const yoke_system *s, bool *algebraic)
{
    for (int i = 0; i < s->info.n; i++) algebraic[i] = true;
    mark_rows(s->info.C, algebraic);
    mark_rows(s->info.Cu, algebraic);
}

yoke_status yk_jacobian_create(yoke_jacobian *jac, const yoke_system *s,
                               yoke_err *err)
{
    const yoke_system_info *info = &s->info;
    const yoke_pattern *const pattern[6] = { info->C,  info->G,  info->Cu,
                                             info->Gu, info->Hx, info->Hu };
    double **const value[6] = { &jac->C,  &jac->G,  &jac->Cu,
                                &jac->Gu, &jac->Hx, &jac->Hu };
    size_t total = 0;
    double *block = NULL;

    for (int k = 0; k < 6; k++) total += (size_t)yoke_pattern_count(pattern[k]);
    YK_TRY(yk_doubles(&block, total, err));
    for (int k = 0; k < 6; k++) {
        *value[k] = block;
        block += yoke_pattern_count(pattern[k]);
    }
    return YOKE_OK;
}
