/* iter/constraint/collocate.h -- polynomials through Radau's points, and what a
 * change of them does to what is measured.
 *
 * On each piece of a window a multiplier is a polynomial through the right
 * points of Radau, of which the last is the end of the piece.  If z(s) is what a
 * step of the multiplier does to a residual a time s later, a change dl does
 *
 *     dR(t) = sum over jumps of z(t - t_jump) [dl]
 *           + integral over the past of z(t - s) dl'(s) ds.
 */
#ifndef YK_ITER_COLLOCATE_H
#define YK_ITER_COLLOCATE_H

enum { YK_RADAU_MOST = 8, YK_STEP_RESPONSE = 5 };

typedef struct yk_radau_points {
    int count;                   /* of points: the degree is one less */
    double place[YK_RADAU_MOST]; /* 0 begin, 1 end of the piece */
    /* Coefficient k of the powers of the polynomial that is 1 at point j. */
    double power[YK_RADAU_MOST][YK_RADAU_MOST];
    double tail[YK_RADAU_MOST]; /* the last Legendre coefficient, of values */
} yk_radau_points;

/* 1 <= count <= YK_RADAU_MOST. */
void yk_radau_points_make(yk_radau_points *points, int count);

/* z as a polynomial of s / length, continued by a straight line. */
typedef struct yk_step_response {
    double length, coef[YK_STEP_RESPONSE];
} yk_step_response;

double yk_step_response_at(const yk_step_response *z, double s);

/* The pieces of a window: knot[pieces + 1]. */
typedef struct yk_collocation {
    yk_radau_points points;
    int pieces;
    const double *knot;
    int n;                     /* multipliers */
    const yk_step_response *z; /* n by n: row, multiplier */
} yk_collocation;

/* What a change of each value does to the residuals at all points: a square
 * matrix, row by row; rows and columns by piece, point, multiplier. */
void yk_collocation_matrix(const yk_collocation *c, double *matrix);

#endif
