/* comp/equation/flat_fixture.h -- flat models by hand, for tests. */
#ifndef FLAT_FIXTURE_H
#define FLAT_FIXTURE_H

#include "comp/equation/flat.h"

#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    yk_flat *flat;
    yoke_status status; /* of the first failure */
} fixture;

static inline fixture fixture_create(void)
{
    fixture f = { NULL, YOKE_OK };
    f.status = yk_flat_create(&f.flat, "model.mo", "M", NULL);
    return f;
}

static inline void fixture_note(fixture *f, yoke_status status)
{
    if (f->status == YOKE_OK) f->status = status;
}

/* A scalar if count is 0. */
static inline int variable(fixture *f, const char *name, yk_flat_kind kind,
                           int count, int line, double start)
{
    yk_flat_variable v = { .kind = kind, .line = line };
    int number = 0;
    if (f->status != YOKE_OK) return 0;
    v.dims = count > 0;
    v.size[0] = count;
    v.count = count > 0 ? count : 1;
    fixture_note(f, yk_copy_text(&v.name, name, NULL));
    fixture_note(f, yk_doubles(&v.start, (size_t)v.count, NULL));
    if (f->status != YOKE_OK) {
        yk_free(v.name);
        yk_free(v.start);
        return 0;
    }
    for (int k = 0; k < v.count; k++) v.start[k] = start;
    fixture_note(f, yk_flat_add_variable(f->flat, &v, &number, NULL));
    return number;
}

static inline int unknown(fixture *f, const char *name, int count, int line,
                          double start)
{
    return variable(f, name, YK_FLAT_UNKNOWN, count, line, start);
}

static inline int table(fixture *f, const char *name, int count,
                        const double *value)
{
    const int v = variable(f, name, YK_FLAT_TABLE, count, 1, 0.0);
    if (f->status != YOKE_OK) return v;
    fixture_note(f, yk_copy_doubles(&f->flat->variable[v].value, value,
                                    (size_t)count, NULL));
    return v;
}

static inline void fix(fixture *f, int v)
{
    if (f->status != YOKE_OK) return;
    bool *fixed = NULL;
    fixture_note(f, YK_NEW(&fixed, f->flat->variable[v].count, NULL));
    if (!fixed) return;
    for (int k = 0; k < f->flat->variable[v].count; k++) fixed[k] = true;
    f->flat->variable[v].fixed = fixed;
}

static inline int node(fixture *f, yk_flat_node n)
{
    int number = 0;
    if (f->status != YOKE_OK) return 0;
    fixture_note(f, yk_flat_add_node(f->flat, &n, &number, NULL));
    return number;
}

static inline int num(fixture *f, double v)
{
    return node(
        f, (yk_flat_node){
               .op = YK_OP_NUMBER, .a = -1, .b = -1, .c = -1, .number = v });
}

static inline int now(fixture *f)
{
    return node(f,
                (yk_flat_node){ .op = YK_OP_TIME, .a = -1, .b = -1, .c = -1 });
}

static inline int loop_index(fixture *f, int loop)
{
    return node(
        f, (yk_flat_node){ .op = YK_OP_INDEX, .a = loop, .b = -1, .c = -1 });
}

/* Element p0 + p1 i1 + p2 i2, counted from 0. */
static inline int at2(fixture *f, yk_op op, int v, int p0, int p1, int p2)
{
    return node(f, (yk_flat_node){ .op = op,
                                   .a = -1,
                                   .b = -1,
                                   .c = -1,
                                   .variable = v,
                                   .place = { p0, p1, p2 } });
}

static inline int el(fixture *f, int v, int p0, int p1)
{
    return at2(f, YK_OP_REFER, v, p0, p1, 0);
}

static inline int der_el(fixture *f, int v, int p0, int p1)
{
    return at2(f, YK_OP_DER, v, p0, p1, 0);
}

static inline int ref(fixture *f, int v)
{
    return el(f, v, 0, 0);
}

static inline int der(fixture *f, int v)
{
    return der_el(f, v, 0, 0);
}

static inline int op1(fixture *f, yk_op op, int a)
{
    return node(f, (yk_flat_node){ .op = op, .a = a, .b = -1, .c = -1 });
}

static inline int op2(fixture *f, yk_op op, int a, int b)
{
    return node(f, (yk_flat_node){ .op = op, .a = a, .b = b, .c = -1 });
}

static inline int op3(fixture *f, yk_op op, int a, int b, int c)
{
    return node(f, (yk_flat_node){ .op = op, .a = a, .b = b, .c = c });
}

static inline int add(fixture *f, int a, int b)
{
    return op2(f, YK_OP_ADD, a, b);
}

static inline int sub(fixture *f, int a, int b)
{
    return op2(f, YK_OP_SUBTRACT, a, b);
}

static inline int mul(fixture *f, int a, int b)
{
    return op2(f, YK_OP_MULTIPLY, a, b);
}

static inline int interpolate(fixture *f, int v, int a)
{
    return node(
        f,
        (yk_flat_node){
            .op = YK_OP_INTERPOLATE, .a = a, .b = -1, .c = -1, .variable = v });
}

static inline void equation(fixture *f, int left, int right, int line)
{
    const yk_flat_equation e = { .left = left, .right = right, .line = line };
    if (f->status == YOKE_OK)
        fixture_note(f, yk_flat_add_equation(f->flat, &e, NULL));
}

static inline void initial(fixture *f, int left, int right, int line)
{
    const yk_flat_equation e = {
        .left = left, .right = right, .line = line, .initial = true
    };
    if (f->status == YOKE_OK)
        fixture_note(f, yk_flat_add_equation(f->flat, &e, NULL));
}

/* for i in first : first + count - 1 */
static inline void loop(fixture *f, int left, int right, int count, int first,
                        int line)
{
    const yk_flat_equation e = { .left = left,
                                 .right = right,
                                 .loops = 1,
                                 .count = { count },
                                 .first = { first },
                                 .step = { 1 },
                                 .line = line };
    if (f->status == YOKE_OK)
        fixture_note(f, yk_flat_add_equation(f->flat, &e, NULL));
}

#endif
