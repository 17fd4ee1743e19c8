/* comp/mechanism/multibody.c -- rigid bodies in the plane as a system.
 *
 *     M q'' = phi(t, q, q', u) - G(q)' lambda,   0 = gamma(t, q)
 *
 * with q = (x, y, angle) of every body, so that M is diagonal and constant and
 * every joint and spring touches six coordinates.  Unknowns and equations are
 * those of mechanism.c; the Jacobians are exact and sparse.
 *
 * Reference: Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems
 * (1989), chapters 3 and 6.
 */
#include "base/arena.h"
#include "comp/mechanism/multibody.h"
#include "yoke/optional.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void multibody_free(void *self)
{
    yk_multibody *s = self;

    if (!s) return;
    YK_FREE(s->point, s->strut, s->torsion, s->load, s->input, s->row, s->mass,
            s->acts, s->leads, s->names);
    for (int b = 0; b < YK_BLOCKS; b++)
        yk_multibody_places_clear(&s->places[b]);
    yk_projector_clear(&s->projector);
    yk_free(s);
}

/* ---- evaluation ---------------------------------------------------------- */

static void add_row(const yk_multibody *s, int k, const yk_multibody_row_at *c,
                    const double *x, double *f)
{
    const yk_multibody_row *row = &s->row[k];
    const int n = s->n, at = 3 * n + k;
    double v[YK_LOCAL], a[YK_LOCAL];

    yk_gather(row->a.body, row->b.body, x + n, v);
    yk_gather(row->a.body, row->b.body, x + 2 * n, a);
    for (int i = 0; i < YK_LOCAL; i++) {
        const int j = yk_coordinate(row->a.body, row->b.body, i);
        if (j < 0) continue;
        f[2 * n + j] += c->G[i] * x[at];
        if (s->formulation == YOKE_GGL) f[j] += c->G[i] * x[at + s->rows];
    }
    const double first = yk_row_along(c->G, v) + c->rate;
    switch (s->formulation) {
    case YOKE_POSITION:
        f[at] = c->value;
        break;
    case YOKE_VELOCITY:
        f[at] = first;
        break;
    case YOKE_STABILISED:
    case YOKE_PROJECTED:
        f[at] = yk_row_along(c->G, a) + c->bend + 2.0 * s->eta * first +
                s->eta * s->eta * c->value;
        break;
    case YOKE_GGL:
        f[at] = first;
        f[at + s->rows] = c->value;
        break;
    }
}

static yoke_status multibody_eval(void *self, double t, const double *x,
                                  const double *u, double *q, double *f,
                                  yoke_err *err)
{
    yk_multibody *s = self;
    const int n = s->n;
    yk_multibody_row_at c;

    for (int i = 0; q && i < s->all; i++) q[i] = i < 2 * n ? x[i] : 0.0;
    if (!f) return YOKE_OK;
    memset(f, 0, (size_t)s->all * sizeof *f);
    YK_TRY(yk_forces(s, t, x, x + n, u, f + 2 * n, err));
    for (int i = 0; i < n; i++) {
        f[i] = -x[n + i];
        f[n + i] = -x[2 * n + i];
        f[2 * n + i] = s->mass[i] * x[2 * n + i] - f[2 * n + i];
    }
    yk_multibody_drives(s, t);
    for (int k = 0; k < s->rows; k++) {
        yk_row_evaluate(s, k, x, x + n, &c);
        add_row(s, k, &c, x, f);
    }
    return YOKE_OK;
}

static yoke_status multibody_jacobian(void *self, double t, const double *x,
                                      const double *u, const yoke_jacobian *jac,
                                      yoke_err *err)
{
    yk_multibody *s = self;
    double *const to[YK_BLOCKS] = { [YK_BLOCK_C] = jac->C,
                                    [YK_BLOCK_G] = jac->G,
                                    [YK_BLOCK_GU] = jac->Gu,
                                    [YK_BLOCK_HX] = jac->Hx };

    for (int b = 0; b < YK_BLOCKS; b++)
        yk_multibody_places_begin(&s->places[b], to[b]);
    return yk_multibody_write(s, t, x, u, err);
}

/* ---- projection ---------------------------------------------------------- */

static yoke_status project_mass(void *self, const double *q, double *M,
                                yoke_err *err)
{
    const yk_multibody *s = self;

    (void)q, (void)err;
    for (int i = 0; i < s->n; i++) M[i * s->n + i] = s->mass[i];
    return YOKE_OK;
}

