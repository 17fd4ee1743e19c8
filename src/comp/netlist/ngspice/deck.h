/* comp/netlist/ngspice/deck.h -- the netlist that ngspice gets.
 *
 * The user's lines without analyses and outputs, then those of Yoke: a source at
 * each port, a source that tells ngspice to pause, what is kept, the transient
 * analysis.
 */
#ifndef YK_NGSPICE_DECK_H
#define YK_NGSPICE_DECK_H

#include "base/texts.h"

/* Node and source that are 1 V at the end of a window, else 0 V. */
#define YK_NG_FLAG   "ykflag"
#define YK_NG_FLAG_V "vykflag"

typedef struct yk_ng_set {
    const char *name; /* of an element or a .param, in lower case */
    const char *value;
    bool is_element; /* found as one: to be altered */
} yk_ng_set;

typedef struct yk_ng_wish {
    const char *path; /* for messages */
    int sources;
    const char *const *source; /* elements whose values are inputs */
    int sets;
    yk_ng_set *set;
    int lines; /* to be added */
    const char *const *line;
    double span; /* s, of the run; 0: not known */
} yk_ng_wish;

typedef struct yk_ng_deck {
    char **line; /* NULL at the end */
    int lines;
    size_t room;
    yk_texts before; /* commands before the circuit: those of .control that
                        begin with pre_, without that */
} yk_ng_deck;

/* Names and words are in any case.  Messages begin with path:line where there
 * is one. */
yoke_status yk_ng_deck_make(yk_ng_deck *out, const char *text, yk_ng_wish *wish,
                            yoke_err *err);
void yk_ng_deck_clear(yk_ng_deck *deck);

/* 10u is 1e-5. */
double yk_ng_number(const char *text);

#endif
