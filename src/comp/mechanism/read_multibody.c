/* comp/mechanism/read_multibody.c -- the component `multibody`: rigid bodies in
 * the plane.
 *
 *     gravity: [0, -9.81 m/s^2]
 *     bodies:
 *       crank: {mass: 1 kg, inertia: 10 g.m^2, position: [5 cm, 0],
 *               angle: 30 deg, velocity: [0, 1 m/s], rate: 20 rad/s}
 *     points:
 *       O: {on: ground, at: [0, 0]}
 *       A: {on: crank, at: [-5 cm, 0]}
 *     joints:
 *       hinge: {type: revolute, between: [O, A]}
 *       guide: {type: translational, between: [O, B], axis: [1, 0],
 *               rotation: free}
 *       plate: {type: weld, between: [A, C]}
 *       motor: {type: motor, between: [ground, crank], angle: 20*time}
 *     springs:
 *       - {between: [A, B], stiffness: 1 kN/m, damping: 3 N.s/m, length: 10 cm}
 *     torsion:
 *       - {between: [ground, crank], stiffness: 2 N.m, angle: 30 deg}
 *     forces:
 *       - {at: A, force: [0, 10*sin(time)]}
 *       - {on: crank, torque: 2 N.m}
 *     inputs: [A, crank.torque]
 *     formulation: stabilised
 *     eta: 10 1/s
 *     assemble: 1 mm
 */
#include "comp/mechanism/read.h"

#include "base/near.h"
#include "comp/mechanism/plane.h"

#include <math.h>
#include <string.h>

/* In 1/s.  Errors of joints die out within some tenths of a second, for at most
 * a fifth more work than without (docs/methods/mechanisms.md). */
static const double usual_eta = 10.0;

typedef struct multibody {
    yk_plane to;
    const yk_yaml *bodies, *points; /* maps; points may be NULL */
    yk_plane_body *body;
    yk_plane_point *point;
    yk_plane_joint *joint;
    yk_plane_strut *strut;
    yk_plane_torsion *torsion;
    yk_plane_load *load;
    size_t point_room, load_room;
    yk_functions *forces, *angles;
} multibody;

static void multibody_clear(multibody *m)
{
    YK_FREE(m->body, m->point, m->joint, m->strut, m->torsion, m->load);
}

/* ---- callbacks ----------------------------------------------------------- */

static void lead(void *context, double t, double *drive)
{
    yk_functions *f = context;

    yk_formula_rates(&f->formula, t, f->y, f->rate);
    for (int i = 0; i < f->count; i++) {
        drive[3 * i] = f->formula.value[f->root[i]];
        drive[3 * i + 1] = f->rate[2 * f->root[i]];
        drive[3 * i + 2] = f->rate[2 * f->root[i] + 1];
    }
}

/* ---- names and numbers --------------------------------------------------- */

static const char *const reserved[] = { "ground", "energy", "drift", "lambda",
                                        "mu" };

/* A name of a body, point or joint: none of ours, and of one thing only. */
static yoke_status check_name(const yk_reader *r, const multibody *m,
                              const yk_yaml *node, yoke_err *err)
{
    bool good = yk_is_name(node->key);

    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        good = good && strcmp(node->key, reserved[i]) != 0;
    if (!good)
        yk_fail(err, YOKE_E_FILE,
                "\"%.100s\" is not a name here: a letter first, then letters, "
                "digits and _, and none of ground, energy, drift, lambda, mu",
                node->key);
    const yk_yaml *const map[] = { m->bodies, m->points };
    for (int i = 0; good && i < 2; i++) {
        const yk_yaml *other = map[i] ? yk_yaml_find(map[i], node->key) : NULL;
        if (!other || other == node) continue;
        good = false;
        yk_fail(err, YOKE_E_FILE, "\"%.100s\" is in \"%s\" already", node->key,
                map[i]->key);
    }
    return good ? YOKE_OK : yk_file_place_key(r, node, YOKE_E_FILE, err);
}