static yoke_status project_constrain(void *self, double t, const double *q,
                                     const double *v, double *value,
                                     double *rate, double *G, yoke_err *err)
{
    yk_multibody *s = self;
    yk_multibody_row_at c;

    (void)err;
    yk_multibody_drives(s, t);
    for (int k = 0; k < s->rows; k++) {
        const yk_multibody_row *row = &s->row[k];
        yk_row_evaluate(s, k, q, v, &c);
        value[k] = c.value;
        rate[k] = c.rate;
        for (int i = 0; i < YK_LOCAL; i++) {
            const int j = yk_coordinate(row->a.body, row->b.body, i);
            if (j >= 0) G[k * s->n + j] += c.G[i];
        }
    }
    return YOKE_OK;
}

static yoke_status multibody_project(void *self, double t, double *x,
                                     double missed[2], yoke_err *err)
{
    yk_multibody *s = self;

    return yk_project_both(&s->projector, t, x, x + s->n, missed, err);
}

static bool multibody_explain(void *self, yoke_question *ask, char *text,
                              size_t size)
{
    const yk_multibody *s = self;

    return yk_project_explain(&s->projector, ask, text, size);
}

static yoke_status make_projector(yk_multibody *s, const char *const *name,
                                  yoke_err *err)
{
    s->projector = (yk_projector){ .n = s->n,
                                   .count = s->rows,
                                   .mass = project_mass,
                                   .constrain = project_constrain,
                                   .self = s };
    YK_TRY(yk_projector_name(&s->projector, name, err));
    if (s->formulation != YOKE_PROJECTED) return YOKE_OK;
    return yk_projector_create(&s->projector, err);
}

/* ---- what the user gives ------------------------------------------------- */

static yoke_status check_body(const yk_plane_body *b, yoke_err *err)
{
    if (!(b->mass > 0.0) || !isfinite(b->mass))
        return yk_fail(err, YOKE_E_MODEL,
                       "body \"%s\" has the mass %g kg; it must be more than "
                       "zero",
                       b->name, b->mass);
    if (!(b->inertia > 0.0) || !isfinite(b->inertia))
        return yk_fail(err, YOKE_E_MODEL,
                       "body \"%s\" has the moment of inertia %g kg m^2; it "
                       "must be more than zero",
                       b->name, b->inertia);
    if (isfinite(b->x) && isfinite(b->y) && isfinite(b->angle) &&
        !isinf(b->vx) && !isinf(b->vy) && !isinf(b->omega))
        return YOKE_OK;
    return yk_fail(err, YOKE_E_MODEL, "body \"%s\" starts nowhere", b->name);
}

static bool is_positive(double a)
{
    return isfinite(a) && a >= 0.0;
}

static yoke_status check_spring(const char *a, const char *b, double stiffness,
                                double damping, double rest, yoke_err *err)
{
    if (is_positive(stiffness) && is_positive(damping) && isfinite(rest))
        return YOKE_OK;
    return yk_fail(err, YOKE_E_MODEL,
                   "spring between \"%s\" and \"%s\": stiffness %g and damping "
                   "%g must not be negative",
                   a, b, stiffness, damping);
}

static yoke_status check_pair(const yk_plane *g, const char *what, int a, int b,
                              yoke_err *err)
{
    if (a < 0 || a >= g->points || b < 0 || b >= g->points)
        return yk_fail(err, YOKE_E_ARG,
                       "%s is between points %d and %d; there are 0 to %d",
                       what, a, b, g->points - 1);
    const yk_plane_point *p = &g->point[a], *q = &g->point[b];
    if (p->body != q->body) return YOKE_OK;
    if (p->body < 0)
        return yk_fail(err, YOKE_E_MODEL,
                       "%s: both points, \"%s\" and \"%s\", are on the ground",
                       what, p->name, q->name);
    return yk_fail(err, YOKE_E_MODEL,
                   "%s: both points, \"%s\" and \"%s\", are on the body \"%s\"",
                   what, p->name, q->name, g->body[p->body].name);
}

static yoke_status check_joint(const yk_plane *g, const yk_plane_joint *j,
                               yoke_err *err)
{
    char what[100];

    snprintf(what, sizeof what, "joint \"%.80s\"", j->name);
    YK_TRY(check_pair(g, what, j->a, j->b, err));
    if (isinf(j->angle))
        return yk_fail(err, YOKE_E_MODEL, "%s: its angle is %g", what,
                       j->angle);
    if (j->kind != YK_TRANSLATIONAL && j->kind != YK_SLIDING) return YOKE_OK;
    const double length = hypot(j->axis[0], j->axis[1]);
    if (length > 0.0 && isfinite(length)) return YOKE_OK;
    return yk_fail(err, YOKE_E_MODEL, "%s: its axis (%g, %g) has no direction",
                   what, j->axis[0], j->axis[1]);
}

