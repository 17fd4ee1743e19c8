/* sys/system.c -- a subsystem: its facts, checked and copied. */
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

/* `unit` may be NULL, and so may each. */
static yoke_status copy_units(const char *const **out, const char *const *unit,
                              int count, yoke_err *err)
{
    size_t bytes = 0;
    char *text = NULL;
    const char **copy = NULL;

    if (!unit) return YOKE_OK;
    for (int i = 0; i < count; i++) bytes += unit[i] ? strlen(unit[i]) + 1 : 0;
    /* the texts stand behind the pointers */
    YK_TRY(yk_alloc((void **)&copy, (size_t)count * sizeof *copy + bytes + 1, 1,
                    err));
    text = (char *)(copy + count);
    for (int i = 0; i < count; i++) {
        if (!unit[i]) continue;
        strcpy(text, unit[i]);
        copy[i] = text;
        text += strlen(text) + 1;
    }
    *out = copy;
    return YOKE_OK;
}

static yoke_status copy_aliases(yoke_system *s, const yoke_aliases *from,
                                yoke_err *err)
{
    yoke_aliases *to = NULL;
    int *unknown = NULL;
    double *factor = NULL;

    if (!from || from->count < 1) return YOKE_OK;
    YK_TRY(YK_NEW(&to, 1, err));
    s->info.aliases = to;
    YK_TRY(copy_units(&to->name, from->name, from->count, err));
    YK_TRY(copy_units(&to->unit, from->unit, from->count, err));
    YK_TRY(yk_copy_ints(&unknown, from->unknown, (size_t)from->count, err));
    to->unknown = unknown;
    YK_TRY(yk_doubles(&factor, (size_t)from->count, err));
    memcpy(factor, from->factor, (size_t)from->count * sizeof *factor);
    to->factor = factor;
    to->count = from->count;
    return YOKE_OK;
}

/* ---- numbers and patterns ----------------------------------------------- */

static yoke_status copy_guesses(yoke_system *s, const yoke_system_info *info,
                                yoke_err *err)
{
    bool *guess = NULL;

    s->info.guess = NULL;
    if (!info->guess) return YOKE_OK;
    YK_TRY(YK_NEW(&guess, s->info.n, err));
    for (int i = 0; i < s->info.n; i++) guess[i] = info->guess[i];
    s->info.guess = guess;
    return YOKE_OK;
}

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
    return copy_guesses(s, info, err);
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
        YK_TRY(yk_pattern_identity(&p, slot->rows, err));
    else if (slot->given) {
        YK_TRY(yk_pattern_copy(&p, slot->given, err));
    } else if (slot->empty || s->ops->jacobian || slot->rows == 0 ||
               slot->cols == 0)
        YK_TRY(yk_pattern_empty(&p, slot->rows, slot->cols, err));
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
                        YOKE_LIMITS | YOKE_ITERATED | YOKE_TIMELESS |
                        YOKE_HIDDEN | YOKE_PARALLEL | YOKE_REENTRANT))
        return yk_fail(err, YOKE_E_ARG, "flags = %#x has unknown bits",
                       info->flags);
    if ((info->flags & YOKE_REENTRANT) && !(info->flags & YOKE_PARALLEL))
        return yk_fail(err, YOKE_E_ARG, "YOKE_REENTRANT needs YOKE_PARALLEL");
    if ((info->flags & YOKE_LIMITS) &&
        !(info->help && info->help->settled && info->help->limit))
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
                             "unknown %d is not a position or velocity: there "
                             "are %d unknowns",
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

static const yoke_help_ops no_help = { .accuracy = NULL };

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
    s->info.help = info->help ? info->help : &no_help;
    s->info.cells = info->cells;
    s->info.at_events = info->at_events;
    s->info.ports = info->ports;
    s->info.closed = info->closed;
    s->info.courses = info->courses;
    s->info.curves = info->curves;
    YK_TRY(copy_names(s, info, err));
    const bool same = !s->ops->output && !info->y_unit;
    YK_TRY(copy_units(&s->info.x_unit, info->x_unit, s->info.n, err));
    YK_TRY(copy_units(&s->info.y_unit, same ? info->x_unit : info->y_unit,
                      s->info.p, err));
    YK_TRY(copy_aliases(s, info->aliases, err));
    YK_TRY(copy_values(s, info, err));
    YK_TRY(copy_positions(s, info, err));
    YK_TRY(copy_patterns(s, info, err));
    s->differenced = !s->ops->jacobian && s->info.n + s->info.m > 0;
    if (!s->ops->jacobian) YK_TRY(yk_difference_create(&s->difference, s, err));
    if (info->memory_bytes == 0) return YOKE_OK;
    YK_TRY(yk_alloc(&s->initial, info->memory_bytes, 1, err));
    s->ops->save(s->self, s->initial);
    return YOKE_OK;
}

void yk_system_parallel(yoke_system *system)
{
    system->info.flags |= YOKE_PARALLEL;
}

void yk_system_solves(yoke_system *system, double inside)
{
    system->inside = inside;
}

void yk_system_foreign(yoke_system *system)
{
    system->foreign = true;
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
    YK_FREE(s->own, s->weight);
    free_const(s->info.x0);
    free_const(s->info.nominal);
    free_const(s->info.guess);
    free_const(s->info.position);
    free_const(s->info.x_name);
    free_const(s->info.u_name);
    free_const(s->info.y_name);
    free_const(s->info.eq_name);
    if (s->info.aliases) {
        free_const(s->info.aliases->name);
        free_const(s->info.aliases->unit);
        free_const(s->info.aliases->unknown);
        free_const(s->info.aliases->factor);
    }
    free_const(s->info.aliases);
    free_const(s->info.x_unit);
    free_const(s->info.y_unit);
    free_pattern(s->info.C);
    free_pattern(s->info.G);
    free_pattern(s->info.Cu);
    free_pattern(s->info.Gu);
    free_pattern(s->info.Hx);
    free_pattern(s->info.Hu);
    yk_profiles_free(s);
    yk_derived_free(s->derived);
    YK_FREE(s->initial, s->names, s->name);
    if (s->ops->free) s->ops->free(s->self);
    yk_free(s);
}

yoke_status yk_no_equations(void *self, double t, const double *x,
                            const double *u, double *q, double *f,
                            yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)q, (void)f, (void)err;
    return YOKE_OK;
}

/* ---- facts -------------------------------------------------------------- */

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

yoke_status yk_system_put_weights(yoke_system *s, const double *weight,
                                  yoke_err *err)
{
    const size_t n = (size_t)s->info.n;

    yk_free(s->weight);
    s->weight = NULL;
    if (!weight) return YOKE_OK;
    YK_TRY(yk_doubles(&s->weight, n + 1, err));
    memcpy(s->weight, weight, n * sizeof *weight);
    return YOKE_OK;
}

double yk_system_weight(const yoke_system *s, int i)
{
    return s->weight ? s->weight[i] : 1.0;
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