/* Two numbers; without the key, `preset` (NAN of it is a value). */
static yoke_status read_pair(const yk_reader *r, const yk_yaml *map,
                             const char *key, const char *unit,
                             const yk_unit_scope *scope, double preset,
                             double *x, double *y, yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(map, key);

    *x = *y = preset;
    if (!node) return YOKE_OK;
    YK_TRY(yk_file_want(r, node, YK_YAML_LIST, err));
    if (node->count != 2)
        return yk_file_fail(r, node, err, "\"%s\" has two numbers, not %d", key,
                            node->count);
    YK_TRY(yk_file_quantity(r, node->first, unit, scope, x, err));
    return yk_file_quantity(r, node->first->next, unit, scope, y, err);
}

/* The two entries of `between`. */
static yoke_status read_between(const yk_reader *r, const yk_yaml *map,
                                const yk_yaml **a, const yk_yaml **b,
                                yoke_err *err)
{
    const yk_yaml *list = NULL;

    YK_TRY(yk_file_need(r, map, "between", YK_YAML_LIST, &list, err));
    if (list->count != 2)
        return yk_file_fail(r, list, err, "\"between\" names two, not %d",
                            list->count);
    *a = list->first;
    *b = list->first->next;
    return YOKE_OK;
}

/* ---- bodies and points --------------------------------------------------- */

