/* comp/equation/compile.c -- all passes of the back end in their order. */
#include "comp/equation/compile.h"

#include "comp/equation/structure/chart.h"
#include "comp/equation/code/code_c.h"
#include "comp/equation/events/courses.h"
#include "comp/equation/events/events.h"
#include "comp/equation/structure/reduce.h"
#include "comp/equation/code/subsystem.h"

#include "base/text.h"
#include "yoke/optional.h"

#include <stdio.h>
#include <string.h>

/* ---- Names -------------------------------------------------------------- */

/* Texts one after the other, and pointers to them. */
typedef struct names {
    char *text;
    size_t room, used;
    size_t *offset;
    const char **name;
    int count;
} names;

static void names_free(names *n)
{
    YK_FREE(n->text, n->offset, (void *)n->name);
}

static yoke_status names_create(names *n, int count, yoke_err *err)
{
    *n = (names){ 0 };
    YK_TRY(YK_NEW(&n->offset, count, err));
    return YK_NEW(&n->name, count, err);
}

static yoke_status add_name(names *n, const char *text, yoke_err *err)
{
    const size_t length = strlen(text) + 1;

    YK_TRY(yk_grow((void **)&n->text, &n->room, n->used + length, 1, err));
    memcpy(n->text + n->used, text, length);
    n->offset[n->count++] = n->used;
    n->used += length;
    return YOKE_OK;
}

static void finish_names(names *n)
{
    for (int k = 0; k < n->count; k++) n->name[k] = n->text + n->offset[k];
}

static yoke_status name_unknowns(names *n, const yk_subsystem *s, yoke_err *err)
{
    YK_TRY(names_create(n, s->layout.n, err));
    for (int j = 0; j < s->layout.n; j++) {
        char name[YK_NAME_SIZE];
        yk_layout_name(&s->layout, &s->model, j, name);
        YK_TRY(add_name(n, name, err));
    }
    finish_names(n);
    return YOKE_OK;
}

static yoke_status name_elements(names *n, const yk_model *m, int count,
                                 const int *element, yoke_err *err)
{
    YK_TRY(names_create(n, count, err));
    for (int k = 0; k < count; k++) {
        char name[YK_NAME_SIZE];
        yk_element_name(m, element[k], 0, name);
        YK_TRY(add_name(n, name, err));
    }
    finish_names(n);
    return YOKE_OK;
}

/* A row of a chart, by its first unknown. */
static void name_combination(const yk_charts *charts, const names *x, int row,
                             char out[YK_NAME_SIZE])
{
    int k = charts->count - 1;

    while (charts->chart[k].first > row) k--;
    const yk_chart *c = &charts->chart[k];
    snprintf(out, YK_NAME_SIZE, "state %d among %.100s, ...",
             row - c->first + 1, x->name[c->state[0]]);
}

static yoke_status name_rows(names *n, const yk_subsystem *s, const names *x,
                             yoke_err *err)
{
    const yk_layout *l = &s->layout;

    YK_TRY(names_create(n, l->n, err));
    for (int i = 0; i < l->n; i++) {
        char name[YK_NAME_SIZE];
        if (i < l->rows)
            yk_eq_row_name(&s->model, &s->model.equation, i, name);
        else if (i < l->rows + l->links)
            snprintf(name, sizeof name, "definition of %s",
                     x->name[l->rate[i - l->rows]]);
        else
            name_combination(s->model.charts, x, i, name);
        YK_TRY(add_name(n, name, err));
    }
    finish_names(n);
    return YOKE_OK;
}

/* ---- The system --------------------------------------------------------- */

static yoke_status nominal_values(const yk_subsystem *s, double *nominal)
{
    const yk_model *m = &s->model;

    for (int j = 0; j < s->layout.n; j++) {
        int e, order;
        yk_slot_owner(m, s->layout.x_slot[j], &e, &order);
        const yk_flat_variable *v = &m->flat->variable[m->owner[e]];
        const double size =
            v->nominal ? v->nominal[e - m->base[m->owner[e]]] : 0;
        nominal[j] = size > 0 ? size : size < 0 ? -size : 1.0;
    }
    return YOKE_OK;
}

