/* comp/field/model.h -- the discrete field: elements, windings, matrices.
 *
 * On a triangle B^2 = |g|^2 with g = G a_e, two rows of scaled gradients, and
 * the energy of the whole device is W(a) = sum_e V_e (w(|g|) - nu g.rem).  So
 * planar and axisymmetric fields have the same formulas.
 */
#ifndef YK_FIELD_MODEL_H
#define YK_FIELD_MODEL_H

#include "comp/field/material.h"

typedef struct yk_field_element {
    int dof[3];   /* -1: the potential is 0 */
    int place[6]; /* in the lower part: (0,0) (1,0) (2,0) (1,1) (2,1) (2,2) */
    int material;
    double volume, grad[2][3];
} yk_field_element;

/* What the material does in an element. */
typedef struct yk_field_local {
    double g[2], b, c;
    yk_bh_point p;
} yk_field_local;

typedef struct yk_field_model {
    int nodes, n, m, elements, materials;
    int *dof; /* of each node */
    yk_field_element *element;
    yk_field_local *local; /* of each element, while something is assembled */
    int groups;            /* of elements that are looked at at once ... */
    double *price;         /* ... and what each costs */
    yk_bh *bh;
    double (*magnet)[2]; /* of each material: nu times the remanence, turned
                            like g */
    bool is_linear;
    yoke_pattern *lower;
    double *X; /* n by m, column by column: windings */
    double *resistance;

    /* Conductors: d/dt of M a, M in the places of `lower`; and of each region
     * without net current the integral of sigma times the shape functions, n
     * each, and that of sigma. */
    bool has_eddies;
    double *M;
    bool *conducts; /* n: the potential has a row in M */
    int insulated;
    double *band, *band_sigma;
} yk_field_model;

/* Refuses what yk_field_create does. */
yoke_status yk_field_model_create(yk_field_model *out, const yk_field *given,
                                  yoke_err *err);
void yk_field_model_clear(yk_field_model *model);

/* Room for what is assembled (assemble.c). */
yoke_status yk_field_make_groups(yk_field_model *model, yoke_err *err);

/* Which matrix: K(a) with nu, or the derivative of K(a) a. */
typedef enum yk_field_matrix { YK_CHORD, YK_TANGENT } yk_field_matrix;

/* Where the pointers are not NULL: force[n] = K(a) a - magnets, the matrix in
 * the places of `lower`.  Returns the energy W. */
double yk_field_assemble(const yk_field_model *model, const double *a,
                         double *force, yk_field_matrix which, double *matrix);

/* out[m * m] = W' (dK/da d) W for `which` K, W n by m. */
void yk_field_vary(const yk_field_model *model, yk_field_matrix which,
                   const double *a, const double *d, const double *W,
                   double *out);

#endif
