/* cli/verify.h -- the runs of yoke verify and what they say. */
#ifndef YK_CLI_VERIFY_H
#define YK_CLI_VERIFY_H

#include "cli/cli.h"

enum { SERIES = 3 };
enum {
    COUPLED,
    FIRST, /* of the series */
    FINE = FIRST + SERIES,
    SHORT, /* as asked for, with short steps */
    OTHER, /* with closed parts: in another order of sweeps */
    WHOLE,
    REFERENCE,
    RUNS
};

typedef struct verify_run {
    bool done;
    char why[YOKE_ERR_SIZE]; /* if not */
    double window;           /* 0: chosen by the program */
    yoke_run_result result;
    int rows, cols;
    double *value; /* row by row, without the time */
    double *size;  /* of each column; NULL: it did not reach the end */
} verify_run;

typedef struct verify_distance {
    double max, rms, tolerance;
    int at_row;
} verify_distance;

/* What the errors of windows H, H/2, H/4 show. */
typedef enum verify_order {
    ORDER_NO_RUN,    /* one of them failed */
    ORDER_SPLITTING, /* the order of the splitting error */
    ORDER_ALL,       /* of the steppers, whose steps are counted per window, and
                        the splitting together */
    ORDER_BELOW,     /* all errors are below what the steppers leave */
    ORDER_FLAT       /* the errors do not fall: they are not the windows' */
} verify_order;

typedef struct verify {
    yoke_model *model;
    double start, stop, every, rtol, atol;
    long most_steps; /* of the next run; 0: no limit */
    int sweeps;      /* of each window of the series; 0: until it converges */
    verify_run run[RUNS];
    int cols;
    char **name;
    verify_distance *variable; /* coupled against monolithic */
    double splitting;          /* the largest of them over its tolerance */
    int worst;
    double error[RUNS]; /* against the reference, over the tolerance */
    double level;       /* what the steppers leave of it; NAN: not known */
    double total;       /* coupled against the reference, over the tolerance */
    int total_worst;
    double bound;       /* longest step of the reference; 0: none, steps of
                           some subsystem have a fixed length */
    char fixed[400];    /* who has fixed steps, with methods; "": nobody */
    bool by_steps;      /* short steps would mend it */
    char reference[64]; /* how it was made */
    double orders[SERIES - 1], order;
    verify_order seen;
    bool steps_per_window;
    double factor;     /* tolerances that are promised */
    bool agree;        /* splitting within them */
    bool good;         /* and every window converged */
    bool closed;       /* there are closed parts: no monolithic run */
    char parts[200];   /* their names */
    bool steps_differ; /* only the run with other steps differs */
    bool halved;       /* their steps were, in the fine run */
    double apart;      /* outputs of the replay, over the tolerance */
    char no_replay[YOKE_ERR_SIZE];
} verify;

/* verify_formats.c */
yoke_status verify_names(verify *v, const yoke_run *run, yoke_err *err);
void verify_clear(verify *v);
void verify_print(const verify *v);
void verify_print_closed(const verify *v);
void verify_json(const verify *v);

#endif
