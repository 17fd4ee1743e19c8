/* family/family.h -- random coupled systems with exact solutions.
 *
 * A class draws a system: the text of its files and the exact course of some
 * of its variables.  The judge runs it through the public library and compares.
 * Random numbers are those of src/base, so a seed is the same everywhere.
 */
#ifndef FAMILY_H
#define FAMILY_H

#include "wave.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- random numbers ------------------------------------------------------ */

typedef struct dice {
    unsigned long long state;
} dice;

dice dice_of(unsigned long seed, unsigned long stream);
double dice_between(dice *d, double least, double most);
double dice_log(dice *d, double least, double most); /* equal in log x */
int dice_pick(dice *d, int count);                   /* 0 ... count - 1 */
bool dice_chance(dice *d, double p);

/* ---- texts --------------------------------------------------------------- */

typedef struct text {
    char *bytes; /* NULL: empty */
    size_t length, room;
} text;

void text_add(text *t, const char *format, ...);
void text_free(text *t);

/* ---- a system ------------------------------------------------------------ */

enum { FAMILY_READINGS = 24, FAMILY_NAME = 96 };

/* A variable of the result and what it should be. */
typedef struct reading {
    char name[48];
    wave *exact;
    double least; /* its scale is at least this: that of what it is made of */
    /* The same, made from inputs that are off by FAMILY_PART of their size, or
     * NULL. */
    wave *moved[2];
} reading;

#define FAMILY_PART 1e-6

/* An error of a driver of 10 times this many tolerances is its own affair. */
#define FAMILY_OWN 0.3

typedef struct family_case {
    char name[FAMILY_NAME]; /* what was drawn, for the eye */
    double stop;
    double unit;           /* size of its variables, about */
    double small;          /* scale of the smallest variable that counts */
    text parts, couplings; /* entries of the system file */
    text models, circuit;  /* m.mo, c.cir */
    text run;              /* further options, each with ", " in front */
    bool fixed;            /* fixed steps: right, or remarked */
    int readings;
    reading reading[FAMILY_READINGS];
    /* A driver whose errors grow: its course over its size, begun with a value
     * that is off by FAMILY_PART, and its port; or NULL. */
    wave *swung;
    double swung_size;
    char swung_port[48];
} family_case;

void case_free(family_case *c);

/* Takes `exact`. */
void case_read(family_case *c, wave *exact, double least, const char *format,
               ...);

/* Adds moved[way] to the reading of that name.  Takes `moved`. */
void case_moved(family_case *c, int way, wave *moved, const char *format, ...);

/* The system file for a tolerance; `mode` is "" or ", cluster: none". */
void case_write(const family_case *c, double rtol, const char *mode, text *out);

/* The absolute tolerance that case_write gives. */
double case_atol(const family_case *c, double rtol);

/* A stepper for an entry: mostly nothing, else ", stepper: trbdf2" ... */
const char *case_stepper(dice *d);

/* ---- classes ------------------------------------------------------------- */

/* False: the draw is useless (a crossing that grazes, say); draw again. */
typedef bool family_draw(dice *d, family_case *c);

typedef struct family_class {
    const char *name, *what;
    family_draw *draw;
    int share; /* of 100 systems, about */
} family_class;

extern const family_class family_classes[]; /* ends with a name of NULL */

/* Case `number` of a seed: the class is drawn by its share, or `only`. */
const family_class *family_make(unsigned long seed, int number,
                                const char *only, family_case *c);

/* ---- parts that classes share -------------------------------------------- */

/* A driver: the entry and the model of subsystem `name`, output scaled by
 * `size`; returns the exact output over `size` and writes the port's name. */
typedef wave *family_driver(dice *d, family_case *c, const char *name,
                            double size, char *port);
wave *driver_draw(dice *d, family_case *c, const char *name, double size,
                  char *port);

/* As driver_draw, smooth and without events (a delay of it, a feedback). */
wave *driver_smooth(dice *d, family_case *c, const char *name, double size,
                    char *port);

/* A static characteristic g(u), u of size 1: text and value. */
typedef struct shape {
    const char *name;
    int kind;
    double a, b, k;
    bool jumps;
} shape;

/* `range`: least and largest value of u.  `smooth`: without kinks and jumps. */
shape shape_draw(dice *d, const double range[2], bool smooth);
void shape_text(const shape *s, const char *u, char *out, size_t room);
double shape_at(void *s, double u); /* a wave_function of a shape */

/* Least and largest value of a wave. */
void range_of(const wave *u, double range[2]);

/* True if no turn of u comes near a level where the shape has a kink or jump.
 */
bool shape_clear(const shape *s, const wave *u);

/* The judge. */
typedef enum verdict {
    VERDICT_RIGHT,
    VERDICT_WRONG,   /* status 0 and off by more than the limit */
    VERDICT_REFUSED, /* another status */
    VERDICT_ENDLESS, /* more processor time than permitted */
    VERDICT_CRASHED
} verdict;

typedef struct judgement {
    verdict verdict;
    double worst, at; /* in tolerances, time */
    char variable[48];
    double value, exact;
    long residuals;
    double seconds;
    bool remarked;
    char message[400];
} judgement;

enum { FAMILY_LIMIT = 10 }; /* tolerances */

void judge(const family_case *c, double rtol, const char *mode,
           const char *folder, double seconds, judgement *out);

/* Writes the files of a case into a folder. */
bool judge_write(const family_case *c, double rtol, const char *mode,
                 const char *folder);

#endif
