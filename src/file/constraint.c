/* file/constraint.c -- constraints: equations between outputs, and where
 * their multipliers enter.
 *
 *     constraint: {equation: left.x2 - 2*right.y1 = 0, multiplier: lambda,
 *                  enters: [left.f = -lambda, right.f = 2*lambda]}
 *
 * Equations with constant weights become W y = d(t), which may be solved at the
 * level of velocities or accelerations too (form, eta); others are evaluated as
 * they stand, with their branches held between events.
 */
#include "file/reader.h"

#include "base/near.h"
#include "graph/constraint.h"
#include "graph/graph.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WEIGHTS = 10000000 }; /* they are stored densely */

typedef struct constraint {
    const char *name, *owner;
    char own_name[YK_COUPLING_NAME], own_owner[300];
    const yk_yaml *node;
    int count; /* equations, multipliers */
    const yk_yaml **equation, **multiplier;
    const char **multiplier_name;
    yk_functions *functions;
    double *weight; /* count by variables, if all equations are linear */
    bool *reads;    /* else: of the same size; NULL: too many */
    double *start;  /* of the multipliers */
    yoke_form form;
    double eta;
    bool has_eta;
    bool *enters; /* of each multiplier: somewhere */
    bool joins_closed;
} constraint;

static void constraint_clear(constraint *c)
{
    YK_FREE(c->equation, c->multiplier, c->multiplier_name, c->weight, c->reads,
            c->start, c->enters);
}

/* ---- callbacks ----------------------------------------------------------- */

static void function(void *context, double t, const double *y, double *g)
{
    yk_functions_values(context, t, y, g, NULL);
}

static void slopes(void *context, double t, const double *y, double *slope)
{
    yk_functions_values(context, t, y, NULL, slope);
}

static void along(void *context, double t, const double *y, const double *rate,
                  double *g)
{
    yk_functions_along(context, t, y, rate, g);
}

/* d, d' and d'' of g = W y - d(t). */
static void offset_rates(void *context, double t, double *d)
{
    yk_functions *f = context;

    yk_formula_rates(&f->formula, t, NULL, f->rate);
    for (int i = 0; i < f->count; i++) {
        d[i] = -f->formula.value[f->root[i]];
        d[f->count + i] = -f->rate[2 * f->root[i]];
        d[2 * f->count + i] = -f->rate[2 * f->root[i] + 1];
    }
}

/* ---- equations ----------------------------------------------------------- */

static yoke_status read_equation(const yk_reader *r, constraint *c, int i,
                                 yoke_err *err)
{
    yk_formula *formula = &c->functions->formula;
    const char *text = c->equation[i]->text;
    size_t at = 0;
    yoke_status status =
        yk_formula_equation(formula, text, &at, &c->functions->root[i], err);

    if (status == YOKE_OK) status = yk_formula_end(text, at, err);
    return yk_file_place(r, c->equation[i], at, status, err);
}

/* Every variable is an output "subsystem.output". */
static yoke_status check_variables(const yk_reader *r, const constraint *c,
                                   yoke_err *err)
{
    const yk_formula *f = &c->functions->formula;

    if (f->variables == 0)
        return yk_file_fail(r, c->equation[0], err,
                            "the equation contains no output; a constraint "
                            "holds outputs together: left.x - right.x = 0");
    for (int i = 0; i < f->variables; i++)
        if (!strchr(f->name[i], '.')) {
            const yoke_status status =
                yk_fail(err, YOKE_E_FILE,
                        "\"%.100s\" in the equation is not an output; outputs "
                        "are written subsystem.output",
                        f->name[i]);
            const size_t place = c->count == 1 ? f->place[i] : 0;
            return yk_file_place(r, c->equation[0], place, status, err);
        }
    return YOKE_OK;
}

