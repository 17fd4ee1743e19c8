/* comp/equation/front/external.c -- external functions.
 *
 * Those of the standard library that are known by the name of their C function
 * are expressions of ours: tables (table_value.c).  All others are refused by
 * that name, where they are called.
 *
 * An external object is the call of its constructor, which is looked at when a
 * function asks for the object.
 */
#include "comp/equation/front/table_value.h"

#include <math.h>
#include <string.h>

/* ---- Arguments ----------------------------------------------------------- */

typedef struct request {
    yk_expr *call;           /* in the model */
    const yk_class *f;       /* the function that is called */
    const yk_external *from; /* its external part */
} request;

/* What the caller gives for argument `number` of the C function. */
static yoke_status actual(yk_translator *t, const request *r, int number,
                          yk_expr **out)
{
    const yk_expr *c = r->from->call;
    int inputs = 0;

    if (number >= c->count || c->child[number]->kind != YK_EXPR_REFERENCE)
        return yk_refuse(t, r->call->at,
                         "the external function %s is called in a form that is "
                         "not supported",
                         c->name);
    const char *name = c->child[number]->name;
    for (int i = 0; i < r->f->declarations; i++) {
        const yk_declaration *d = r->f->declaration[i];
        if (!d->is_input) continue;
        if (strcmp(d->name, name) == 0) {
            *out = yk_argument(r->call, inputs, name);
            if (!*out) *out = d->modifier->value;
            if (*out) return YOKE_OK;
        }
        inputs++;
    }
    return yk_refuse(t, r->call->at, "%s lacks the argument %s", r->f->name,
                     name);
}

static yoke_status scalar(yk_translator *t, const request *r, int number,
                          yk_value *out)
{
    yk_expr *e = NULL;
    yk_shape shape;

    YK_TRY(actual(t, r, number, &e));
    YK_TRY(yk_shape_of(t, e, &shape));
    if (shape.dims || shape.type > YK_TYPE_INTEGER)
        return yk_refuse(t, e->at, "a number is needed here");
    return yk_element(t, e, NULL, 0, out);
}

static yoke_status whole(yk_translator *t, const request *r, int number,
                         int *out)
{
    yk_expr *e = NULL;

    YK_TRY(actual(t, r, number, &e));
    return yk_whole(t, e, out);
}

/* ---- Tables -------------------------------------------------------------- */

/* The argument of the constructor with this name, or NULL. */
static yk_expr *given(const yk_class *constructor, const yk_expr *call,
                      const char *name)
{
    int inputs = 0;

    for (int i = 0; i < constructor->declarations; i++) {
        const yk_declaration *d = constructor->declaration[i];
        if (!d->is_input) continue;
        if (strcmp(d->name, name) == 0) {
            yk_expr *e = yk_argument(call, inputs, name);
            return e ? e : d->modifier->value;
        }
        inputs++;
    }
    return NULL;
}

static yoke_status number_of(yk_translator *t, const yk_class *c,
                             const yk_expr *call, const char *name,
                             double preset, double *out)
{
    yk_expr *e = given(c, call, name);

    *out = preset;
    return e ? yk_constant(t, e, name, out) : YOKE_OK;
}

/* All numbers of an argument, which is kept. */
static yoke_status numbers_of(yk_translator *t, const yk_class *c,
                              const yk_expr *call, const char *name,
                              yk_shape *shape, double **out)
{
    yk_expr *e = given(c, call, name);
    yk_value *value = NULL;
    int count = 0;

    if (!e) return yk_refuse(t, call->at, "the table has no argument %s", name);
    YK_TRY(yk_shape_of(t, e, shape));
    YK_TRY(yk_elements(t, e, shape, &value, &count));
    YK_TRY(YK_TAKE(t->arena, out, count ? count : 1, t->err));
    for (int i = 0; i < count; i++) {
        if (value[i].kind != YK_VALUE_NUMBER)
            return yk_refuse(t, e->at, "the numbers of a table must be known");
        (*out)[i] = value[i].number;
    }
    return YOKE_OK;
}

static yoke_status no_file(yk_translator *t, const yk_class *c,
                           const yk_expr *call, const yk_symbol *s)
{
    const yk_expr *e = given(c, call, "fileName");

    if (e && e->kind == YK_EXPR_STRING && strcmp(e->name, "NoName") != 0 &&
        e->name[0])
        return yk_refuse(t, e->at,
                         "the table %s is in the file \"%.100s\", which is not "
                         "supported; write its numbers into the model",
                         s->name, e->name);
    return YOKE_OK;
}

