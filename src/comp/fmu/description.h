/* comp/fmu/description.h -- what modelDescription.xml says of an FMU.
 *
 * FMI 2.0 and 3.0, model exchange and co-simulation, as one structure.
 * References: FMI 2.0.4 and 3.0.1, fmi-standard.org.
 */
#ifndef YK_FMU_DESCRIPTION_H
#define YK_FMU_DESCRIPTION_H

#include "base/arena.h"
#include "base/base.h"
#include "base/names.h"

/* How values are handed over; the types of FMI 2.0 are Float64, Int32,
 * Boolean, String. */
typedef enum yk_fmu_type {
    YK_FMU_FLOAT64,
    YK_FMU_FLOAT32,
    YK_FMU_INT8,
    YK_FMU_UINT8,
    YK_FMU_INT16,
    YK_FMU_UINT16,
    YK_FMU_INT32,
    YK_FMU_UINT32,
    YK_FMU_INT64,
    YK_FMU_UINT64,
    YK_FMU_BOOLEAN,
    YK_FMU_STRING,
    YK_FMU_BINARY,
    YK_FMU_CLOCK,
    YK_FMU_TYPES
} yk_fmu_type;

typedef enum yk_fmu_causality {
    YK_FMU_LOCAL,
    YK_FMU_PARAMETER,
    YK_FMU_STRUCTURAL,
    YK_FMU_CALCULATED,
    YK_FMU_INPUT,
    YK_FMU_OUTPUT,
    YK_FMU_INDEPENDENT
} yk_fmu_causality;

typedef enum yk_fmu_variability {
    YK_FMU_CONTINUOUS,
    YK_FMU_DISCRETE,
    YK_FMU_TUNABLE,
    YK_FMU_FIXED,
    YK_FMU_CONSTANT
} yk_fmu_variability;

typedef enum yk_fmu_initial {
    YK_FMU_EXACT,
    YK_FMU_APPROX,
    YK_FMU_CALCULATE
} yk_fmu_initial;

/* SI value = factor * value + offset, in these powers of kg m s A K mol cd
 * rad. */
typedef struct yk_fmu_unit {
    const char *name;
    bool known; /* false: the FMU names it and says no more */
    double factor, offset;
    int power[8];
} yk_fmu_unit;

/* One value of an enumeration. */
typedef struct yk_fmu_item {
    const char *name;
    double value;
} yk_fmu_item;

typedef struct yk_fmu_variable {
    const char *name;
    unsigned reference;
    yk_fmu_type type;
    bool enumeration;
    yk_fmu_causality causality;
    yk_fmu_variability variability;
    yk_fmu_initial initial;
    bool has_initial;
    const char *start; /* text, NULL: none; of arrays separated by blanks */
    const char *unit, *description;
    bool relative; /* a difference: the offset of its unit does not count */
    int items;     /* of an enumeration */
    const struct yk_fmu_item *item;
    double nominal, least, most;
    bool outside; /* the start is not between these */
    int count;    /* elements; 1 for a scalar */
    bool array;
    bool midway;    /* may be set and read during a step (FMI 3) */
    int state;      /* this is the derivative of that variable, or -1 */
    int derivative; /* and back, or -1 */
    int line;       /* of the XML */
} yk_fmu_variable;

/* An output or derivative and what it depends on. */
typedef struct yk_fmu_unknown {
    int variable;
    bool listed; /* false: it may depend on everything */
    int count;
    const int *known; /* variables */
} yk_fmu_unknown;

/* One of the two kinds of use. */
typedef struct yk_fmu_kind {
    bool present;
    const char *identifier; /* file name of the binary, without its end */
    bool state;             /* it can save its state */
    bool directional;       /* directional derivatives */
    bool tool;              /* it needs another program to run */
    bool once;              /* one instance per process */
    bool completed_step;    /* wants to be told of completed steps */
    bool variable_step;     /* co-simulation: any communication step */
    bool event_mode;
    bool interpolates; /* takes derivatives of inputs */
    bool midway;       /* calls back during a step (intermediate update) */
    int slopes;        /* order of derivatives of outputs that it tells */
    double fixed_step; /* of its own; 0: not told */
    int sources;
    const char *const *source; /* C files, below the folder `sources` */
    int words;
    const char *const *word; /* definitions and folders for the compiler */
} yk_fmu_kind;

/* A terminal that is one potential and one flow. */
typedef struct yk_fmu_terminal {
    const char *name;
    int potential, flow; /* variables */
    double sign;         /* 1: the flow counts into the FMU, -1: out of it */
} yk_fmu_terminal;

typedef struct yk_fmu_description {
    int version; /* 2 or 3 */
    const char *path, *model, *token, *tool, *text;
    yk_fmu_kind exchange, simulation;
    int variables;
    yk_fmu_variable *variable;
    int units;
    yk_fmu_unit *unit;
    int outputs, derivatives;
    yk_fmu_unknown *output, *derivative;
    int indicators;               /* of events */
    double stop, tolerance, step; /* experiment; NAN: not told */
    int terminals;
    yk_fmu_terminal *terminal;
    yk_names names;    /* of variables */
    int *by_reference; /* variables, sorted by references */
    yk_arena *arena;   /* all texts and lists */
} yk_fmu_description;

/* `path` is for messages.  *out belongs to the caller. */
yoke_status yk_fmu_describe(yk_fmu_description **out, const char *path,
                            const char *xml, size_t length, yoke_err *err);
void yk_fmu_description_free(yk_fmu_description *d); /* accepts NULL */

/* FMI 3: what sources/buildDescription.xml says of the sources. */
yoke_status yk_fmu_describe_build(yk_fmu_description *d, const char *path,
                                  const char *xml, size_t length,
                                  yoke_err *err);

/* FMI 3: what terminalsAndIcons.xml says of ports. */
yoke_status yk_fmu_describe_terminals(yk_fmu_description *d, const char *path,
                                      const char *xml, size_t length,
                                      yoke_err *err);

/* The variable of this name, or -1; the first with this reference, or -1. */
int yk_fmu_find(const yk_fmu_description *d, const char *name);
int yk_fmu_find_reference(const yk_fmu_description *d, double reference);

/* The unit of this name, or NULL. */
const yk_fmu_unit *yk_fmu_find_unit(const yk_fmu_description *d,
                                    const char *name);

/* May a start value be given?  The FMU computes all others by itself. */
bool yk_fmu_may_set(const yk_fmu_variable *v);

/* Is the number a value of the type? */
bool yk_fmu_fits(yk_fmu_type type, double value);

const char *yk_fmu_type_name(yk_fmu_type type);

#endif
