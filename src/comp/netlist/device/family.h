/* comp/netlist/device/family.h -- what device.c needs to know of a family of
 * devices, and what it gives to it.
 */
#ifndef YK_FAMILY_H
#define YK_FAMILY_H

#include "comp/netlist/device/device.h"
#include "comp/netlist/device/junction.h"

typedef struct yk_given {
    double v;
    bool given;
} yk_given;

/* A parameter that a model or an element may have.  Several names may share a
 * slot; the preset is that of the first.  YK_SILENT: known, without effect
 * here (noise, limits of use); YK_IGNORED: a warning unless it is 0. */
enum { YK_SILENT = -1, YK_IGNORED = -2 };
typedef struct yk_device_name {
    const char *name;
    int slot;
    double preset;
} yk_device_name;

typedef struct yk_device_names {
    int count;
    const yk_device_name *name;
} yk_device_names;

#define YK_NAMES(table)                                                        \
    {                                                                          \
        (int)(sizeof(table) / sizeof((table)[0])), table                       \
    }

enum { YK_DEVICE_SLOTS = 120, YK_ELEMENT_SLOTS = 16 };

/* The element with its parameters. */
typedef struct yk_device_plan {
    yk_netlist *netlist;
    const yk_net_element *element;
    const yk_net_model *model;
    const yk_device_env *env;
    const yk_given *p; /* of the model */
    yk_given e[YK_ELEMENT_SLOTS];
    double t, nominal; /* K */
} yk_device_plan;

/* Slots that all elements and models have. */
enum { YK_E_TEMP, YK_E_DTEMP, YK_E_M, YK_E_FIRST };
enum { YK_P_TNOM, YK_P_LEVEL, YK_P_FIRST };

typedef struct yk_device_family {
    char kind;            /* of the element */
    const char *types[3]; /* of the model */
    int level;            /* 0: any */
    const yk_device_names *model, *element;

    /* Fills a device whose `data` has `bytes` bytes. */
    size_t bytes;
    yoke_status (*make)(yk_device *device, const yk_device_plan *plan,
                        yoke_err *err);
} yk_device_family;

extern const yk_device_family yk_diode_family, yk_bjt_family, yk_mos1_family,
    yk_mos2_family, yk_mos3_family, yk_jfet_family, yk_vdmos_family;

/* The voltage at which breakdown begins so that the current is ibv at bv
 * (diode.c); vt = kT/q, nvt with the emission coefficient. */
double yk_breakdown_voltage(double bv, double ibv, double is, double vt,
                            double nvt);

/* Adds an internal node; returns its number. */
int yk_device_node(yk_device *device, const char *name);

/* Adds a branch voltage; returns its number. */
int yk_device_branch(yk_device *device, int plus, int minus);

/* "file:line: m1 (model nch): ..." */
yoke_status yk_device_fail(const yk_device_plan *plan, yoke_err *err,
                           const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a linear conductance between the nodes of a branch. */
static inline void yk_device_resistor(const yk_device *d, int branch, double g,
                                      const double *b, double *i, double *di)
{
    const int plus = d->plus[branch], minus = d->minus[branch];

    if (i) {
        i[plus] += g * b[branch];
        i[minus] -= g * b[branch];
    }
    if (di) {
        di[plus * d->branches + branch] += g;
        di[minus * d->branches + branch] -= g;
    }
}

#endif
