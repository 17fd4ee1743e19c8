/* comp/netlist/ngspice/library.h -- the shared library of ngspice.
 *
 * It is loaded when a part asks for it; Yoke is built without it.  The
 * declarations are those that its interface needs.
 */
#ifndef YK_NGSPICE_LIBRARY_H
#define YK_NGSPICE_LIBRARY_H

#include "base/base.h"

/* One value of the point that was just accepted. */
typedef struct yk_ng_value {
    char *name;
    double re, im;
    bool is_scale, is_complex;
} yk_ng_value;

typedef struct yk_ng_point {
    int count, index;
    yk_ng_value **value;
} yk_ng_point;

/* A vector, or a quantity of a device as it is now. */
typedef struct yk_ng_vector {
    char *name;
    int type;
    short flags;
    double *real;
    void *complex;
    int length;
} yk_ng_vector;

/* What ngspice calls.  All return 0; `sync` 1 to repeat a step. */
typedef int yk_ng_text(char *text, int id, void *context);
typedef int yk_ng_exit(int status, bool at_once, bool asked, int id,
                       void *context);
typedef int yk_ng_data(yk_ng_point *point, int count, int id, void *context);
typedef int yk_ng_begin(void *about, int id, void *context);
typedef int yk_ng_thread(bool running, int id, void *context);
typedef int yk_ng_source(double *value, double t, char *name, int id,
                         void *context);
typedef int yk_ng_sync(double t, double *step, double old, int again, int id,
                       int place, void *context);

typedef struct yk_ng_library {
    int (*init)(yk_ng_text *print, yk_ng_text *status, yk_ng_exit *quit,
                yk_ng_data *data, yk_ng_begin *begin, yk_ng_thread *thread,
                void *context);
    int (*init_sync)(yk_ng_source *voltage, yk_ng_source *current,
                     yk_ng_sync *sync, int *id, void *context);
    int (*circuit)(char **lines);
    int (*command)(char *text);
    bool (*breakpoint)(double t);
    yk_ng_vector *(*vector)(char *name);
    char *(*plot)(void);
} yk_ng_library;

yoke_status yk_ng_open(yk_ng_library *out, yoke_err *err);

#endif
