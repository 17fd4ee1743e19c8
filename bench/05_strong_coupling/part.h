/* part.h -- a subsystem whose exact solution is known.
 *
 *     d/dt (E x + F u + ...) + A x - B u + ... = s(t)
 *     y = H x + D u + ... + r(t)
 *
 * with nonlinear terms in the places of the dots.  The exact x, u and y are
 * linear combinations of six functions that all subsystems of a problem share,
 *
 *     1, cos a t, sin a t, cos b t, sin b t, exp(-c t),
 *
 * so sums and derivatives of them are of the same kind; s and r are what makes
 * them solve the equations.
 */
#ifndef PART_H
#define PART_H

#include <yoke/yoke.h>

enum { BASIS = 6, MOST_X = 24, MOST_U = 16, MOST_Y = 24, MOST_TERMS = 32 };

typedef struct basis {
    double slow, fast, decay; /* a, b, c */
} basis;

typedef struct course {
    double c[BASIS];
} course;

double course_at(const basis *b, const course *f, double t);
course course_derivative(const basis *b, const course *f);

/* to += factor * from */
void course_add(course *to, double factor, const course *from);

typedef enum term_place { IN_CHARGE, IN_FLOW, IN_OUTPUT } term_place;
typedef enum term_kind { CUBE, SINE, DIODE } term_kind;

/* coefficient * kind(z), z an unknown or an input, added to a row. */
typedef struct term {
    term_place place;
    term_kind kind;
    int row, index;
    bool of_input;
    double coefficient;
} term;

typedef struct part {
    char name[16];
    int n, m, p, terms;
    double E[MOST_X][MOST_X], A[MOST_X][MOST_X];
    double F[MOST_X][MOST_U], B[MOST_X][MOST_U];
    double H[MOST_Y][MOST_X], D[MOST_Y][MOST_U];
    term term[MOST_TERMS];
    course x[MOST_X], u[MOST_U], y[MOST_Y];
    char y_name[MOST_Y][16]; /* empty: y1, y2, ... */
    const basis *basis;      /* borrowed */
} part;

void part_add_term(part *p, term_place place, int row, term_kind kind,
                   bool of_input, int index, double coefficient);

/* dq/du, df/du or dy/du along the exact solution. */
void part_input_slope(const part *p, term_place place, double t,
                      double slope[MOST_Y][MOST_U]);

/* Borrows the part. */
yoke_status part_system(yoke_system **out, part *p, yoke_err *err);

#endif