static yoke_status check_forces(const yk_plane *g, yoke_err *err)
{
    for (int k = 0; k < g->struts; k++) {
        const yk_plane_strut *c = &g->strut[k];
        YK_TRY(check_pair(g, "spring", c->a, c->b, err));
        YK_TRY(check_spring(g->point[c->a].name, g->point[c->b].name,
                            c->stiffness, c->damping, c->length, err));
    }
    for (int k = 0; k < g->torsions; k++) {
        const yk_plane_torsion *c = &g->torsion[k];
        if (c->a < -1 || c->a >= g->bodies || c->b < -1 || c->b >= g->bodies ||
            c->a == c->b)
            return yk_fail(err, YOKE_E_ARG,
                           "torsion spring %d is between bodies %d and %d; "
                           "there are 0 to %d, and the ground, -1",
                           k + 1, c->a, c->b, g->bodies - 1);
        YK_TRY(check_spring(c->a < 0 ? "ground" : g->body[c->a].name,
                            c->b < 0 ? "ground" : g->body[c->b].name,
                            c->stiffness, c->damping, c->angle, err));
    }
    for (int k = 0; k < g->loads; k++)
        if (g->load[k].point < 0 || g->load[k].point >= g->points ||
            g->point[g->load[k].point].body < 0)
            return yk_fail(err, YOKE_E_ARG,
                           "load %d acts on no point of a body", k + 1);
    return YOKE_OK;
}

static yoke_status check(const yk_plane *g, yoke_err *err)
{
    enum { MOST = 1000 }; /* the checks at the start are dense */

    if (g->bodies < 1 || g->bodies > MOST || g->joints > MOST)
        return yk_fail(err, YOKE_E_ARG,
                       "%d bodies and %d joints; at least 1 body, at most %d "
                       "of both",
                       g->bodies, g->joints, MOST);
    if (!is_positive(g->eta))
        return yk_fail(err, YOKE_E_ARG, "eta is %g 1/s; it must be at least 0",
                       g->eta);
    if (!is_positive(g->assemble))
        return yk_fail(err, YOKE_E_ARG,
                       "assemble is %g m; it must be at least 0", g->assemble);
    if (!isfinite(g->gravity[0]) || !isfinite(g->gravity[1]))
        return yk_fail(err, YOKE_E_ARG, "gravity is (%g, %g)", g->gravity[0],
                       g->gravity[1]);
    for (int i = 0; i < g->bodies; i++) YK_TRY(check_body(&g->body[i], err));
    for (int i = 0; i < g->points; i++)
        if (g->point[i].body < -1 || g->point[i].body >= g->bodies ||
            !isfinite(g->point[i].x) || !isfinite(g->point[i].y))
            return yk_fail(err, YOKE_E_ARG,
                           "point \"%s\" is on body %d; there are 0 to %d, and "
                           "the ground, -1; its coordinates are finite",
                           g->point[i].name, g->point[i].body, g->bodies - 1);
    for (int i = 0; i < g->joints; i++)
        YK_TRY(check_joint(g, &g->joint[i], err));
    return check_forces(g, err);
}

/* ---- copies -------------------------------------------------------------- */

static double angle_of(const yk_plane *g, int body)
{
    return body < 0 ? 0.0 : g->body[body].angle;
}