/* Outputs that are held together without a factor have one unit. */
static yoke_status check_units(const yk_reader *r, const constraint *c,
                               yoke_err *err)
{
    const yk_formula *f = &c->functions->formula;

    for (int i = 0; i < c->count; i++) {
        const double *weight = c->weight + (size_t)i * (size_t)f->variables;
        int first = -1;

        for (int k = 0; k < f->variables; k++) {
            if (fabs(weight[k]) != 1.0) continue;
            if (first < 0) first = k;
            YK_TRY(yk_file_place(
                r, c->equation[i], 0,
                yk_file_same_units(r->file, f->name[first], f->name[k], err),
                err));
        }
    }
    return YOKE_OK;
}

static yoke_status find_weights(const yk_reader *r, constraint *c,
                                yoke_err *err)
{
    yk_formula *f = &c->functions->formula;
    const size_t size = (size_t)c->count * (size_t)f->variables;
    double *factor = NULL;
    int at = 0;

    for (int i = 0; i < c->count; i++)
        if (yk_formula_kind(f, c->functions->root[i]) == YK_KIND_NONLINEAR)
            return YOKE_OK;
    if (size > MOST_WEIGHTS)
        return yk_file_fail(r, c->node, err,
                            "%d equations with %d outputs are too many for "
                            "one constraint; write several",
                            c->count, f->variables);
    YK_TRY(yk_doubles(&c->weight, size, err));
    YK_TRY(yk_doubles(&factor, (size_t)f->program.steps, err));
    for (int i = 0; i < c->count; i++)
        yk_formula_weights(f, c->functions->root[i],
                           c->weight + (size_t)i * (size_t)f->variables,
                           factor);
    yk_free(factor);
    if (yk_all_finite(c->weight, (int)size, &at)) return check_units(r, c, err);
    return yk_file_fail(r, c->equation[at / f->variables], err,
                        "the weight of \"%.100s\" is %g; is something divided "
                        "by zero?",
                        f->name[at % f->variables], c->weight[at]);
}

static yoke_status read_equations(yk_reader *r, constraint *c, yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(c->node, "equation");

    if (!node)
        return yk_file_fail(r, c->node, err, "a constraint needs \"equation\"");
    YK_TRY(yk_file_texts(r, node, &c->equation, &c->count, err));
    if (c->count == 0)
        return yk_file_fail(r, node, err, "there is no equation");
    YK_TRY(yk_file_functions(r->file, c->count, &c->functions, err));
    for (int i = 0; i < c->count; i++) YK_TRY(read_equation(r, c, i, err));
    YK_TRY(check_variables(r, c, err));
    YK_TRY(find_weights(r, c, err));
    return yk_functions_close(c->functions, err);
}

/* ---- form ---------------------------------------------------------------- */

static yoke_status find_form(const yk_reader *r, const yk_yaml *node,
                             yoke_form *form, yoke_err *err)
{
    static const char *const word[] = { "position", "velocity", "stabilised" };
    const char *text = NULL;

    YK_TRY(yk_file_text(r, node, &text, err));
    for (int i = 0; i < 3; i++)
        if (strcmp(text, word[i]) == 0) {
            *form = (yoke_form)i;
            return YOKE_OK;
        }
    yk_fail(err, YOKE_E_FILE, "there is no form \"%.100s\"", text);
    yk_file_suggest(err, text, 3, word);
    return yk_file_place(r, node, 0, YOKE_E_FILE, err);
}

/* Models have no outputs y.v and y.a until somebody wants them. */
static yoke_status want_rates(yk_reader *r, const constraint *c, yoke_err *err)
{
    const yoke_graph *graph = yoke_model_graph(r->file->model);
    const yk_formula *f = &c->functions->formula;

    for (int i = 0; c->form != YOKE_FORM_POSITION && i < f->variables; i++) {
        const size_t length = yk_graph_split(graph, f->name[i]);
        char part[YK_FILE_PORT];
        if (length >= sizeof part || !f->name[i][length]) continue;
        snprintf(part, sizeof part, "%.*s", (int)length, f->name[i]);
        r->rates.demanded = true;
        YK_TRY(yk_file_want_rate(r, part, f->name[i] + length + 1,
                                 c->form == YOKE_FORM_STABILISED ? 2 : 1, err));
    }
    return YOKE_OK;
}