static yoke_status read_body(const yk_reader *r, const yk_yaml *node,
                             const yk_unit_scope *scope, const multibody *m,
                             yk_plane_body *b, yoke_err *err)
{
    static const char *const key[] = { "mass",  "inertia",  "position",
                                       "angle", "velocity", "rate" };
    const yk_yaml *rate = NULL;

    YK_TRY(check_name(r, m, node, err));
    YK_TRY(yk_file_want(r, node, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(r, node, 6, key, err));
    b->name = node->key;
    YK_TRY(yk_file_setting(r, node, key[0], "kg", scope, NAN, &b->mass, err));
    YK_TRY(yk_file_setting(r, node, key[1], "kg.m^2", scope, NAN, &b->inertia,
                           err));
    YK_TRY(read_pair(r, node, key[2], "m", scope, 0.0, &b->x, &b->y, err));
    YK_TRY(yk_file_setting(r, node, key[3], "rad", scope, 0.0, &b->angle, err));
    YK_TRY(read_pair(r, node, key[4], "m/s", scope, NAN, &b->vx, &b->vy, err));
    b->omega = NAN;
    rate = yk_yaml_find(node, key[5]);
    return rate ? yk_file_quantity(r, rate, "1/s", scope, &b->omega, err)
                : YOKE_OK;
}

static yoke_status read_bodies(const yk_reader *r, const yk_yaml *node,
                               const yk_unit_scope *scope, multibody *m,
                               yoke_err *err)
{
    YK_TRY(yk_file_need(r, node, "bodies", YK_YAML_MAP, &m->bodies, err));
    m->points = yk_yaml_find(node, "points");
    if (m->points) YK_TRY(yk_file_want(r, m->points, YK_YAML_MAP, err));
    YK_TRY(YK_NEW(&m->body, m->bodies->count + 1, err));
    m->to.body = m->body;
    for (const yk_yaml *e = m->bodies->first; e; e = e->next)
        YK_TRY(read_body(r, e, scope, m, &m->body[m->to.bodies++], err));
    return YOKE_OK;
}

static bool is_ground(const yk_yaml *name)
{
    return name->kind == YK_YAML_TEXT && strcmp(name->text, "ground") == 0;
}

static yoke_status find_body(const yk_reader *r, const multibody *m,
                             const yk_yaml *name, int *which, yoke_err *err)
{
    *which = -1;
    return is_ground(name) ? YOKE_OK
                           : yk_file_entry(r, m->bodies, name, which, err);
}

static yoke_status add_point(multibody *m, yk_plane_point point, int *which,
                             yoke_err *err)
{
    YK_TRY(YK_GROW(&m->point, &m->point_room, m->to.points + 1, err));
    *which = m->to.points++;
    m->point[*which] = point;
    m->to.point = m->point;
    return YOKE_OK;
}

static yoke_status read_points(const yk_reader *r, const yk_unit_scope *scope,
                               multibody *m, yoke_err *err)
{
    static const char *const key[] = { "on", "at" };
    int which = 0;

    for (const yk_yaml *e = m->points ? m->points->first : NULL; e;
         e = e->next) {
        yk_plane_point p = { .name = e->key, .watched = true };
        const yk_yaml *on = NULL;
        YK_TRY(check_name(r, m, e, err));
        YK_TRY(yk_file_want(r, e, YK_YAML_MAP, err));
        YK_TRY(yk_file_keys(r, e, 2, key, err));
        YK_TRY(yk_file_need(r, e, "on", YK_YAML_TEXT, &on, err));
        YK_TRY(find_body(r, m, on, &p.body, err));
        YK_TRY(read_pair(r, e, "at", "m", scope, 0.0, &p.x, &p.y, err));
        YK_TRY(add_point(m, p, &which, err));
    }
    return YOKE_OK;
}

static yoke_status no_point(const yk_reader *r, const multibody *m,
                            const yk_yaml *name, yoke_err *err)
{
    const int most = m->bodies->count + (m->points ? m->points->count : 0);
    const char **list = NULL;
    int count = 0;

    YK_TRY(YK_NEW(&list, most + 1, err));
    for (const yk_yaml *e = m->points ? m->points->first : NULL; e; e = e->next)
        list[count++] = e->key;
    for (const yk_yaml *e = m->bodies->first; e; e = e->next)
        list[count++] = e->key;
    yk_fail(err, YOKE_E_FILE, "there is no point or body \"%.100s\"",
            name->text);
    yk_file_suggest(err, name->text, count, list);
    yk_free(list);
    return yk_file_place(r, name, 0, YOKE_E_FILE, err);
}

/* A point by its name; a body stands for its centre, the ground for its origin.
 */
static yoke_status find_point(const yk_reader *r, multibody *m,
                              const yk_yaml *name, int *which, yoke_err *err)
{
    yk_plane_point centre = { .body = -1 };

    YK_TRY(yk_file_want(r, name, YK_YAML_TEXT, err));
    for (*which = 0; *which < m->to.points; ++*which)
        if (strcmp(m->point[*which].name, name->text) == 0) return YOKE_OK;
    for (int i = 0; i < m->to.bodies; i++)
        if (strcmp(m->body[i].name, name->text) == 0) centre.body = i;
    if (centre.body < 0 && !is_ground(name)) return no_point(r, m, name, err);
    centre.name = centre.body < 0 ? "ground" : m->body[centre.body].name;
    return add_point(m, centre, which, err);
}

/* ---- joints -------------------------------------------------------------- */

static const struct {
    const char *name;
    yk_plane_joint_kind kind;
} types[] = {
    { "revolute", YK_REVOLUTE },
    { "translational", YK_TRANSLATIONAL },
    { "weld", YK_WELD },
    { "motor", YK_MOTOR },
};

enum { TYPES = sizeof types / sizeof types[0] };

static yoke_status read_type(const yk_reader *r, const yk_yaml *node,
                             yk_plane_joint_kind *kind, yoke_err *err)
{
    const yk_yaml *type = NULL;
    const char *list[TYPES];

    YK_TRY(yk_file_need(r, node, "type", YK_YAML_TEXT, &type, err));
    for (int i = 0; i < TYPES; i++) {
        list[i] = types[i].name;
        if (strcmp(type->text, list[i]) != 0) continue;
        *kind = types[i].kind;
        return YOKE_OK;
    }
    yk_fail(err, YOKE_E_FILE, "there is no type of joint \"%.100s\"",
            type->text);
    yk_file_suggest(err, type->text, TYPES, list);
    return yk_file_place(r, type, 0, YOKE_E_FILE, err);
}

static yoke_status read_rotation(const yk_reader *r, const yk_yaml *node,
                                 yk_plane_joint *j, yoke_err *err)
{
    const yk_yaml *rotation = yk_yaml_find(node, "rotation");
    const char *text = "fixed";

    if (rotation) YK_TRY(yk_file_text(r, rotation, &text, err));
    if (strcmp(text, "free") == 0)
        j->kind = YK_SLIDING;
    else if (strcmp(text, "fixed") != 0)
        return yk_file_fail(r, rotation, err,
                            "\"rotation\" is free or fixed, not \"%.100s\"",
                            text);
    return YOKE_OK;
}

/* The keys that a joint has beyond `type` and `between`. */
static yoke_status check_keys(const yk_reader *r, const yk_yaml *node,
                              yk_plane_joint_kind kind, yoke_err *err)
{
    static const char *const key[] = { "type", "between", "angle", "axis",
                                       "rotation" };
    static const int count[] = { [YK_REVOLUTE] = 2,
                                 [YK_TRANSLATIONAL] = 5,
                                 [YK_SLIDING] = 5,
                                 [YK_WELD] = 3,
                                 [YK_MOTOR] = 3 };

    return yk_file_keys(r, node, count[kind], key, err);
}

static yoke_status read_joint(const yk_reader *r, const yk_yaml *node,
                              const yk_unit_scope *scope, multibody *m,
                              yk_plane_joint *j, int *motors, yoke_err *err)
{
    const yk_yaml *a = NULL, *b = NULL, *angle = yk_yaml_find(node, "angle");

    YK_TRY(check_name(r, m, node, err));
    YK_TRY(yk_file_want(r, node, YK_YAML_MAP, err));
    YK_TRY(read_type(r, node, &j->kind, err));
    YK_TRY(check_keys(r, node, j->kind, err));
    YK_TRY(read_between(r, node, &a, &b, err));
    YK_TRY(find_point(r, m, a, &j->a, err));
    YK_TRY(find_point(r, m, b, &j->b, err));
    j->name = node->key;
    j->angle = NAN;
    if (j->kind == YK_MOTOR) {
        if (!angle)
            return yk_file_fail(r, node, err, "\"angle\" is missing in \"%s\"",
                                node->key);
        j->drive = (*motors)++;
        return yk_file_function(r, angle, scope, "an angle", "rad", m->angles,
                                j->drive, err);
    }
    if (angle) YK_TRY(yk_file_quantity(r, angle, "rad", scope, &j->angle, err));
    if (j->kind != YK_TRANSLATIONAL) return YOKE_OK;
    YK_TRY(read_pair(r, node, "axis", NULL, scope, 0.0, &j->axis[0],
                     &j->axis[1], err));
    if (!yk_yaml_find(node, "axis"))
        return yk_file_fail(r, node, err, "\"axis\" is missing in \"%s\"",
                            node->key);
    return read_rotation(r, node, j, err);
}

static int count_motors(const yk_yaml *map)
{
    int count = 0;

    for (const yk_yaml *e = map->first; e; e = e->next) {
        const yk_yaml *type =
            e->kind == YK_YAML_MAP ? yk_yaml_find(e, "type") : NULL;
        count += type && type->kind == YK_YAML_TEXT &&
                 strcmp(type->text, "motor") == 0;
    }
    return count;
}

static yoke_status read_joints(yk_reader *r, const yk_yaml *node,
                               const yk_unit_scope *scope, multibody *m,
                               yoke_err *err)
{
    const yk_yaml *map = yk_yaml_find(node, "joints");
    int motors = 0;

    if (!map) return YOKE_OK;
    YK_TRY(yk_file_want(r, map, YK_YAML_MAP, err));
    YK_TRY(YK_NEW(&m->joint, map->count + 1, err));
    YK_TRY(yk_file_functions(r->file, count_motors(map), &m->angles, err));
    m->to.joint = m->joint;
    for (const yk_yaml *e = map->first; e; e = e->next)
        YK_TRY(read_joint(r, e, scope, m, &m->joint[m->to.joints++], &motors,
                          err));
    m->to.lead = lead;
    m->to.lead_context = m->angles;
    YK_TRY(yk_file_bind(m->angles, scope, err));
    m->to.straight = m->to.straight && m->angles->straight;
    return YOKE_OK;
}

/* ---- springs ------------------------------------------------------------- */

/* Stiffness, damping and what is free of force, under the key `rest`. */
static yoke_status read_spring(const yk_reader *r, const yk_yaml *node,
                               const yk_unit_scope *scope, const char *rest,
                               double *stiffness, double *damping,
                               double *value, yoke_err *err)
{
    const char *const key[] = { "between", "stiffness", "damping", rest };
    const bool turns = strcmp(rest, "angle") == 0;

    YK_TRY(yk_file_keys(r, node, 4, key, err));
    YK_TRY(yk_file_setting(r, node, key[1], turns ? "N.m" : "N/m", scope, 0.0,
                           stiffness, err));
    YK_TRY(yk_file_setting(r, node, key[2], turns ? "N.m.s" : "N.s/m", scope,
                           0.0, damping, err));
    YK_TRY(yk_file_setting(r, node, rest, turns ? "rad" : "m", scope, 0.0,
                           value, err));
    if (*stiffness >= 0.0 && *damping >= 0.0) return YOKE_OK;
    return yk_file_fail(r, node, err,
                        "stiffness %g and damping %g must not be negative",
                        *stiffness, *damping);
}

static yoke_status read_springs(const yk_reader *r, const yk_yaml *node,
                                const yk_unit_scope *scope, multibody *m,
                                yoke_err *err)
{
    const yk_yaml *list = yk_yaml_find(node, "springs");
    const yk_yaml *a = NULL, *b = NULL;

    if (!list) return YOKE_OK;
    YK_TRY(yk_file_want(r, list, YK_YAML_LIST, err));
    YK_TRY(YK_NEW(&m->strut, list->count + 1, err));
    m->to.strut = m->strut;
    for (const yk_yaml *e = list->first; e; e = e->next) {
        yk_plane_strut *s = &m->strut[m->to.struts++];
        YK_TRY(yk_file_want(r, e, YK_YAML_MAP, err));
        YK_TRY(read_between(r, e, &a, &b, err));
        YK_TRY(find_point(r, m, a, &s->a, err));
        YK_TRY(find_point(r, m, b, &s->b, err));
        YK_TRY(read_spring(r, e, scope, "length", &s->stiffness, &s->damping,
                           &s->length, err));
    }
    return YOKE_OK;
}

static yoke_status read_torsion(const yk_reader *r, const yk_yaml *node,
                                const yk_unit_scope *scope, multibody *m,
                                yoke_err *err)
{
    const yk_yaml *list = yk_yaml_find(node, "torsion");
    const yk_yaml *a = NULL, *b = NULL;

    if (!list) return YOKE_OK;
    YK_TRY(yk_file_want(r, list, YK_YAML_LIST, err));
    YK_TRY(YK_NEW(&m->torsion, list->count + 1, err));
    m->to.torsion = m->torsion;
    for (const yk_yaml *e = list->first; e; e = e->next) {
        yk_plane_torsion *s = &m->torsion[m->to.torsions++];
        YK_TRY(yk_file_want(r, e, YK_YAML_MAP, err));
        YK_TRY(read_between(r, e, &a, &b, err));
        YK_TRY(find_body(r, m, a, &s->a, err));
        YK_TRY(find_body(r, m, b, &s->b, err));
        if (s->a == s->b)
            return yk_file_fail(r, a, err,
                                "both ends of the spring are the same");
        YK_TRY(read_spring(r, e, scope, "angle", &s->stiffness, &s->damping,
                           &s->angle, err));
    }
    return YOKE_OK;
}

/* ---- loads --------------------------------------------------------------- */

static yoke_status add_load(multibody *m, yk_plane_load load, yoke_err *err)
{
    YK_TRY(YK_GROW(&m->load, &m->load_room, m->to.loads + 1, err));
    m->load[m->to.loads++] = load;
    m->to.load = m->load;
    return YOKE_OK;
}

/* A point that is not of the ground. */
static yoke_status find_target(const yk_reader *r, multibody *m,
                               const yk_yaml *name, int *which, yoke_err *err)
{
    YK_TRY(find_point(r, m, name, which, err));
    if (m->point[*which].body >= 0) return YOKE_OK;
    return yk_file_fail(
        r, name, err, "\"%s\" is on the ground: no force moves it", name->text);
}

static yoke_status read_force(const yk_reader *r, const yk_yaml *node,
                              const yk_unit_scope *scope, multibody *m,
                              yoke_err *err)
{
    static const char *const force[] = { "at", "force" };
    static const char *const torque[] = { "on", "torque" };
    const int first = 2 * m->to.loads;
    yk_plane_load load = { 0 };
    const yk_yaml *to = NULL, *value = NULL;

    YK_TRY(yk_file_want(r, node, YK_YAML_MAP, err));
    load.torque = yk_yaml_find(node, "torque") != NULL;
    YK_TRY(yk_file_keys(r, node, 2, load.torque ? torque : force, err));
    YK_TRY(yk_file_need(r, node, load.torque ? "on" : "at", YK_YAML_TEXT, &to,
                        err));
    YK_TRY(find_target(r, m, to, &load.point, err));
    YK_TRY(add_load(m, load, err));
    if (load.torque) {
        value = yk_yaml_find(node, "torque");
        YK_TRY(yk_file_function(r, value, scope, "a torque", "N.m", m->forces,
                                first, err));
        return yk_file_function(r, NULL, scope, "a torque", "N.m", m->forces,
                                first + 1, err);
    }
    YK_TRY(yk_file_need(r, node, "force", YK_YAML_LIST, &value, err));
    if (value->count != 2)
        return yk_file_fail(r, value, err, "\"force\" has two numbers, not %d",
                            value->count);
    YK_TRY(yk_file_function(r, value->first, scope, "a force", "N", m->forces,
                            first, err));
    return yk_file_function(r, value->first->next, scope, "a force", "N",
                            m->forces, first + 1, err);
}

static yoke_status read_forces(yk_reader *r, const yk_yaml *node,
                               const yk_unit_scope *scope, multibody *m,
                               yoke_err *err)
{
    const yk_yaml *list = yk_yaml_find(node, "forces");

    if (!list) return YOKE_OK;
    YK_TRY(yk_file_want(r, list, YK_YAML_LIST, err));
    YK_TRY(yk_file_functions(r->file, 2 * list->count, &m->forces, err));
    for (const yk_yaml *e = list->first; e; e = e->next)
        YK_TRY(read_force(r, e, scope, m, err));
    m->to.act = yk_functions_now;
    m->to.act_context = m->forces;
    YK_TRY(yk_file_bind(m->forces, scope, err));
    m->to.straight = m->to.straight && m->forces->straight;
    return YOKE_OK;
}

/* "A": a force at the point A; "B.torque": on the body B. */
static yoke_status read_input(const yk_reader *r, const yk_yaml *item,
                              multibody *m, yoke_err *err)
{
    static const char tail[] = ".torque";
    const size_t length = strlen(item->text), end = sizeof tail - 1;
    yk_plane_load load = { .input = true };
    yk_yaml name = *item;
    char *own = NULL;

    load.torque = length > end && strcmp(item->text + length - end, tail) == 0;
    YK_TRY(yk_copy_text(&own, item->text, err));
    if (load.torque) own[length - end] = '\0';
    name.text = own;
    yoke_status status = find_target(r, m, &name, &load.point, err);
    if (status == YOKE_OK && load.torque) {
        int body = 0;
        status = find_body(r, m, &name, &body, err);
    }
    yk_free(own);
    YK_TRY(status);
    for (int k = 0; k < m->to.loads; k++)
        if (m->load[k].input && m->load[k].point == load.point &&
            m->load[k].torque == load.torque)
            return yk_file_fail(r, item, err, "\"%.100s\" is there twice",
                                item->text);
    return add_load(m, load, err);
}

static yoke_status read_inputs(const yk_reader *r, const yk_yaml *node,
                               multibody *m, yoke_err *err)
{
    const yk_yaml *list = yk_yaml_find(node, "inputs");
    const yk_yaml **item = NULL;
    int count = 0;

    if (!list) return YOKE_OK;
    YK_TRY(yk_file_texts(r, list, &item, &count, err));
    yoke_status status = YOKE_OK;
    for (int i = 0; status == YOKE_OK && i < count; i++)
        status = read_input(r, item[i], m, err);
    yk_free(item);
    return status;
}

/* ---- the component ------------------------------------------------------- */

static double start_of(const yk_reader *r)
{
    while (r->parent) r = r->parent;
    return r->file->run.start;
}

static yoke_status read_all(yk_reader *r, const yk_yaml *node,
                            const yk_unit_scope *scope, multibody *m,
                            yoke_err *err)
{
    m->to.start = start_of(r);
    m->to.straight = true;
    m->to.next_break = yk_functions_next_break;
    YK_TRY(read_pair(r, node, "gravity", "m/s^2", scope, 0.0, &m->to.gravity[0],
                     &m->to.gravity[1], err));
    YK_TRY(read_bodies(r, node, scope, m, err));
    YK_TRY(read_points(r, scope, m, err));
    YK_TRY(read_joints(r, node, scope, m, err));
    YK_TRY(read_springs(r, node, scope, m, err));
    YK_TRY(read_torsion(r, node, scope, m, err));
    YK_TRY(read_forces(r, node, scope, m, err));
    YK_TRY(read_inputs(r, node, m, err));
    YK_TRY(yk_file_setting(r, node, "assemble", "m", scope, 0.0,
                           &m->to.assemble, err));
    return yk_read_formulation(r, node, scope, usual_eta, &m->to.formulation,
                               &m->to.eta, err);
}

static yoke_status read(yk_reader *r, const yk_yaml *node,
                        const yk_unit_scope *scope, yoke_system **out,
                        yoke_err *err)
{
    multibody m = { 0 };
    yoke_status status = read_all(r, node, scope, &m, err);

    if (status == YOKE_OK)
        status = yk_file_place_key(
            r, node, yk_plane_create(out, node->key, &m.to, err), err);
    if (status == YOKE_OK)
        status = yk_functions_told(out, m.forces, m.angles, err);
    multibody_clear(&m);
    return status;
}

static const yk_key keys[] = {
    { "gravity", YK_KEY_LIST, false, NULL, "acceleration, two numbers [none]" },
    { "bodies", YK_KEY_MAP, true, NULL,
      "mass, inertia, position, angle, velocity, rate" },
    { "points", YK_KEY_MAP, false, NULL,
      "on a body or the ground, at coordinates of the body" },
    { "joints", YK_KEY_MAP, false, NULL,
      "revolute, translational, weld, motor" },
    { "springs", YK_KEY_LIST, false, NULL,
      "between two points: stiffness, damping, length" },
    { "torsion", YK_KEY_LIST, false, NULL,
      "between two bodies: stiffness, damping, angle" },
    { "forces", YK_KEY_LIST, false, NULL,
      "a force at a point or a torque on a body" },
    { "inputs", YK_KEY_NAMES, false, NULL, "POINT for its force, BODY.torque" },
    { "formulation", YK_KEY_TEXT, false, NULL,
      "stabilised, projected, position, velocity, ggl [stabilised]" },
    { "eta", YK_KEY_NUMBER, false, "1/s", "of stabilised and projected [10]" },
    { "assemble", YK_KEY_NUMBER, false, NULL,
      "start values that are wrong by no more than this are corrected [0]" },
    { NULL, YK_KEY_TEXT, false, NULL, NULL },
};

const yk_component yk_component_multibody = {
    .source = "component",
    .name = "multibody",
    .text = "rigid bodies in the plane",
    .key = keys,
    .make = read,
};
