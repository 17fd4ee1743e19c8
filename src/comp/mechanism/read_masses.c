/* comp/mechanism/read_masses.c -- the component `mechanism`: masses on a line,
 * springs, constraints.
 *
 *     masses:
 *       head:  {mass: 9 kg}
 *       frame: {mass: 15 kg, force: 120 N, start: 0 m, velocity: 0 m/s}
 *     springs:
 *       - {between: [head, frame], stiffness: 4.2 kN/m, damping: 10 N.s/m}
 *       - {between: [ground, frame], stiffness: 50 N/m}
 *     inputs: [head]
 *     constraints:
 *       - {name: rod, equation: head - 2*frame = 0.1*sin(time)}
 *     formulation: stabilised
 *     eta: 100 1/s
 */
#include "comp/mechanism/read.h"

#include "base/near.h"

#include <math.h>
#include <string.h>

typedef struct masses {
    yk_masses to;
    const yk_yaml *map; /* of the masses */
    yk_masses_mass *mass;
    yk_masses_spring *spring;
    yk_masses_bar *bar;
    double *weight;
    yk_functions *force, *lead;
} masses;

static void masses_clear(masses *m)
{
    YK_FREE(m->mass, m->spring, m->bar, m->weight);
}

/* ---- callbacks ----------------------------------------------------------- */

static void lead(void *context, double t, double *drive)
{
    yk_functions *f = context;

    yk_formula_rates(&f->formula, t, NULL, f->rate);
    for (int i = 0; i < f->count; i++) {
        drive[3 * i] = -f->formula.value[f->root[i]];
        drive[3 * i + 1] = -f->rate[2 * f->root[i]];
        drive[3 * i + 2] = -f->rate[2 * f->root[i] + 1];
    }
}

/* ---- masses -------------------------------------------------------------- */

static yoke_status check_name(const yk_reader *r, const yk_yaml *node,
                              yoke_err *err)
{
    if (yk_is_name(node->key) && strcmp(node->key, "ground") != 0)
        return YOKE_OK;
    yk_fail(err, YOKE_E_FILE,
            "\"%.100s\" is not a name for a mass: a letter first, then "
            "letters, digits and _, and not \"ground\" or \"time\"",
            node->key);
    return yk_file_place_key(r, node, YOKE_E_FILE, err);
}

static yoke_status read_mass(const yk_reader *r, const yk_yaml *node,
                             const yk_unit_scope *scope, masses *m, int i,
                             yoke_err *err)
{
    static const char *const key[] = { "mass", "start", "velocity", "force" };
    yk_masses_mass *to = &m->mass[i];
    const yk_yaml *force = NULL;

    YK_TRY(check_name(r, node, err));
    to->name = node->key;
    if (node->kind == YK_YAML_TEXT) {
        YK_TRY(yk_file_quantity(r, node, "kg", scope, &to->mass, err));
    } else {
        YK_TRY(yk_file_want(r, node, YK_YAML_MAP, err));
        YK_TRY(yk_file_keys(r, node, 4, key, err));
        YK_TRY(
            yk_file_setting(r, node, "mass", "kg", scope, NAN, &to->mass, err));
        YK_TRY(
            yk_file_setting(r, node, "start", "m", scope, 0.0, &to->x0, err));
        YK_TRY(yk_file_setting(r, node, "velocity", "m/s", scope, 0.0, &to->v0,
                               err));
        force = yk_yaml_find(node, "force");
    }
    return yk_file_function(r, force, scope, "a force", "N", m->force, i, err);
}

static yoke_status read_masses(yk_reader *r, const yk_yaml *node,
                               const yk_unit_scope *scope, masses *m,
                               yoke_err *err)
{
    YK_TRY(yk_file_need(r, node, "masses", YK_YAML_MAP, &m->map, err));
    YK_TRY(YK_NEW(&m->mass, m->map->count, err));
    YK_TRY(yk_file_functions(r->file, m->map->count, &m->force, err));
    m->to.mass = m->mass;
    m->to.act = yk_functions_now;
    m->to.act_context = m->force;
    m->to.next_break = yk_functions_next_break;
    for (const yk_yaml *e = m->map->first; e; e = e->next)
        YK_TRY(read_mass(r, e, scope, m, m->to.masses++, err));
    YK_TRY(yk_file_bind(m->force, scope, err));
    m->to.straight = m->force->straight;
    return YOKE_OK;
}

static yoke_status read_inputs(const yk_reader *r, const yk_yaml *node,
                               masses *m, yoke_err *err)
{
    const yk_yaml *list = yk_yaml_find(node, "inputs");
    const yk_yaml **item = NULL;
    int count = 0, which = 0;

    if (!list) return YOKE_OK;
    YK_TRY(yk_file_texts(r, list, &item, &count, err));
    yoke_status status = YOKE_OK;
    for (int i = 0; status == YOKE_OK && i < count; i++) {
        status = yk_file_entry(r, m->map, item[i], &which, err);
        if (status == YOKE_OK) m->mass[which].input = true;
    }
    yk_free(item);
    return status;
}