static yoke_status read_form(yk_reader *r, constraint *c, yoke_err *err)
{
    const yk_yaml *form = yk_yaml_find(c->node, "form");
    const yk_yaml *eta = yk_yaml_find(c->node, "eta");

    if (form) YK_TRY(find_form(r, form, &c->form, err));
    if (eta) YK_TRY(yk_file_quantity(r, eta, "1/s", NULL, &c->eta, err));
    if (eta && c->form == YOKE_FORM_POSITION)
        return yk_file_fail(r, eta, err,
                            "\"eta\" is for \"form: velocity\" and \"form: "
                            "stabilised\"");
    if (eta && !(c->eta >= 0.0 && isfinite(c->eta)))
        return yk_file_fail(r, eta, err, "eta = %g 1/s is not 0 or more",
                            c->eta);
    c->has_eta = eta != NULL;
    if (!eta && c->form == YOKE_FORM_STABILISED)
        return yk_file_fail(r, form, err,
                            "\"form: stabilised\" needs \"eta\", such as 100 "
                            "1/s: an error of the constraint dies out like "
                            "exp(-eta t)");
    if (!c->weight && c->form == YOKE_FORM_POSITION) return YOKE_OK;
    if (!c->weight)
        return yk_file_fail(r, c->equation[0], err,
                            "only a linear constraint with constant weights "
                            "can be differentiated; solve this one in the "
                            "form position");
    YK_TRY(want_rates(r, c, err));
    return yk_doubles(&c->functions->rate,
                      2 * (size_t)c->functions->formula.program.steps, err);
}

/* ---- multipliers --------------------------------------------------------- */

static yoke_status read_start(const yk_reader *r, constraint *c, yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(c->node, "start");
    const yk_yaml **item = NULL;
    int count = 0;

    if (!node) return YOKE_OK;
    YK_TRY(yk_doubles(&c->start, (size_t)c->count, err));
    YK_TRY(yk_file_texts(r, node, &item, &count, err));
    yoke_status status = YOKE_OK;
    if (count != c->count)
        status = yk_file_fail(r, node, err, "%d start values for %d equations",
                              count, c->count);
    for (int i = 0; status == YOKE_OK && i < count; i++)
        status = yk_file_number(r, item[i], NULL, &c->start[i], err);
    yk_free(item);
    return status;
}

/* They are columns of the result. */
static yoke_status check_distinct(const yk_reader *r, const constraint *c,
                                  yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_names names = { 0 };

    for (int i = 0; i < c->count; i++) {
        const char *text = c->multiplier[i]->text;
        if (yk_names_find(&names, text) >= 0)
            YK_GO(yk_file_fail(r, c->multiplier[i], err,
                               "there are two multipliers \"%.100s\"; each "
                               "equation has its own",
                               text));
        YK_GO(yk_names_add(&names, text, i, err));
    }
done:
    yk_names_clear(&names);
    return status;
}

static yoke_status read_multipliers(const yk_reader *r, constraint *c,
                                    yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(c->node, "multiplier");
    int count = 0;

    if (!node)
        return yk_file_fail(r, c->node, err,
                            "a constraint needs \"multiplier\": the name "
                            "under which it enters");
    YK_TRY(yk_file_texts(r, node, &c->multiplier, &count, err));
    if (count != c->count)
        return yk_file_fail(r, node, err,
                            "%d multipliers for %d equations; each equation "
                            "has one",
                            count, c->count);
    for (int i = 0; i < count; i++)
        if (!yk_is_name(c->multiplier[i]->text))
            return yk_file_fail(r, c->multiplier[i], err,
                                "\"%.100s\" is not a name for a multiplier: a "
                                "letter first, then letters, digits and _",
                                c->multiplier[i]->text);
    YK_TRY(check_distinct(r, c, err));
    YK_TRY(YK_NEW(&c->enters, c->count, err));
    YK_TRY(YK_NEW(&c->multiplier_name, c->count, err));
    for (int i = 0; i < count; i++)
        c->multiplier_name[i] = c->multiplier[i]->text;
    return read_start(r, c, err);
}

static int find_multiplier(const constraint *c, const char *name)
{
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->multiplier[i]->text, name) == 0) return i;
    return -1;
}

