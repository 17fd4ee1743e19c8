/* file/measure.h -- what is to be measured of a run: the section `measure`.
 *
 *     measure:
 *       peak: max(motor.u*motor.i, from=1 ms)
 *       t10:  when(load.x = 0.1, rise=1)
 *       rise: trig(load.x, val=0.1, rise=1) targ(load.x, val=0.9, rise=1)
 *       half: peak/2
 *
 * Each becomes the words that .measure of a netlist has (comp/netlist/analyse),
 * so that both are evaluated by the same code.  Signals are formulas of
 * recorded variables; all measures of a file share one list of them.
 */
#ifndef YK_FILE_MEASURE_H
#define YK_FILE_MEASURE_H

#include "base/texts.h"
#include "file/formula.h"

typedef struct yk_file_measure {
    char *name;
    char *path; /* NULL: command line */
    int line;
    yk_texts words;
    bool derived; /* a formula of earlier measures, `of` and `root` */
    yk_formula of;
    int root;
} yk_file_measure;

typedef struct yk_file_measures {
    int count;
    size_t room;
    yk_file_measure *at;
    yk_formula formula; /* all signals; its variables are recorded ones */
    int signals;
    size_t root_room, name_room;
    int *root;     /* of each signal: the step with its value */
    char **signal; /* of each: the word that stands for it */
} yk_file_measures;

void yk_file_measures_clear(yk_file_measures *list);

#endif
