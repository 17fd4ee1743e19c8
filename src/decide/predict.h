/* decide/predict.h -- the rate to be expected of a window. */
#ifndef YK_PREDICT_H
#define YK_PREDICT_H

#include "model/model.h"
#include "model/point.h"
#include "record/tally.h"
#include "yoke/run.h"

struct yk_contract;

enum { YK_LENGTHS = 32 };

typedef struct yk_predict {
    yoke_model *model; /* borrowed, as the next five */
    const yoke_graph *graph;
    const yoke_run_options *options;
    const yk_units *units;
    const yk_tally *tally;
    yk_first_point *initial;

    struct yk_contract *contract;
    bool tried; /* without a contract: it cannot be made */
    int count;
    double length[YK_LENGTHS], rate[YK_LENGTHS];
} yk_predict;

/* The rate per sweep that the linearisation at the initial values predicts for
 * windows of this length; NAN where it is not known.  Lengths that differ by
 * less than two percent count as one.  Only memory can fail. */
yoke_status yk_predict_rate(yk_predict *p, double length, double *rate,
                            yoke_err *err);
void yk_predict_forget(yk_predict *p); /* the units are others */

/* The clusters of plan 0 linearised at the initial values, with the responses
 * over a step of this length; NULL where it is not known.  Only memory can
 * fail. */
yoke_status yk_predict_respond(yk_predict *p, double length,
                               struct yk_contract **contract, yoke_err *err);

/* The sweeps are those that are predicted: nothing accelerates them. */
bool yk_predict_plain(const yk_predict *p);

/* Adds to the message of a failure what is known about the coupling, if that
 * may be its cause. */
void yk_predict_blame(yk_predict *p, yoke_err *err);

#endif