static void add_rows(yk_multibody *s, const yk_plane *g, int k)
{
    static const struct {
        int count;
        yk_multibody_row_kind kind[3];
    } rows[] = {
        [YK_REVOLUTE] = { 2, { YK_ROW_X, YK_ROW_Y } },
        [YK_TRANSLATIONAL] = { 2, { YK_ROW_ACROSS, YK_ROW_ANGLE } },
        [YK_SLIDING] = { 1, { YK_ROW_ACROSS } },
        [YK_WELD] = { 3, { YK_ROW_X, YK_ROW_Y, YK_ROW_ANGLE } },
        [YK_MOTOR] = { 1, { YK_ROW_ANGLE } },
    };
    const yk_plane_joint *j = &g->joint[k];
    const yk_plane_point *a = &s->point[j->a], *b = &s->point[j->b];
    const double length = hypot(j->axis[0], j->axis[1]);

    for (int i = 0; i < rows[j->kind].count; i++) {
        yk_multibody_row *row = &s->row[s->rows++];
        *row = (yk_multibody_row){ .kind = rows[j->kind].kind[i],
                                   .joint = k,
                                   .a = *a,
                                   .b = *b,
                                   .drive = -1 };
        if (row->kind == YK_ROW_ACROSS) {
            row->normal[0] = -j->axis[1] / length;
            row->normal[1] = j->axis[0] / length;
        }
        if (row->kind != YK_ROW_ANGLE) continue;
        if (j->kind == YK_MOTOR) {
            row->drive = j->drive;
            if (j->drive >= s->drives) s->drives = j->drive + 1;
        } else {
            row->offset = isnan(j->angle)
                              ? angle_of(g, b->body) - angle_of(g, a->body)
                              : j->angle;
        }
    }
}

static yoke_status copy_points(yk_multibody *s, const yk_plane *g,
                               yoke_err *err)
{
    size_t size = 1;

    for (int i = 0; i < g->points; i++) size += strlen(g->point[i].name) + 1;
    YK_TRY(YK_NEW(&s->point, g->points + 1, err));
    YK_TRY(yk_alloc((void **)&s->names, size, 1, err));
    char *at = s->names;
    for (int i = 0; i < g->points; i++) {
        s->point[i] = g->point[i];
        s->point[i].name = strcpy(at, g->point[i].name);
        s->point[i].watched = g->point[i].watched && g->point[i].body >= 0;
        s->watched += s->point[i].watched;
        at += strlen(at) + 1;
    }
    return YOKE_OK;
}

static yoke_status copy_forces(yk_multibody *s, const yk_plane *g,
                               yoke_err *err)
{
    s->struts = g->struts;
    s->torsions = g->torsions;
    s->loads = g->loads;
    YK_TRY(YK_NEW(&s->strut, g->struts + 1, err));
    YK_TRY(YK_NEW(&s->torsion, g->torsions + 1, err));
    YK_TRY(YK_NEW(&s->load, g->loads + 1, err));
    YK_TRY(yk_ints(&s->input, (size_t)g->loads + 1, err));
    YK_TRY(yk_doubles(&s->acts, 2 * (size_t)g->loads + 2, err));
    for (int k = 0; k < g->struts; k++) s->strut[k] = g->strut[k];
    for (int k = 0; k < g->torsions; k++) s->torsion[k] = g->torsion[k];
    for (int k = 0; k < g->loads; k++) {
        s->load[k] = g->load[k];
        s->input[k] = g->load[k].input ? s->inputs : -1;
        if (g->load[k].input) s->inputs += g->load[k].torque ? 1 : 2;
    }
    return YOKE_OK;
}

static yoke_status copy(yk_multibody *s, const yk_plane *g, yoke_err *err)
{
    s->bodies = g->bodies;
    s->points = g->points;
    s->n = 3 * g->bodies;
    s->formulation = g->formulation;
    s->eta = g->eta;
    s->act = g->act;
    s->lead = g->lead;
    s->act_context = g->act_context;
    s->lead_context = g->lead_context;
    s->next_break = g->next_break;
    memcpy(s->gravity, g->gravity, sizeof s->gravity);
    YK_TRY(yk_doubles(&s->mass, (size_t)s->n, err));
    for (int i = 0; i < s->n; i++)
        s->mass[i] = i % 3 == 2 ? g->body[i / 3].inertia : g->body[i / 3].mass;
    YK_TRY(copy_points(s, g, err));
    YK_TRY(copy_forces(s, g, err));
    YK_TRY(YK_NEW(&s->row, 3 * g->joints + 1, err));
    for (int k = 0; k < g->joints; k++) add_rows(s, g, k);
    YK_TRY(yk_doubles(&s->leads, 3 * (size_t)s->drives + 1, err));
    s->all = 3 * s->n + s->rows * (s->formulation == YOKE_GGL ? 2 : 1);
    s->p = YK_BODY_LEVELS * (s->n + 2 * s->watched) + 3 * s->rows + 3;
    return YOKE_OK;
}

/* ---- names --------------------------------------------------------------- */

typedef struct names {
    const char **x, **y, **u, **eq, **row, **x_unit, **y_unit;
    yk_labels text;
} names;

static void names_clear(names *n)
{
    YK_FREE(n->x, n->y, n->u, n->eq, n->row, n->x_unit, n->y_unit);
    yk_arena_clear(&n->text.arena);
}

