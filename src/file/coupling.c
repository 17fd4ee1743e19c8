/* file/coupling.c -- the list `couplings`: signals, and which entry is
 * what. */
#include "file/component.h"

#include "base/near.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- assignments: input = weights * variables ---------------------------- */

void yk_assignment_clear(yk_assignment *a)
{
    yk_formula_clear(&a->formula);
    YK_FREE(a->input, a->weight);
    *a = (yk_assignment){ 0 };
}

/* The left side is one name with a dot. */
static yoke_status read_target(const char *text, size_t *at, char **out,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_formula left = { 0 };
    const size_t from = *at + strspn(text + *at, " \t\r\n");
    int root = 0;

    YK_GO(yk_formula_expression(&left, text, at, &root, err));
    if (left.program.steps != 1 || left.variables != 1 || text[*at] != '=') {
        const bool equation = text[*at] == '=';
        if (equation) *at = from;
        YK_GO(yk_fail(err, YOKE_E_FILE,
                      equation ? "an input is expected on the left side: "
                                 "subsystem.input = ..."
                      : strncmp(text + *at, ":=", 2) == 0
                          ? "write one \"=\", not \":=\""
                          : "\"=\" is expected here: subsystem.input = "
                            "..."));
    }
    YK_GO(yk_copy_text(out, left.name[0], err));
    ++*at;
done:
    yk_formula_clear(&left);
    return status;
}

/* A multiplier is not linear with constant weights: what is its factor? */
static yoke_status refuse_factor(const yk_assignment *a, yoke_err *err)
{
    const yk_formula *f = &a->formula;
    const char *output = NULL;

    for (int i = 0; i < f->variables && !output; i++)
        if (strchr(f->name[i], '.')) output = f->name[i];
    if (output)
        return yk_fail(
            err, YOKE_E_FILE,
            "the factor of a multiplier is constant, it cannot "
            "contain \"%.100s\"; let the multiplier enter as it is "
            "and multiply in the model that has the input \"%.100s\"",
            output, a->input);
    return yk_fail(err, YOKE_E_FILE,
                   "\"%.100s\" is not linear in the multiplier with constant "
                   "factors%s; let the multiplier enter as it is and put the "
                   "formula into the model that has this input",
                   a->input,
                   yk_formula_has_time(f) ? " (it contains the time)" : "");
}

/* What of the expression does not come from variables is a constant, of a
 * multiplier nothing. */
static yoke_status take_rest(yk_assignment *a, int root, yoke_err *err)
{
    const yk_formula *f = &a->formula;

    a->constant = f->value[root];
    if (a->is_multiplier &&
        (f->variables == 0 || a->constant != 0.0 || yk_formula_has_time(f)))
        return yk_fail(err, YOKE_E_FILE,
                       "a multiplier enters with a factor, without a constant "
                       "or time-dependent term; make that a parameter or a "
                       "source of the model that has the input");
    if (isfinite(a->constant)) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   isnan(a->constant)
                       ? "the constant term is not a number; is the root of a "
                         "negative one taken, or 0 divided by 0?"
                       : "the constant term is inf; is something divided by "
                         "zero?");
}

static yoke_status find_weights(yk_assignment *a, int root, yoke_err *err)
{
    yk_formula *f = &a->formula;
    double *factor = NULL;

    a->root = root;
    a->computed = yk_formula_kind(f, root) == YK_KIND_NONLINEAR ||
                  (!a->is_multiplier && yk_formula_has_time(f));
    if (a->computed && a->is_multiplier) return refuse_factor(a, err);
    if (a->computed) return YOKE_OK;
    YK_TRY(yk_doubles(&a->weight, (size_t)f->variables, err));
    YK_TRY(yk_doubles(&factor, (size_t)f->program.steps, err));
    yk_formula_weights(f, root, a->weight, factor);
    yk_free(factor);
    for (int i = 0; i < f->variables; i++)
        if (!isfinite(a->weight[i]))
            return yk_fail(err, YOKE_E_FILE,
                           "the weight of \"%.100s\" is %g; is something "
                           "divided by zero?",
                           f->name[i], a->weight[i]);
    return take_rest(a, root, err);
}

yoke_status yk_file_assignment(const yk_reader *r, const yk_yaml *node,
                               size_t *at, yk_assignment *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const char *text = node->text;
    int root = 0;

    YK_GO(read_target(text, at, &out->input, err));
    const size_t right = *at + strspn(text + *at, " \t\r\n");
    YK_GO(yk_formula_expression(&out->formula, text, at, &root, err));
    if (text[*at] != ';') YK_GO(yk_formula_end(text, *at, err));
    const size_t behind = *at;
    *at = right;
    YK_GO(find_weights(out, root, err));
    *at = behind;
    if (text[*at] == ';') ++*at;
    *at += strspn(text + *at, " \t\r\n");
done:
    return yk_file_place(r, node, *at, status, err);
}

/* ---- signals ------------------------------------------------------------- */

/* Inputs that have a signal, with the line of each; the delay of the signals
 * that are being read, and whether their units are compared. */