static yoke_status enter(const yk_reader *r, constraint *c,
                         const yk_assignment *a, int variable, yoke_err *err)
{
    const int i = find_multiplier(c, a->formula.name[variable]);
    char from[600];

    if (i < 0)
        return yk_fail(err, YOKE_E_FILE,
                       "\"%.100s\" is not the multiplier; other outputs enter "
                       "by a signal",
                       a->formula.name[variable]);
    c->enters[i] = true;
    snprintf(from, sizeof from, "%.300s.%.290s", c->name,
             c->multiplier_name[i]);
    return yoke_graph_signal(yoke_model_graph(r->file->model), a->input, from,
                             a->weight[variable], err);
}

/* The subsystem of "subsystem.port", if it is closed. */
static bool is_closed(const yk_reader *r, const char *port)
{
    const yoke_graph *graph = yoke_model_graph(r->file->model);
    char part[300];

    snprintf(part, sizeof part, "%.*s", (int)yk_graph_split(graph, port), port);
    const int node = yoke_graph_find(graph, part);
    return node >= 0 &&
           yoke_system_facts(yoke_graph_system(graph, node))->closed;
}

/* The first subsystem that the multipliers enter owns the constraint. */
static void default_owner(const yk_reader *r, constraint *c, const char *input)
{
    c->joins_closed = c->joins_closed || is_closed(r, input);
    if (c->owner) return;
    snprintf(c->own_owner, sizeof c->own_owner, "%.*s",
             (int)yk_graph_split(yoke_model_graph(r->file->model), input),
             input);
    c->owner = c->own_owner;
}

/* Without `add` only the owner is found: the constraint has to be there before
 * its multipliers can enter. */
static yoke_status read_enters(const yk_reader *r, constraint *c,
                               const yk_yaml *item, bool add, yoke_err *err)
{
    size_t at = 0;

    do {
        yk_assignment a = { .is_multiplier = true };
        const size_t from = at;
        yoke_status status = yk_file_assignment(r, item, &at, &a, err);
        if (status == YOKE_OK) default_owner(r, c, a.input);
        for (int i = 0; add && status == YOKE_OK && i < a.formula.variables;
             i++)
            status = yk_file_place(r, item, from, enter(r, c, &a, i, err), err);
        yk_assignment_clear(&a);
        YK_TRY(status);
    } while (item->text[at]);
    return YOKE_OK;
}

static yoke_status read_all_enters(const yk_reader *r, constraint *c, bool add,
                                   yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(c->node, "enters");
    const yk_yaml **item = NULL;
    yoke_status status = YOKE_OK;
    int count = 0;

    if (!node)
        return yk_file_fail(r, c->node, err,
                            "a constraint needs \"enters\": where its "
                            "multiplier acts, such as [left.f = -lambda]");
    YK_TRY(yk_file_texts(r, node, &item, &count, err));
    for (int i = 0; status == YOKE_OK && i < count; i++)
        status = read_enters(r, c, item[i], add, err);
    yk_free(item);
    return status;
}

static yoke_status check_enters(const yk_reader *r, const constraint *c,
                                yoke_err *err)
{
    for (int i = 0; i < c->count; i++)
        if (!c->enters[i])
            return yk_file_fail(r, c->multiplier[i], err,
                                "the multiplier \"%.100s\" enters nowhere; "
                                "say where it acts in \"enters\"",
                                c->multiplier[i]->text);
    return YOKE_OK;
}

/* ---- the constraint ------------------------------------------------------ */

static bool has_offset(const constraint *c)
{
    const yk_functions *f = c->functions;

    if (yk_formula_has_time(&f->formula)) return true;
    yk_formula_eval(&c->functions->formula, 0.0, NULL);
    for (int i = 0; i < f->count; i++)
        if (f->formula.value[f->root[i]] != 0.0) return true;
    return false;
}

/* Functions of outputs, which have events unless the constraint stays apart
 * because it joins closed parts; which equation contains which output. */