/* ---- springs ------------------------------------------------------------- */

static yoke_status find_end(const yk_reader *r, const masses *m,
                            const yk_yaml *name, int *which, yoke_err *err)
{
    *which = -1;
    if (name->kind == YK_YAML_TEXT && strcmp(name->text, "ground") == 0)
        return YOKE_OK;
    return yk_file_entry(r, m->map, name, which, err);
}

static yoke_status read_spring(const yk_reader *r, const yk_yaml *node,
                               const yk_unit_scope *scope, const masses *m,
                               yk_masses_spring *s, yoke_err *err)
{
    static const char *const key[] = { "between", "stiffness", "damping",
                                       "length" };
    const yk_yaml *between = NULL;

    YK_TRY(yk_file_want(r, node, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(r, node, 4, key, err));
    YK_TRY(yk_file_need(r, node, "between", YK_YAML_LIST, &between, err));
    if (between->count != 2)
        return yk_file_fail(r, between, err,
                            "a spring is between two masses, or a mass and "
                            "the ground");
    YK_TRY(find_end(r, m, between->first, &s->from, err));
    YK_TRY(find_end(r, m, between->first->next, &s->to, err));
    if (s->from == s->to)
        return yk_file_fail(r, between, err,
                            "both ends of the spring are the same");
    YK_TRY(yk_file_setting(r, node, key[1], "N/m", scope, 0.0, &s->stiffness,
                           err));
    YK_TRY(yk_file_setting(r, node, key[2], "N.s/m", scope, 0.0, &s->damping,
                           err));
    YK_TRY(yk_file_setting(r, node, key[3], "m", scope, 0.0, &s->rest, err));
    if (s->stiffness >= 0.0 && s->damping >= 0.0) return YOKE_OK;
    return yk_file_fail(r, node, err,
                        "stiffness %g N/m and damping %g N s/m must not be "
                        "negative",
                        s->stiffness, s->damping);
}

static yoke_status read_springs(const yk_reader *r, const yk_yaml *node,
                                const yk_unit_scope *scope, masses *m,
                                yoke_err *err)
{
    const yk_yaml *list = yk_yaml_find(node, "springs");

    if (!list) return YOKE_OK;
    YK_TRY(yk_file_want(r, list, YK_YAML_LIST, err));
    YK_TRY(YK_NEW(&m->spring, list->count, err));
    m->to.spring = m->spring;
    for (const yk_yaml *e = list->first; e; e = e->next)
        YK_TRY(read_spring(r, e, scope, m, &m->spring[m->to.springs++], err));
    return YOKE_OK;
}

/* ---- constraints --------------------------------------------------------- */

static yoke_status read_equation(const yk_reader *r, const yk_yaml *node,
                                 masses *m, int k, yoke_err *err)
{
    static const char *const key[] = { "name", "equation" };
    const yk_yaml *name = NULL, *equation = NULL;
    yk_formula *f = &m->lead->formula;
    size_t at = 0;

    YK_TRY(yk_file_want(r, node, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(r, node, 2, key, err));
    YK_TRY(yk_file_need(r, node, "name", YK_YAML_TEXT, &name, err));
    YK_TRY(yk_file_need(r, node, "equation", YK_YAML_TEXT, &equation, err));
    m->bar[k].name = name->text;
    m->bar[k].drive = k;
    yoke_status status =
        yk_formula_equation(f, equation->text, &at, &m->lead->root[k], err);
    if (status == YOKE_OK) status = yk_formula_end(equation->text, at, err);
    if (status == YOKE_OK &&
        yk_formula_kind(f, m->lead->root[k]) == YK_KIND_NONLINEAR) {
        at = 0;
        status = yk_fail(err, YOKE_E_FILE,
                         "the equation is not linear in the positions with "
                         "constant weights; masses on a line have no others");
    }
    return yk_file_place(r, equation, at, status, err);
}

/* Weights of the masses from those of the variables. */
static yoke_status find_weights(const yk_reader *r, const yk_yaml *list,
                                masses *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_formula *f = &m->lead->formula;
    double *weight = NULL, *factor = NULL;
    const size_t n = (size_t)m->to.masses;

    YK_GO(yk_doubles(&weight, (size_t)f->variables + 1, err));
    YK_GO(yk_doubles(&factor, (size_t)f->program.steps + 1, err));
    YK_GO(yk_doubles(&m->lead->rate, 2 * (size_t)f->program.steps, err));
    YK_GO(yk_doubles(&m->weight, (size_t)m->to.bars * n + 1, err));
    for (int k = 0; k < m->to.bars; k++) {
        double *const to = m->weight + (size_t)k * n;
        yk_formula_weights(f, m->lead->root[k], weight, factor);
        m->bar[k].weight = to;
        for (int i = 0; i < f->variables; i++) {
            const yk_yaml name = { .kind = YK_YAML_TEXT,
                                   .line = list->line,
                                   .column = list->column,
                                   .text = f->name[i] };
            int which = 0;
            YK_GO(yk_file_entry(r, m->map, &name, &which, err));
            to[which] = weight[i];
        }
    }
done:
    YK_FREE(weight, factor);
    return status;
}

static yoke_status read_constraints(yk_reader *r, const yk_yaml *node,
                                    const yk_unit_scope *scope, masses *m,
                                    yoke_err *err)
{
    const yk_yaml *list = yk_yaml_find(node, "constraints");

    YK_TRY(yk_read_formulation(r, node, scope, 0.0, &m->to.formulation,
                               &m->to.eta, err));
    YK_TRY(yk_file_setting(r, node, "assemble", "m", scope, 0.0,
                           &m->to.assemble, err));
    if (!list) return YOKE_OK;
    YK_TRY(yk_file_want(r, list, YK_YAML_LIST, err));
    YK_TRY(YK_NEW(&m->bar, list->count, err));
    YK_TRY(yk_file_functions(r->file, list->count, &m->lead, err));
    m->to.bar = m->bar;
    m->to.lead = lead;
    m->to.lead_context = m->lead;
    for (const yk_yaml *e = list->first; e; e = e->next)
        YK_TRY(read_equation(r, e, m, m->to.bars++, err));
    YK_TRY(find_weights(r, list, m, err));
    YK_TRY(yk_functions_close(m->lead, err));
    m->to.straight = m->to.straight && m->lead->straight;
    return YOKE_OK;
}

/* ---- the component ------------------------------------------------------- */

static yoke_status read_all(yk_reader *r, const yk_yaml *node,
                            const yk_unit_scope *scope, masses *m,
                            yoke_err *err)
{
    YK_TRY(read_masses(r, node, scope, m, err));
    YK_TRY(read_inputs(r, node, m, err));
    YK_TRY(read_springs(r, node, scope, m, err));
    return read_constraints(r, node, scope, m, err);
}

/* Momenta and elongations instead of positions (comp/mechanism/masses_ph.c). */
static bool by_energy(const yk_yaml *node)
{
    const yk_yaml *given = yk_yaml_find(node, "formulation");

    return given && given->kind == YK_YAML_TEXT &&
           strcmp(given->text, "port-hamiltonian") == 0;
}

static yoke_status read_energy(yk_reader *r, const yk_yaml *node,
                               const yk_unit_scope *scope, masses *m,
                               yoke_err *err)
{
    static const char *const other[] = { "constraints", "eta", "assemble" };

    for (int k = 0; k < 3; k++) {
        const yk_yaml *given = yk_yaml_find(node, other[k]);
        if (given)
            return yk_file_fail(r, given, err,
                                "\"%s\" has no meaning for the formulation "
                                "port-hamiltonian: masses, springs and dampers",
                                other[k]);
    }
    YK_TRY(read_masses(r, node, scope, m, err));
    YK_TRY(read_inputs(r, node, m, err));
    return read_springs(r, node, scope, m, err);
}

static yoke_status read(yk_reader *r, const yk_yaml *node,
                        const yk_unit_scope *scope, yoke_system **out,
                        yoke_err *err)
{
    masses m = { 0 };
    const bool energy = by_energy(node);
    yoke_status status = energy ? read_energy(r, node, scope, &m, err)
                                : read_all(r, node, scope, &m, err);

    if (status == YOKE_OK)
        status = yk_file_place_key(
            r, node,
            energy ? yk_masses_ph(node->key, &m.to, out, err)
                   : yk_masses_create(out, node->key, &m.to, err),
            err);
    if (status == YOKE_OK)
        status = yk_functions_told(out, m.force, m.lead, err);
    masses_clear(&m);
    return status;
}

static const yk_key keys[] = {
    { "masses", YK_KEY_MAP, true, NULL,
      "mass of each, or mass, start, velocity and force" },
    { "springs", YK_KEY_LIST, false, NULL,
      "between two masses, or a mass and the ground: stiffness, damping, "
      "length" },
    { "inputs", YK_KEY_NAMES, false, NULL, "masses with an input NAME.force" },
    { "constraints", YK_KEY_LIST, false, NULL,
      "name and equation, linear in the positions" },
    { "formulation", YK_KEY_TEXT, false, NULL,
      "stabilised, projected, position, velocity, ggl [stabilised]" },
    { "eta", YK_KEY_NUMBER, false, "1/s", "of stabilised and projected [0]" },
    { "assemble", YK_KEY_NUMBER, false, NULL,
      "start values that miss the constraints by no more than this are "
      "corrected [0]" },
    { NULL, YK_KEY_TEXT, false, NULL, NULL },
};

const yk_component yk_component_mechanism = {
    .source = "component",
    .name = "mechanism",
    .text = "masses on a line",
    .key = keys,
    .make = read,
};
