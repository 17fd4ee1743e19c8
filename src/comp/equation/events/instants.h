/* comp/equation/events/instants.h -- what events have to do with inputs and
 * outputs. */
#ifndef YK_EQUATION_INSTANTS_H
#define YK_EQUATION_INSTANTS_H

#include "comp/equation/code/layout.h"
#include "yoke/event.h"
#include "yoke/system.h"

typedef struct yk_whens yk_whens; /* events.h */

typedef struct yk_instants {
    bool known; /* there are when-equations, or something is held */
    yoke_event_facts facts;
    bool *discrete;
    unsigned char *reads, *jump;
} yk_instants;

/* `events` may be NULL: nothing is known then. */
yoke_status yk_instants_create(yk_instants *out, yk_model *model,
                               const yk_layout *layout, const yk_whens *events,
                               yoke_err *err);
void yk_instants_free(yk_instants *instants);

#endif