static yoke_status take_columns(yk_translator *t, const yk_class *c,
                                const yk_expr *call, yk_combi *b)
{
    yk_shape shape;
    double *list = NULL;

    if (!given(c, call, "columns")) return YOKE_OK;
    YK_TRY(numbers_of(t, c, call, "columns", &shape, &list));
    b->chosen = shape.dims == 1 ? shape.size[0] : 0;
    YK_TRY(YK_TAKE(t->arena, &b->choice, b->chosen ? b->chosen : 1, t->err));
    for (int i = 0; i < b->chosen; i++) {
        b->choice[i] = (int)list[i];
        if (list[i] < 2.0 || list[i] > b->columns)
            return yk_refuse(t, call->at,
                             "the table %s has %d columns; column %g is asked "
                             "for",
                             b->name, b->columns, list[i]);
    }
    return YOKE_OK;
}

static yoke_status make_table(yk_translator *t, const yk_class *c,
                              const yk_expr *call, yk_symbol *s)
{
    yk_shape shape;
    yk_combi *b = NULL;
    double smooth, beyond;

    YK_TRY(no_file(t, c, call, s));
    YK_TRY(YK_TAKE(t->arena, &b, 1, t->err));
    b->name = s->name;
    b->at = s->at;
    YK_TRY(numbers_of(t, c, call, "table", &shape, &b->value));
    if (shape.dims != 2)
        return yk_refuse(t, call->at, "the table %s is not a matrix", s->name);
    b->rows = shape.size[0];
    b->columns = shape.size[1];
    YK_TRY(take_columns(t, c, call, b));
    YK_TRY(number_of(t, c, call, "smoothness", YK_SMOOTH_LINES, &smooth));
    YK_TRY(number_of(t, c, call, "extrapolation", YK_BEYOND_LINE, &beyond));
    YK_TRY(number_of(t, c, call, "startTime", -INFINITY, &b->start));
    YK_TRY(number_of(t, c, call, "shiftTime", 0.0, &b->shift));
    b->smooth = (yk_smoothness)smooth;
    b->beyond = (yk_beyond)beyond;
    YK_TRY(YK_TAKE(t->arena, &b->variable, b->columns + 1, t->err));
    for (int i = 0; i < b->columns; i++) b->variable[i] = -1;
    YK_TRY(yk_combi_check(t, b, !b->choice));
    s->table = b;
    return YOKE_OK;
}

/* The object that the first argument names. */
static yoke_status object_of(yk_translator *t, const request *r,
                             yk_symbol **out)
{
    yk_expr *e = NULL;

    YK_TRY(actual(t, r, 0, &e));
    *out = e->kind == YK_EXPR_REFERENCE ? yk_find_symbol(t, e->name) : NULL;
    if (!*out || !(*out)->object || !(*out)->binding ||
        (*out)->binding->kind != YK_EXPR_CALL)
        return yk_refuse(t, e->at, "an external object is needed here");
    return YOKE_OK;
}

static yoke_status find_constructor(yk_translator *t, const yk_symbol *s,
                                    const yk_class **out)
{
    const char *path = NULL;

    YK_TRY(yk_dotted(t, s->object->path, "constructor", &path));
    return yk_find_class(t, path, s->at, out);
}

static yoke_status table_of(yk_translator *t, const request *r, yk_combi **out)
{
    const yk_class *constructor = NULL;
    yk_symbol *s = NULL;

    YK_TRY(object_of(t, r, &s));
    if (!s->table) {
        YK_TRY(find_constructor(t, s, &constructor));
        const yk_aside aside = yk_put_aside(t, "a table");
        YK_TRY(make_table(t, constructor, s->binding, s));
        yk_take_back(t, &aside);
    }
    *out = s->table;
    return YOKE_OK;
}

static yoke_status need_outputs(yk_translator *t, const request *r,
                                const yk_combi *b, bool one)
{
    if (one == (b->choice != NULL)) return YOKE_OK;
    return yk_refuse(t, r->call->at, "the table %s has %s", b->name,
                     one ? "two arguments" : "one argument");
}