/* The unit of a derivative: m is m/s, and m/s is m/s2. */
static void write_rate(const char *unit, int order, char *text, size_t size)
{
    const size_t length = strlen(unit);
    const bool squared = length > 3 && strcmp(unit + length - 3, "/s2") == 0;
    const bool per = length > 2 && strcmp(unit + length - 2, "/s") == 0;
    const int keep = (int)(length - (squared ? 3 : per ? 2 : 0));
    const int power = order + (squared ? 2 : per ? 1 : 0);

    if (power == 1)
        snprintf(text, size, "%.*s/s", keep, unit);
    else
        snprintf(text, size, "%.*s/s%d", keep, unit, power);
}

/* As declared; derivatives are per second, and again. */
static yoke_status name_units(names *n, const yk_subsystem *s, int count,
                              const int *slot, yoke_err *err)
{
    const yk_model *m = &s->model;

    YK_TRY(names_create(n, count, err));
    for (int j = 0; j < count; j++) {
        int e = 0, order = 0;
        char text[YK_NAME_SIZE];
        yk_slot_owner(m, slot[j], &e, &order);
        const char *unit = m->flat->variable[m->owner[e]].unit;
        if (!unit || order > 2)
            text[0] = '\0';
        else if (order == 0 || !unit[0])
            snprintf(text, sizeof text, "%s", unit);
        else
            write_rate(unit, order, text, sizeof text);
        YK_TRY(add_name(n, text, err));
    }
    finish_names(n);
    return YOKE_OK;
}

/* Variables that are an unknown, up to its sign, or constant. */
typedef struct removed {
    names name, unit;
    int count, *unknown;
    double *factor;
} removed;

static void removed_free(removed *r)
{
    names_free(&r->name);
    names_free(&r->unit);
    YK_FREE(r->unknown, r->factor);
}

/* Takes element e, whose value is that of unknown `at`, or constant. */
static yoke_status add_removed(removed *r, const yk_model *m, int e, int at,
                               yoke_err *err)
{
    const char *unit = m->flat->variable[m->owner[e]].unit;
    char name[YK_NAME_SIZE];

    yk_element_name(m, e, 0, name);
    YK_TRY(add_name(&r->name, name, err));
    YK_TRY(add_name(&r->unit, unit ? unit : "", err));
    r->unknown[r->count] = at;
    r->factor[r->count++] = at < 0 ? m->value[e] : m->sign[e];
    return YOKE_OK;
}

/* Those of inputs are not told: nobody records inputs. */
static yoke_status find_removed(removed *r, const yk_subsystem *s,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_model *m = &s->model;
    int *at = NULL;

    YK_GO(YK_INTS((size_t)m->elements, err, &at, &r->unknown));
    YK_GO(yk_doubles(&r->factor, (size_t)m->elements, err));
    YK_GO(names_create(&r->name, m->elements, err));
    YK_GO(names_create(&r->unit, m->elements, err));
    for (int j = 0; j < s->layout.n; j++)
        if (s->layout.x_slot[j] < m->elements) at[s->layout.x_slot[j]] = j + 1;
    for (int e = 0; e < m->elements; e++) {
        const yk_flat_variable *v = &m->flat->variable[m->owner[e]];
        if (v->kind != YK_FLAT_UNKNOWN) continue;
        if (m->sign[e] == 0)
            YK_GO(add_removed(r, m, e, -1, err));
        else if (m->root[e] != e && at[m->root[e]] > 0)
            YK_GO(add_removed(r, m, e, at[m->root[e]] - 1, err));
    }
    finish_names(&r->name);
    finish_names(&r->unit);
done:
    yk_free(at);
    return status;
}

/* Derivatives and combinations have no declaration that could fix them. */
static void find_guesses(const yk_subsystem *s, bool *guess)
{
    for (int j = 0; j < s->layout.n; j++) {
        const int slot = s->layout.x_slot[j];
        guess[j] = slot >= s->model.elements || !s->model.fixed[slot];
    }
}

