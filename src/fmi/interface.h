/* fmi/interface.h -- what an exported FMU knows of itself: resources/yoke.txt.
 *
 *     yoke 1
 *     token 5f...
 *     system drive.yaml
 *     span 0 2
 *     setting left.m=3
 *     option rtol=1e-8
 *     parameter 2 a.k
 *     input 3 force
 *     output 0 a.x
 *     local 0 a.v
 *
 * Each of the last four is a variable; their value references are 1, 2, ... in
 * this order, 0 is the time.  The number is the start value.
 */
#ifndef YK_FMI_INTERFACE_H
#define YK_FMI_INTERFACE_H

#include "base/base.h"

#define YK_FMI_FILE "yoke.txt"

typedef enum yk_fmi_kind {
    YK_FMI_TIME,
    YK_FMI_PARAMETER,
    YK_FMI_INPUT,
    YK_FMI_OUTPUT,
    YK_FMI_LOCAL
} yk_fmi_kind;

typedef struct yk_fmi_variable {
    yk_fmi_kind kind;
    const char *name;
    double start;
    int number; /* among those of its kind */
} yk_fmi_variable;

/* "left.m" and "3". */
typedef struct yk_fmi_pair {
    const char *name, *value;
} yk_fmi_pair;

typedef struct yk_fmi_interface {
    char *text; /* all names point into it */
    const char *token, *system;
    double start, stop;
    int variables, settings, options;
    size_t variable_room, setting_room, option_room;
    yk_fmi_variable *variable;
    yk_fmi_pair *setting, *option;
    int parameters, inputs, shown; /* shown: outputs and local ones */
} yk_fmi_interface;

/* Takes `text`, also on failure; `path` is for messages. */
yoke_status yk_fmi_read_interface(yk_fmi_interface *out, char *text,
                                  const char *path, yoke_err *err);
void yk_fmi_clear_interface(yk_fmi_interface *i);

#endif
