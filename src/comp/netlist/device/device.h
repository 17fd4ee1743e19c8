/* comp/netlist/device/device.h -- nonlinear devices: currents, charges and
 * their exact derivatives.
 *
 * A device sits between its terminals (and internal nodes behind series
 * resistances) and is a function of a few *branch voltages* b_k = v[plus_k] -
 * v[minus_k]:
 *
 *     i[j](b)   current that flows from node j into the device
 *     q[j](b)   charge of node j in the device
 *
 * Both sum to zero over the nodes.  A circuit adds i to f and q to q of the
 * charge form.  The functions are pure; limiting belongs to the caller's Newton
 * iteration: `limit` changes the new branch voltages so that they do not run
 * too far from the old ones, and the caller continues i and q linearly from
 * there.
 *
 * References: Nagel, SPICE2, UCB/ERL M520 (1975); the ngspice 39 manual,
 * chapters 7 to 11.
 */
#ifndef YK_DEVICE_H
#define YK_DEVICE_H

#include "comp/netlist/netlist.h"

enum {
    YK_DEVICE_NODES = 10, /* most terminals, internal nodes and rates */
    YK_DEVICE_RATES = 4,
    YK_DEVICE_BRANCHES = 8 /* most branch voltages */
};

/* s, unit of time of derivatives of voltages that are unknowns. */
#define YK_RATE_TIME 1e-9

/* Charge over absolute temperature etc., CODATA as ngspice 39 has them. */
typedef struct yk_device_env {
    double temperature; /* K, of the circuit */
    double nominal;     /* K, at which parameters were measured (tnom) */
    double gmin;        /* S, across junctions */
    double scale;       /* of lengths, 1 */
    bool meyer;         /* MOS transistors have Meyer's capacitances, as in
                           ngspice; otherwise charges */
} yk_device_env;

typedef struct yk_device yk_device;

typedef struct yk_device_ops {
    const char *kind; /* "diode", "mosfet level 1", ... */

    /* i, q [nodes]; di, dq [nodes * branches], row by row.  Any may be NULL. */
    void (*load)(const yk_device *device, const double *b, double *i, double *q,
                 double *di, double *dq);

    /* OPTIONAL.  Returns true if it changed `b`. */
    bool (*limit)(const yk_device *device, const double *old, double *b);

    /* OPTIONAL.  After a last move of the branch voltages by db to b: are the
     * currents linear over it, to the part `rtol`? */
    bool (*settled)(const yk_device *device, const double *b, const double *db,
                    double rtol);

    /* OPTIONAL.  Branch voltages to begin the operating point with. */
    void (*begin)(const yk_device *device, double *b);
} yk_device_ops;

struct yk_device {
    const yk_device_ops *ops;
    int nodes;     /* terminals first, then internal nodes */
    int terminals; /* as in the element, the missing ones (bulk, substrate)
                      added: those are joined with ground or as `join` says */
    const char *internal[YK_DEVICE_NODES]; /* names: "collector", ...;
                                              node "q1#collector" */
    /* So many of the last nodes are no nodes but derivatives of the voltages of
     * nodes rate_of[k], times YK_RATE_TIME; no current flows into them. */
    int rates, rate_of[YK_DEVICE_RATES];
    int branches;
    int plus[YK_DEVICE_BRANCHES], minus[YK_DEVICE_BRANCHES]; /* nodes of the
                                                                device */
    /* Which of di, dq are not always zero; some of dq. */
    bool i_place[YK_DEVICE_NODES * YK_DEVICE_BRANCHES];
    bool q_place[YK_DEVICE_NODES * YK_DEVICE_BRANCHES];
    bool has_charge;
    void *data; /* parameters after temperature, in the arena */
};

/* Makes the device of element `e` (kinds d, q, m, j) in the netlist's arena.
 * Unknown parameters of its model are warnings, once per model. */
/* Is there a device for the type and level of its model? */
yoke_status yk_device_check(const yk_netlist *netlist, const yk_net_element *e,
                            yoke_err *err);

yoke_status yk_device_make(yk_device **out, yk_netlist *netlist, int e,
                           const yk_device_env *env, yoke_err *err);

/* ---- limiting (limit.c), after Nagel ------------------------------------- */

double yk_limit_junction(double v, double old, double vt, double critical,
                         bool *limited);                      /* pnjlim */
double yk_limit_gate(double v, double old, double threshold); /* fetlim */
double yk_limit_drain(double v, double old);                  /* limvds */

/* Does a model of this type have the parameter?  True for types that are no
 * semiconductors. */
bool yk_device_knows(const char *type, const char *name);

#endif