/* Takes s, also on failure. */
static yoke_status make_system(yoke_system **out, const char *name,
                               yk_subsystem *s, const double *x0, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_layout *l = &s->layout;
    names x = { 0 }, u = { 0 }, y = { 0 }, rows = { 0 };
    names x_unit = { 0 }, y_unit = { 0 };
    removed gone = { { 0 }, { 0 }, 0, NULL, NULL };
    double *nominal = NULL;
    bool *guess = NULL;

    YK_GO(yk_doubles(&nominal, (size_t)l->n, err));
    YK_GO(YK_NEW(&guess, l->n, err));
    YK_GO(nominal_values(s, nominal));
    find_guesses(s, guess);
    YK_GO(name_unknowns(&x, s, err));
    YK_GO(name_elements(&u, &s->model, l->m, l->u_slot, err));
    YK_GO(name_elements(&y, &s->model, l->p, l->y_element, err));
    YK_GO(name_rows(&rows, s, &x, err));
    YK_GO(name_units(&x_unit, s, l->n, l->x_slot, err));
    YK_GO(name_units(&y_unit, s, l->p, l->y_element, err));
    YK_GO(find_removed(&gone, s, err));
    const yoke_aliases aliases = { gone.count, gone.name.name, gone.unit.name,
                                   gone.unknown, gone.factor };
    const yoke_system_info info = {
        .n = l->n,
        .m = l->m,
        .p = l->p,
        .flags = YOKE_PARALLEL | (l->affine ? YOKE_AFFINE : 0u) |
                 (l->timeless ? YOKE_TIMELESS : 0u),
        .memory_bytes = yk_subsystem_memory(s),
        .events = yk_subsystem_events(s),
        .event =
            yk_subsystem_events(s) || s->note ? &yk_subsystem_event_ops : NULL,
        .help = &yk_subsystem_help_ops,
        .courses = yk_courses_tell(&l->courses),
        .at_events = s->instants.known ? &s->instants.facts : NULL,
        .initial = s->initial ? &yk_subsystem_initial_ops : NULL,
        .curves = yk_curves_tell(s),
        .x0 = x0,
        .nominal = nominal,
        .guess = guess,
        .x_name = x.name,
        .u_name = u.name,
        .y_name = y.name,
        .x_unit = x_unit.name,
        .y_unit = y_unit.name,
        .aliases = &aliases,
        .eq_name = rows.name,
        .C = l->C,
        .G = l->G,
        .Cu = l->Cu,
        .Gu = l->Gu,
        .Hx = l->Hx,
        .Hu = l->Hu,
    };
    s->model.flat = s->model.pool.flat = NULL; /* borrowed until here */
    yk_subsystem *given = s;
    s = NULL;
    status = yoke_system_create(out, name, yk_subsystem_operations(given),
                                given, &info, err);
done:
    yk_subsystem_free(s);
    names_free(&x);
    names_free(&u);
    names_free(&y);
    names_free(&rows);
    names_free(&x_unit);
    names_free(&y_unit);
    removed_free(&gone);
    YK_FREE(nominal, guess);
    return status;
}

/* ---- The passes --------------------------------------------------------- */

yoke_status yk_equation_analyse(yk_model *m, const yk_flat *flat, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_incidence incidence = { 0 };

    YK_GO(yk_eq_model_create(m, flat, err));
    YK_GO(yk_eliminate_aliases(m, err));
    YK_GO(yk_incidence_create(&incidence, m, err));
    YK_GO(yk_check_structure(m, &incidence, err));
    YK_GO(yk_reduce(m, &incidence, err));
done:
    yk_incidence_free(&incidence);
    return status;
}

static void describe(yoke_equation_report *report, const yk_subsystem *s)
{
    const yk_model *m = &s->model;
    int states = 0;

    for (int e = 0; e < m->elements; e++)
        if (m->root[e] == e) states += m->highest[e];
    report->equations = m->written;
    report->unknowns = m->unknowns;
    report->eliminated = m->eliminated;
    report->index = m->index;
    report->differentiated = m->differentiated;
    report->dummies = m->dummies;
    report->states = states - m->dummies - m->combined;
    snprintf(report->text, sizeof report->text, "%s",
             m->text[0] ? m->text : "No equation was differentiated.");
}

static void say(yoke_equation_report *report, const char *format,
                const char *text)
{
    yk_append(report->text, sizeof report->text, format, text);
}

/* x0[n], and what is needed to find other ones where these depend on what is
 * coupled to the inputs. */