static yoke_status prepare(const yk_reader *r, constraint *c, yoke_err *err)
{
    const yk_formula *f = &c->functions->formula;
    const size_t size = (size_t)c->count * (size_t)f->variables;
    bool events = size <= MOST_WEIGHTS;

    for (int i = 0; i < f->variables; i++)
        c->joins_closed = c->joins_closed || is_closed(r, f->name[i]);
    if (c->owner == c->own_owner && c->joins_closed) events = false;
    YK_TRY(yk_file_hold(r, c->equation[0], c->functions, events, err));
    if (size > MOST_WEIGHTS) return YOKE_OK;
    YK_TRY(YK_NEW(&c->reads, size, err));
    yk_functions_reads(c->functions, c->reads);
    return YOKE_OK;
}

/* Positions of closed parts cannot be moved onto the constraint; what is left of
 * it dies out, over the length of the run.  Ten times faster, errors of positions
 * between steps matter at rtol 1e-8 (tests/fmu/constraint_test.c: windows of
 * 4e-6 in place of 0.2). */
static double eta_of(const yk_reader *r, const constraint *c)
{
    const yoke_run_options *o = &r->file->run;

    if (c->form != YOKE_FORM_VELOCITY || c->has_eta || !c->joins_closed)
        return c->eta;
    return o->stop > o->start ? 1.0 / (o->stop - o->start) : 0.0;
}

static yoke_status add(yk_reader *r, const constraint *c, yoke_err *err)
{
    const yk_formula *f = &c->functions->formula;
    const double eta = eta_of(r, c);
    const yoke_constraint given = {
        .count = c->count,
        .outputs = f->variables,
        .output = (const char *const *)f->name,
        .weight = c->weight,
        .offset = c->weight && has_offset(c) ? offset_rates : NULL,
        .rates = true,
        .form = c->form == YOKE_FORM_VELOCITY && eta > 0.0 ? YOKE_FORM_DAMPED
                                                           : c->form,
        .eta = eta,
        .function = c->weight ? NULL : function,
        .slopes = c->reads ? slopes : NULL,
        .reads = c->reads,
        .context = c->functions,
        .start = c->start,
        .owner = c->owner,
        .may_stay = c->owner == c->own_owner,
        .multiplier = c->multiplier_name,
        .next_break = yk_functions_next_break,
        .straight = c->functions->straight,
    };

    yoke_graph *graph = yoke_model_graph(r->file->model);
    YK_TRY(yk_graph_constraint(
        graph, c->name, &given,
        c->functions->holds > 0 ? &c->functions->events : NULL, err));
    yoke_system *made =
        yoke_graph_system(graph, yoke_graph_find(graph, c->name));
    yk_system_parallel(made);
    if (given.slopes) yk_constraint_along(made, along);
    return yk_functions_tell(made, c->functions, NULL, err);
}

static yoke_status read_constraint(yk_reader *r, constraint *c, yoke_err *err)
{
    const yk_yaml *owner = yk_yaml_find(c->node, "owner");

    YK_TRY(yk_file_coupling_name(r, c->node, c->own_name, &c->name, err));
    YK_TRY(read_equations(r, c, err));
    YK_TRY(read_form(r, c, err));
    YK_TRY(read_multipliers(r, c, err));
    if (owner) YK_TRY(yk_file_text(r, owner, &c->owner, err));
    YK_TRY(read_all_enters(r, c, false, err));
    if (!c->weight) YK_TRY(prepare(r, c, err));
    YK_TRY(yk_file_place(r, owner ? owner : c->equation[0], 0, add(r, c, err),
                         err));
    YK_TRY(read_all_enters(r, c, true, err));
    YK_TRY(check_enters(r, c, err));
    return yk_facts_coupling(&r->file->facts, "constraint", c->name, c->node,
                             err);
}

yoke_status yk_file_constraint(yk_reader *r, const yk_yaml *node, yoke_err *err)
{
    static const char *const key[] = { "name",   "equation", "multiplier",
                                       "enters", "owner",    "start",
                                       "form",   "eta" };
    constraint c = { .node = node };

    YK_TRY(yk_file_keys(r, node, sizeof key / sizeof key[0], key, err));
    const yoke_status status = read_constraint(r, &c, err);
    constraint_clear(&c);
    return status;
}