/* getValue(table, column, u) */
static yoke_status table1(yk_translator *t, const request *r, yk_value *out)
{
    yk_combi *b = NULL;
    yk_value u;
    int column = 0;

    YK_TRY(table_of(t, r, &b));
    YK_TRY(need_outputs(t, r, b, true));
    YK_TRY(whole(t, r, 1, &column));
    YK_TRY(scalar(t, r, 2, &u));
    return yk_combi_value(t, b, r->call->at, column, &u, out);
}

/* getValue(table, column, time, ...): 0 before the start of the table */
static yoke_status table_of_time(yk_translator *t, const request *r,
                                 yk_value *out)
{
    const yk_place at = r->call->at;
    const yk_value zero = yk_number(0.0);
    yk_combi *b = NULL;
    yk_value u, less;
    int column = 0;

    YK_TRY(table_of(t, r, &b));
    YK_TRY(need_outputs(t, r, b, true));
    YK_TRY(whole(t, r, 1, &column));
    YK_TRY(scalar(t, r, 2, &u));
    const yk_value start = yk_number(b->start), shift = yk_number(b->shift);
    const yk_value clock = u;
    YK_TRY(yk_operate(t, at, YK_OP_SUBTRACT, &u, &shift, &u));
    YK_TRY(yk_combi_value(t, b, at, column, &u, out));
    if (b->start < -1e50) return YOKE_OK;
    YK_TRY(yk_operate(t, at, YK_OP_LESS, &clock, &start, &less));
    YK_TRY(yk_eq_hold_relation(t, at, '<', &less));
    return yk_choose(t, &less, &zero, out, out);
}

static yoke_status table2(yk_translator *t, const request *r, yk_value *out)
{
    yk_combi *b = NULL;
    yk_value u[2];

    YK_TRY(table_of(t, r, &b));
    YK_TRY(need_outputs(t, r, b, false));
    for (int i = 0; i < 2; i++) YK_TRY(scalar(t, r, i + 1, &u[i]));
    return yk_combi_value2(t, b, r->call->at, &u[0], &u[1], out);
}

static yoke_status least_argument(yk_translator *t, const request *r,
                                  yk_value *out)
{
    yk_combi *b = NULL;

    YK_TRY(table_of(t, r, &b));
    *out = yk_number(b->value[0]);
    return YOKE_OK;
}

static yoke_status most_argument(yk_translator *t, const request *r,
                                 yk_value *out)
{
    yk_combi *b = NULL;

    YK_TRY(table_of(t, r, &b));
    *out = yk_number(b->value[(size_t)(b->rows - 1) * (size_t)b->columns]);
    return YOKE_OK;
}

/* The table knows its own events; the model needs none. */
static yoke_status no_event(yk_translator *t, const request *r, yk_value *out)
{
    (void)t, (void)r;
    *out = yk_number(1e60); /* ModelicaServices.Machine.inf */
    return YOKE_OK;
}

/* ---- The list ------------------------------------------------------------ */

static const struct {
    const char *name;
    yoke_status (*value)(yk_translator *t, const request *r, yk_value *out);
} known[] = {
    { "ModelicaStandardTables_CombiTable1D_getValue", table1 },
    { "ModelicaStandardTables_CombiTable1D_minimumAbscissa", least_argument },
    { "ModelicaStandardTables_CombiTable1D_maximumAbscissa", most_argument },
    { "ModelicaStandardTables_CombiTable2D_getValue", table2 },
    { "ModelicaStandardTables_CombiTimeTable_getValue", table_of_time },
    { "ModelicaStandardTables_CombiTimeTable_minimumTime", least_argument },
    { "ModelicaStandardTables_CombiTimeTable_maximumTime", most_argument },
    { "ModelicaStandardTables_CombiTimeTable_nextTimeEvent", no_event },
};

yoke_status yk_external_refuse(yk_translator *t, const yk_expr *e,
                               const yk_class *f)
{
    return yk_refuse(t, e->at,
                     "the external function %s%s is not supported; the tables "
                     "of the standard library are",
                     f->external->call ? f->external->call->name : f->name,
                     f->is_impure ? ", which is impure," : "");
}

yoke_status yk_external_element(yk_translator *t, yk_expr *e, const yk_class *f,
                                yk_value *out)
{
    const yk_expr *c = f->external->call;
    const request r = { e, f, f->external };

    for (size_t i = 0; c && i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, c->name) == 0)
            return known[i].value(t, &r, out);
    return yk_external_refuse(t, e, f);
}