typedef struct targets {
    yk_names names;
    int count;
    size_t room;
    char **name;
    yoke_delay delay;
    bool any_units;
} targets;

static void targets_clear(targets *t)
{
    for (int i = 0; i < t->count; i++) yk_free(t->name[i]);
    yk_names_clear(&t->names);
    yk_free(t->name);
}

/* Takes the name of the input. */
static yoke_status add_target(targets *t, yk_assignment *a, int line,
                              yoke_err *err)
{
    const int before = yk_names_find(&t->names, a->input);

    if (before >= 0)
        return yk_fail(err, YOKE_E_FILE,
                       "\"%.100s\" has a signal in line %d already; write one "
                       "signal with the sum",
                       a->input, before);
    YK_TRY(YK_GROW(&t->name, &t->room, t->count + 1, err));
    t->name[t->count] = a->input;
    a->input = NULL;
    return yk_names_add(&t->names, t->name[t->count++], line, err);
}

yoke_status yk_file_link(yoke_graph *graph, const char *input,
                         const char *output, double weight,
                         const yoke_delay *delay, yoke_err *err)
{
    if (!(delay->time > 0.0))
        return yoke_graph_signal(graph, input, output, weight, err);
    return yoke_graph_delay(graph, input, output, weight, delay->time,
                            delay->has_past ? &delay->past : NULL, err);
}

static yoke_status add_signal(const yk_reader *r, targets *t, yk_assignment *a,
                              const yk_yaml *node, yoke_err *err)
{
    yoke_graph *graph = yoke_model_graph(r->file->model);

    YK_TRY(add_target(t, a, node->line, err));
    const char *input = t->name[t->count - 1];
    if (a->computed) return yk_file_computed(r, node, input, a, &t->delay, err);
    for (int i = 0; i < a->formula.variables; i++) {
        const char *output = a->formula.name[i];
        if (!t->any_units)
            YK_TRY(yk_file_signal_units(r->file, input, output, &a->weight[i],
                                        &a->constant, err));
        YK_TRY(
            yk_file_link(graph, input, output, a->weight[i], &t->delay, err));
    }
    if (a->constant == 0.0 && a->formula.variables > 0) return YOKE_OK;
    return yoke_graph_constant(graph, input, a->constant, err);
}

static yoke_status read_signals(const yk_reader *r, targets *t,
                                const yk_yaml *node, yoke_err *err)
{
    size_t at = 0;

    do {
        yk_assignment a = { 0 };
        const size_t from = at;
        yoke_status status = yk_file_assignment(r, node, &at, &a, err);
        if (status == YOKE_OK)
            status = yk_file_place(r, node, from,
                                   add_signal(r, t, &a, node, err), err);
        yk_assignment_clear(&a);
        YK_TRY(status);
    } while (node->text[at]);
    return YOKE_OK;
}

/* delay: 5 ms, past: 0 beside a signal. */
static yoke_status read_delay(const yk_reader *r, targets *t,
                              const yk_yaml *map, yoke_err *err)
{
    const yk_yaml *delay = yk_yaml_find(map, "delay");
    const yk_yaml *past = yk_yaml_find(map, "past");

    t->delay = (yoke_delay){ 0.0, past != NULL, 0.0 };
    if (past) YK_TRY(yk_file_number(r, past, NULL, &t->delay.past, err));
    if (past && !delay)
        return yk_file_fail(r, past, err,
                            "\"past\" is for a signal with a \"delay\"");
    if (!delay) return YOKE_OK;
    YK_TRY(yk_file_quantity(r, delay, "s", NULL, &t->delay.time, err));
    if (t->delay.time > 0.0) return YOKE_OK;
    return yk_file_fail(r, delay, err,
                        "the delay %g is not more than 0; leave it out for "
                        "none",
                        t->delay.time);
}

/* units: ignore beside a signal. */
static yoke_status read_units(const yk_reader *r, targets *t,
                              const yk_yaml *map, yoke_err *err)
{
    const yk_yaml *units = yk_yaml_find(map, "units");
    const char *text = NULL;

    t->any_units = units != NULL;
    if (!units) return YOKE_OK;
    YK_TRY(yk_file_text(r, units, &text, err));
    if (strcmp(text, "ignore") == 0) return YOKE_OK;
    return yk_file_fail(r, units, err,
                        "\"units\" beside a signal can only be \"ignore\": the "
                        "numbers pass as they are");
}

static yoke_status read_signal(const yk_reader *r, targets *t,
                               const yk_yaml *map, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_yaml *node = yk_yaml_find(map, "signal");
    const yk_yaml **item = NULL;
    int count = 0;

    YK_TRY(read_delay(r, t, map, err));
    YK_TRY(read_units(r, t, map, err));
    YK_TRY(yk_file_texts(r, node, &item, &count, err));
    for (int i = 0; i < count; i++) {
        yoke_err one = { YOKE_OK, "" };
        if (!yk_err_gather(&status, read_signals(r, t, item[i], &one), &one,
                           err))
            break;
    }
    yk_free(item);
    return status;
}

/* ---- the list ------------------------------------------------------------ */