static yoke_status first_values(yk_subsystem *s, const char *name, double *x0,
                                char *note, size_t note_size, yoke_err *err)
{
    bool depends = false;

    YK_TRY(yk_eq_initial_create(&s->initial, s, name, err));
    YK_TRY(yk_eq_initial_alone(s->initial, x0, note, note_size, err));
    yk_subsystem_anchor(s, 0.0, x0, NULL);
    YK_TRY(yk_eq_initial_depends(s->initial, &depends, err));
    if (depends) return YOKE_OK;
    yk_eq_initial_free(s->initial);
    s->initial = NULL;
    return YOKE_OK;
}

/* No compiler is no failure: the interpreter does the same. */
static yoke_status compile(yk_subsystem *s,
                           const yoke_equation_options *options,
                           yoke_equation_report *report, yoke_err *err)
{
    yoke_err own = { .status = YOKE_OK };
    yk_native_report made;

    if (!options || !options->compiler || s->layout.n == 0) return YOKE_OK;
    const yk_native_options how = { .compiler = options->compiler,
                                    .cache = options->cache,
                                    .scratch = options->scratch };
    const yoke_status status =
        yk_native_create(&s->native, &s->layout, &s->model, &how, &made, &own);
    report->compiled = status == YOKE_OK;
    report->cached = made.cached;
    if (status != YOKE_OK && status != YOKE_E_MISSING)
        return yk_fail(err, status, "%s", own.text);
    snprintf(report->code_text, sizeof report->code_text, "%.599s",
             status == YOKE_OK ? made.text : own.text);
    if (!report->code_text[0]) return YOKE_OK;
    say(report,
        status == YOKE_OK ? " The code is not kept: %.300s."
                          : " Interpreted: %.300s.",
        report->code_text);
    return YOKE_OK;
}

/* Which derivatives of inputs have become unknowns, or charges of their own. */
static yoke_status tell_rates(const yk_subsystem *s,
                              const yk_equation_rates *rates, yoke_err *err)
{
    const yk_layout *l = &s->layout;
    const yk_model *m = &s->model;
    yoke_status status = YOKE_OK;
    int *highest = NULL; /* of each variable: arrays as a whole */

    if (!rates || !rates->used) return YOKE_OK;
    YK_GO(yk_ints(&highest, (size_t)m->flat->variables, err));
    for (int k = 0; k < l->links; k++) {
        int e, order;
        yk_slot_owner(m, l->x_slot[l->rate[k]], &e, &order);
        if (yk_is_input(m, e) && order > highest[m->owner[e]])
            highest[m->owner[e]] = order;
    }
    for (int e = 0; e < m->elements; e++)
        if (l->alone[e] && highest[m->owner[e]] == 0) highest[m->owner[e]] = 1;
    for (int e = 0; e < m->elements; e++) {
        char name[YK_NAME_SIZE];
        if (highest[m->owner[e]] == 0) continue;
        yk_element_name(m, e, 0, name);
        YK_GO(rates->used(rates->context, name, highest[m->owner[e]], err));
    }
done:
    yk_free(highest);
    return status;
}

yoke_status yk_equation_compile(yoke_system **out, const char *name,
                                const yk_flat *flat,
                                const yk_equation_rates *rates,
                                const yoke_equation_options *options,
                                yoke_equation_report *report, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_model model = { 0 };
    yk_subsystem *s = NULL;
    yoke_equation_report own = { .read_seconds =
                                     report ? report->read_seconds : 0.0 };
    double *x0 = NULL, begin = yk_clock();
    char note[300];

    YK_GO(yk_equation_analyse(&model, flat, err));
    YK_GO(yk_subsystem_create(&s, &model, err));
    YK_GO(tell_rates(s, rates, err));
    describe(&own, s);
    if (flat->note) {
        say(&own, " %.600s.", flat->note);
        YK_GO(yk_copy_text(&s->note, flat->note, err));
    }
    own.structure_seconds = yk_clock() - begin;
    begin = yk_clock();
    YK_GO(compile(s, options, &own, err));
    own.code_seconds = yk_clock() - begin;
    begin = yk_clock();
    YK_GO(yk_doubles(&x0, (size_t)s->layout.n, err));
    YK_GO(first_values(s, name, x0, note, sizeof note, err));
    say(&own, "%s", note);
    yk_subsystem *given = s;
    s = NULL;
    YK_GO(make_system(out, name, given, x0, err));
    own.structure_seconds += yk_clock() - begin;
    if (report) *report = own;
done:
    yk_free(x0);
    yk_subsystem_free(s);
    yk_eq_model_free(&model);
    return status;
}