static const char *const level[YK_BODY_LEVELS] = { "", ".v", ".a" };

/* Of places and of angles. */
static const char *const unit[2][YK_BODY_LEVELS] = {
    { "m", "m/s", "m/s2" }, { "rad", "rad/s", "rad/s2" }
};

static void name_bodies(names *n, const yk_multibody *s, const yk_plane *g)
{
    static const char *const coordinate[] = { ".x", ".y", ".angle" };
    static const char *const equation[] = { "velocity of ", "acceleration of ",
                                            "motion of " };

    for (int i = 0; i < s->n; i++)
        for (int l = 0; l < YK_BODY_LEVELS; l++) {
            const char *body = g->body[i / 3].name, *c = coordinate[i % 3];
            n->x[l * s->n + i] = n->y[YK_BODY_LEVELS * i + l] =
                yk_label(&n->text, "%s%s%s", body, c, level[l]);
            n->x_unit[l * s->n + i] = n->y_unit[YK_BODY_LEVELS * i + l] =
                unit[i % 3 == 2][l];
            n->eq[l * s->n + i] =
                yk_label(&n->text, "%s%s%s", equation[l], body, c);
        }
}

static int name_points(names *n, const yk_multibody *s)
{
    int at = YK_BODY_LEVELS * s->n;

    for (int k = 0; k < s->points; k++)
        for (int i = 0; s->point[k].watched && i < 2 * YK_BODY_LEVELS; i++) {
            n->y_unit[at] = unit[0][i % YK_BODY_LEVELS];
            n->y[at++] = yk_label(&n->text, "%s%s%s", s->point[k].name,
                                  i < YK_BODY_LEVELS ? ".x" : ".y",
                                  level[i % YK_BODY_LEVELS]);
        }
    return at;
}

static int name_rows(names *n, const yk_multibody *s, const yk_plane *g, int at)
{
    static const char *const word[] = { ".x", ".y", ".across", ".angle" };
    static const char *const reaction[] = { ".fx", ".fy", ".force", ".torque" };

    for (int k = 0; k < s->rows; k++) {
        const yk_multibody_row *row = &s->row[k];
        const char *joint = g->joint[row->joint].name, *w = word[row->kind];
        const int x = 3 * s->n + k, drift = at + s->rows + 2 * k;
        n->row[k] = yk_label(&n->text, "%s%s", joint, w);
        n->x[x] = yk_label(&n->text, "lambda.%s%s", joint, w);
        n->eq[x] = yk_label(&n->text, "constraint %s%s", joint, w);
        n->y[at + k] = yk_label(&n->text, "%s%s", joint, reaction[row->kind]);
        n->y[drift] = yk_label(&n->text, "drift.%s%s", joint, w);
        n->y[drift + 1] = yk_label(&n->text, "drift.%s%s.v", joint, w);
        const bool turns = strcmp(w, ".angle") == 0;
        n->x_unit[x] = n->y_unit[at + k] = turns ? "N.m" : "N";
        n->y_unit[drift] = unit[turns][0];
        n->y_unit[drift + 1] = unit[turns][1];
        if (s->formulation != YOKE_GGL) continue;
        n->x[x + s->rows] = yk_label(&n->text, "mu.%s%s", joint, w);
        n->eq[x + s->rows] = yk_label(&n->text, "position of %s%s", joint, w);
    }
    return at + 3 * s->rows;
}

static yoke_status make_names(names *n, const yk_multibody *s,
                              const yk_plane *g, yoke_err *err)
{
    static const char *const energy[] = { "energy.kinetic", "energy.potential",
                                          "energy.total" };

    YK_TRY(YK_NEW(&n->x, s->all, err));
    YK_TRY(YK_NEW(&n->eq, s->all, err));
    YK_TRY(YK_NEW(&n->y, s->p, err));
    YK_TRY(YK_NEW(&n->x_unit, s->all, err));
    YK_TRY(YK_NEW(&n->y_unit, s->p, err));
    YK_TRY(YK_NEW(&n->u, s->inputs + 1, err));
    YK_TRY(YK_NEW(&n->row, s->rows + 1, err));
    name_bodies(n, s, g);
    const int at = name_rows(n, s, g, name_points(n, s));
    for (int i = 0; i < 3; i++) {
        n->y[at + i] = energy[i];
        n->y_unit[at + i] = "J";
    }
    for (int k = 0; k < s->loads; k++) {
        const yk_plane_point *p = &s->point[s->load[k].point];
        const int u = s->input[k];
        if (u < 0) continue;
        if (s->load[k].torque) {
            n->u[u] = yk_label(&n->text, "%s.torque", g->body[p->body].name);
            continue;
        }
        n->u[u] = yk_label(&n->text, "%s.fx", p->name);
        n->u[u + 1] = yk_label(&n->text, "%s.fy", p->name);
    }
    return n->text.status;
}

