/* model/waves.h -- two physical ports that exchange waves. */
#ifndef YK_MODEL_WAVES_H
#define YK_MODEL_WAVES_H

#include "base/base.h"
#include "yoke/run.h"

typedef struct yk_wave_port {
    const char *potential, *flow; /* "subsystem.port.variable" */
    const char *subsystem;
} yk_wave_port;

enum { YK_WAVES_TEXT = 400 };

/* Closes both ports and couples them; impedance 0: estimated.  `text` gets what
 * a report says about it. */
yoke_status yk_model_waves(yoke_model *model, const yoke_run_options *options,
                           const char *name, const yk_wave_port port[2],
                           double impedance, char text[YK_WAVES_TEXT],
                           yoke_err *err);

/* Does it close a port that exchanges waves? */
bool yk_is_wave_port(const yoke_system *system);

#endif
