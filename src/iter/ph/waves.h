/* iter/ph/waves.h -- the port-wave exchange over one window.
 *
 * Every block is solved with u = g - zeta y at its ports; then
 *
 *     g_a = y_b - zeta_a u_b,      g_b = -y_a + zeta_b u_a.
 *
 * The fixed point has u_a = y_b and u_b = -y_a.
 */
#ifndef YK_PH_WAVES_H
#define YK_PH_WAVES_H

#include "graph/ph_ports.h"
#include "iter/ph/scheme.h"

typedef struct yk_waves {
    const yk_ph_net *net;
    yk_window *window; /* borrowed */
    bool ordered;      /* colour by colour; otherwise all from old waves */
    double omega, q, rate;
    double *zeta, *weight; /* of each of the 2 * pairs waves */
    yk_lti **block;
    double **g;    /* of each wave, at the points */
    double **next; /* where a sweep writes: g itself for early waves */
    bool *late;    /* read before it is written in a sweep */
    int lates;
    double **y, **u; /* of each block: its ports */
} yk_waves;

/* Borrows net and window. */
yoke_status yk_waves_create(yk_waves **out, const yk_ph_net *net,
                            yk_window *window, bool ordered, yoke_err *err);
void yk_waves_free(yk_waves *w); /* accepts NULL */

/* Impedances; the blocks are factored again when they change. */
yoke_status yk_waves_match(yk_waves *w, yk_ports *ports, const yk_guarantee *g,
                           yoke_err *err);

/* Plain exchange of u and y: zeta = 0 (block Jacobi or Gauss-Seidel). */
yoke_status yk_waves_plain(yk_waves *w, yoke_err *err);

/* Factors the blocks for the step of the window. */
yoke_status yk_waves_ready(yk_waves *w, yoke_err *err);

/* Solves every block once and makes the next waves.  homogeneous: from zero,
 * with nothing that drives.  The early waves are those of this sweep; the late
 * ones are in `next`. */
yoke_status yk_waves_sweep(yk_waves *w, bool homogeneous, yoke_err *err);

/* The same without an exchange: y[wave] gets the outputs of the ports at the
 * points. */
yoke_status yk_waves_probe(yk_waves *w, bool homogeneous, double *const *y,
                           yoke_err *err);

/* The late waves of the last sweep become those of the next. */
void yk_waves_take(yk_waves *w);

/* First guess: each wave constant at what it was at the end of the last
 * window, or continued by the polynomial through its last points. */
void yk_waves_guess(yk_waves *w, int old_points, int degree);

/* Each wave constant at what it is for the values x of all blocks. */
void yk_waves_begin(yk_waves *w, const double *x);

/* For yk_scheme_iterate; borrows the waves. */
yk_scheme yk_waves_scheme(yk_waves *w);
yoke_status yk_waves_iterate(yk_waves *w, const yk_wave_test *test,
                             yk_wave_result *out, yoke_err *err);

/* iter/ph/gmres.c: the same fixed point by unrestarted GMRES on the late waves,
 * with at most `most` vectors; room for them is made once. */
typedef struct yk_gmres yk_gmres;
yoke_status yk_gmres_create(yk_gmres **out, const yk_waves *waves, int most,
                            yoke_err *err);
void yk_gmres_free(yk_gmres *gmres); /* accepts NULL */
yoke_status yk_gmres_iterate(yk_gmres *gmres, yk_waves *w,
                             const yk_wave_test *test, yk_wave_result *out,
                             yoke_err *err);

/* iter/ph/direct.c: the waves themselves by the answers of the ports to impulses,
 * exact up to rounding: two sweeps per window after the first. */
typedef struct yk_direct yk_direct;
yoke_status yk_direct_create(yk_direct **out, const yk_waves *waves,
                             yoke_err *err);
void yk_direct_free(yk_direct *direct); /* accepts NULL */
yoke_status yk_direct_solve(yk_direct *direct, yk_waves *w, yk_wave_result *out,
                            yoke_err *err);
yoke_status yk_direct_iterate(yk_direct *direct, yk_waves *w,
                              const yk_wave_test *test, yk_wave_result *out,
                              yoke_err *err);

#endif
