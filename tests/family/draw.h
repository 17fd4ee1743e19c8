/* family/draw.h -- what the classes have in common. */
#ifndef FAMILY_DRAW_H
#define FAMILY_DRAW_H

#include "family.h"

/* Run length: mostly seconds, else 1e-6 ... 1e6 s; units: mostly 1, else 1e-9
 * ... 1e9. */
void draw_stop(dice *d, family_case *c);

/* The same with the unit 1. */
void draw_plain(dice *d, family_case *c);

/* The size of a part: mostly the unit, else 0.03 to 30 of it.  (One atol serves
 * for all parts.) */
double draw_size(dice *d, const family_case *c);

/* A weight of a signal: mostly 1, else 1e-6 ... 1e6. */
double draw_weight(dice *d);

/* Appends to the name of a case. */
void case_note(family_case *c, const char *format, ...);

/* How a follower uses g(u). */
enum {
    FOLLOW_INTEGRAL, /* x' = g T^-1 */
    FOLLOW_STIFF,    /* tau x' = g - x, tau << T */
    FOLLOW_SLOW,     /* the same, tau about T */
    FOLLOW_PLAIN,    /* x = g */
    FOLLOW_IMPLICIT, /* z + z^3 = 2 g, x' = z T^-1 */
    FOLLOW_STATE,    /* 0 = z - g - x, tau x' = z - 2 x */
    FOLLOW_KINDS
};

typedef struct follower {
    int kind;
    double size, tau, T, x0;
} follower;

follower follower_draw(dice *d, const family_case *c, double size);

/* The exact x over size, made from g(u); more readings: *z, or NULL. */
wave *follower_wave(const follower *f, const wave *g, wave **z);

/* Equations with the text of g; declarations come first. */
void follower_text(const follower *f, const char *g, text *declare,
                   text *equations);

/* What an error of one part in the size of u makes of x: x of u moved and
 * stretched, per part. */
double follower_gain(const follower *f, const wave *u, wave_function *g,
                     void *context, const wave *x);

/* Adds x and z of u moved, and of u stretched or `swung` in its place if there
 * is one, to the readings `name` and a.z of a follower. */
void follower_moved(const follower *f, const wave *u, const wave *swung,
                    wave_function *g, void *context, family_case *c,
                    const char *name);

family_draw draw_one_way, draw_two_inputs, draw_chain, draw_delay, draw_count,
    draw_hysteresis, draw_boolean, draw_sampled, draw_thermostat,
    draw_linear_loop, draw_algebraic_loop, draw_manufactured, draw_switched_net,
    draw_formulas, draw_weights, draw_fixed, draw_single, draw_clipper;

#endif