/* ---- the system ---------------------------------------------------------- */

/* The patterns, by writing the Jacobians once. */
static yoke_status find_places(yk_multibody *s, double t, const double *x,
                               yoke_err *err)
{
    const int rows[YK_BLOCKS] = { s->all, s->all, s->all, s->p };
    const int cols[YK_BLOCKS] = { s->all, s->all, s->inputs, s->all };
    double *u = NULL;

    YK_TRY(yk_doubles(&u, (size_t)s->inputs + 1, err));
    yoke_status status = yk_multibody_write(s, t, x, u, err);
    yk_free(u);
    for (int b = 0; status == YOKE_OK && b < YK_BLOCKS; b++)
        status = yk_multibody_places_end(&s->places[b], rows[b], cols[b], err);
    return status;
}

static void first_point(const yk_multibody *s, const yk_plane *g, double *x)
{
    for (int i = 0; i < s->bodies; i++) {
        const yk_plane_body *b = &g->body[i];
        const double q[3] = { b->x, b->y, b->angle };
        const double v[3] = { b->vx, b->vy, b->omega };
        memcpy(x + 3 * i, q, sizeof q);
        memcpy(x + s->n + 3 * i, v, sizeof v);
    }
}

static double next_break(void *self, double t)
{
    const yk_multibody *s = self;
    double next = INFINITY;

    if (s->next_break && s->act) next = s->next_break(s->act_context, t);
    if (s->next_break && s->lead)
        next = fmin(next, s->next_break(s->lead_context, t));
    return next;
}

static const yoke_system_ops multibody_ops = {
    .kind = "multibody",
    .eval = multibody_eval,
    .output = yk_multibody_output,
    .jacobian = multibody_jacobian,
    .next_break = next_break,
    .free = multibody_free,
};

static const yoke_help_ops multibody_help = { .explain = multibody_explain };
static const yoke_help_ops projected_help = { .project = multibody_project,
                                              .explain = multibody_explain };

static yoke_status create(yoke_system **out, const char *name, yk_multibody *s,
                          const names *n, const double *x0, bool straight,
                          yoke_err *err)
{
    const yoke_system_info info = {
        .n = s->all,
        .m = s->inputs,
        .p = s->p,
        .flags = straight ? YOKE_TIMELESS : 0u,
        .positions = s->n,
        .help = s->formulation == YOKE_PROJECTED && s->rows > 0
                    ? &projected_help
                    : &multibody_help,
        .x0 = x0,
        .x_name = n->x,
        .x_unit = n->x_unit,
        .u_name = n->u,
        .y_name = n->y,
        .y_unit = n->y_unit,
        .eq_name = n->eq,
        .C = s->places[YK_BLOCK_C].pattern,
        .G = s->places[YK_BLOCK_G].pattern,
        .Gu = s->places[YK_BLOCK_GU].pattern,
        .Hx = s->places[YK_BLOCK_HX].pattern,
    };

    return yoke_system_create(out, name, &multibody_ops, s, &info, err);
}

yoke_status yk_plane_create(yoke_system **out, const char *name,
                            const yk_plane *given, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_multibody *s = NULL;
    names n = { .text = { .err = err } };
    double *x0 = NULL;

    YK_GO(YK_NEW(&s, 1, err));
    YK_GO(check(given, err));
    YK_GO(copy(s, given, err));
    YK_GO(make_names(&n, s, given, err));
    YK_GO(yk_doubles(&x0, (size_t)s->all, err));
    first_point(s, given, x0);
    YK_GO(yk_multibody_start(s, given, n.row, x0, err));
    YK_GO(find_places(s, given->start, x0, err));
    YK_GO(make_projector(s, n.row, err));
    yk_multibody *const taken = s;
    s = NULL;
    const bool straight = given->straight || (!given->act && !given->lead);
    YK_GO(create(out, name, taken, &n, x0, straight, err));
done:
    if (s) yk_prefix(err, "subsystem \"%s\"", name ? name : "unnamed");
    multibody_free(s);
    names_clear(&n);
    yk_free(x0);
    return status;
}