yoke_status yk_file_coupling_name(yk_reader *r, const yk_yaml *map,
                                  char own[YK_COUPLING_NAME], const char **name,
                                  yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(map, "name");

    snprintf(own, YK_COUPLING_NAME, "c%d", ++r->file->constraints);
    *name = own;
    if (!node) return YOKE_OK;
    YK_TRY(yk_file_text(r, node, name, err));
    if (yk_is_name(*name)) return YOKE_OK;
    return yk_file_fail(r, node, err,
                        "\"%.100s\" is not a name for a coupling: a letter "
                        "first, then letters, digits and _",
                        *name);
}

/* The component that has this kind of coupling, or NULL. */
static const yk_component *coupler(const char *key)
{
    for (int i = 0; yk_components[i]; i++)
        if (yk_components[i]->coupling &&
            strcmp(yk_components[i]->coupling, key) == 0)
            return yk_components[i];
    return NULL;
}

static yoke_status check_coupling(const yk_reader *r, const yk_yaml *node,
                                  yoke_err *err)
{
    enum { OWN = 6, MOST = 20 };
    const char *key[MOST] = { "signal", "constraint", "connect",
                              "delay",  "past",       "units" };
    int count = OWN;

    for (int i = 0; yk_components[i] && count < MOST; i++)
        if (yk_components[i]->coupling)
            key[count++] = yk_components[i]->coupling;
    if (node->kind == YK_YAML_TEXT && node->text && strchr(node->text, '=')) {
        const bool said = strncmp(node->text, "signal:", 7) == 0;
        return yk_file_fail(r, node, err, "%s: write \"- signal: %.80s\"",
                            said ? "a blank is missing behind the colon"
                                 : "a coupling says its kind",
                            node->text + (said ? 7 : 0));
    }
    if (node->kind == YK_YAML_TEXT)
        return yk_file_fail(r, node, err,
                            "a coupling says its kind: write \"- signal: "
                            "INPUT = OUTPUT\"");
    YK_TRY(yk_file_keys(r, node, count, key, err));
    const bool signal = yk_yaml_find(node, "signal") != NULL;
    const int more = signal ? (yk_yaml_find(node, "delay") != NULL) +
                                  (yk_yaml_find(node, "past") != NULL) +
                                  (yk_yaml_find(node, "units") != NULL)
                            : 0;
    if (node->count != 1 + more)
        return yk_file_fail(r, node, err,
                            "a coupling has exactly one of the keys signal, "
                            "constraint, connect, blocks; begin each with "
                            "\"-\"");
    const yk_yaml *value = node->first;
    if (!signal &&
        (strcmp(value->key, "delay") == 0 || strcmp(value->key, "past") == 0 ||
         strcmp(value->key, "units") == 0))
        return yk_file_fail(r, value, err,
                            "\"%s\" is for a signal: signal: a.u = b.y",
                            value->key);
    return YOKE_OK;
}

static yoke_status read_coupling(yk_reader *r, targets *t, const yk_yaml *node,
                                 yoke_err *err)
{
    YK_TRY(check_coupling(r, node, err));
    const yk_yaml *signal = yk_yaml_find(node, "signal");
    const yk_yaml *value = signal ? signal : node->first;
    const yk_component *own = coupler(value->key);
    if (strcmp(value->key, "constraint") == 0)
        return yk_file_constraint(r, value, err);
    if (strcmp(value->key, "connect") == 0)
        return yk_file_connect(r, value, err);
    if (own)
        YK_TRY(own->couple(r, value, err));
    else
        YK_TRY(read_signal(r, t, node, err));
    return yk_facts_coupling(&r->file->facts, own ? own->coupling : "signal",
                             NULL, value, err);
}

/* Is a part of it one that could not be read?  Its ports are not known then. */
static bool is_unknown(const yk_reader *r, const yk_yaml *node)
{
    for (int i = 0; i < r->failures && node->kind == YK_YAML_TEXT; i++)
        if (strstr(node->text, r->failed[i]->key)) return true;
    for (const yk_yaml *e = node->first; e; e = e->next)
        if (is_unknown(r, e)) return true;
    return false;
}

/* What can be told of it all the same. */
static yoke_status check_form(const yk_reader *r, const yk_yaml *node,
                              yoke_err *err)
{
    YK_TRY(check_coupling(r, node, err));
    const yk_yaml *connect = yk_yaml_find(node, "connect");
    if (connect && connect->kind == YK_YAML_TEXT)
        return yk_file_want(r, connect, YK_YAML_LIST, err);
    return YOKE_OK;
}

yoke_status yk_file_couplings(yk_reader *r, const yk_yaml *list, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    targets t = { 0 };

    YK_TRY(yk_file_want(r, list, YK_YAML_LIST, err));
    for (const yk_yaml *e = list->first; e; e = e->next) {
        yoke_err one = { YOKE_OK, "" };
        const yoke_status now = is_unknown(r, e)
                                    ? check_form(r, e, &one)
                                    : read_coupling(r, &t, e, &one);
        if (!yk_err_gather(&status, now, &one, err)) break;
    }
    targets_clear(&t);
    return status;
}
