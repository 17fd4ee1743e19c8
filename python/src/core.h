/* python/src/core.h -- the extension module yoke._core.
 *
 *     part.c    a subsystem whose functions are written in Python; jacobian.c
 *     model.c   the type Model: subsystems and couplings
 *     facts.c   what a Model says about itself
 *     run.c     the type Run: a run whose rows stay in memory
 *     tables.c  result files as arrays
 *     core.c    the module
 *
 * It knows the public headers only.  The package around it, python/yoke, is
 * what users see.
 *
 * While a run computes the interpreter is not held; functions of the user,
 * progress and the question for signals take it for the time of the call.
 */
#ifndef CORE_H
#define CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API  NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL yoke_core_array
#ifndef CORE_MAIN
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include "yoke/netlist.h"
#include "yoke/yoke.h"

#include <stdbool.h>

/* ---- errors (core.c) ------------------------------------------------------ */

/* Raises what the package makes of a status and its text; returns NULL. */
PyObject *core_raise(yoke_status status, const yoke_err *err);

/* The same with the exception of a function behind it, which is taken and may be
 * NULL; interrupts and exits are raised themselves. */
PyObject *core_raise_from(yoke_status status, const yoke_err *err,
                          PyObject *cause);

/* Of the package: a point at which a function is not defined. */
extern PyObject *core_retry;

/* ---- parts (part.c) ------------------------------------------------------- */

/* A subsystem whose functions are Python's; it belongs to its yoke_system. */
typedef struct core_part core_part;

/* `spec` is a dictionary, see python/yoke/_part.py; all objects in it outlive
 * the part. */
yoke_system *core_part_create(core_part **out, const char *name,
                              PyObject *spec);

/* What the part's functions raised last, or NULL; a new reference.  `fatal`:
 * it ends the run, otherwise the point was tried again elsewhere. */
PyObject *core_part_error(const core_part *part, bool *fatal);
void core_part_forget(core_part *part);
int core_part_visit(const core_part *part, visitproc visit, void *arg);

/* Did a function fail for good?  The interpreter need not be held. */
bool core_part_failed(const core_part *part);
const char *core_part_text(const core_part *part); /* what it said then */

/* No function is called any more; the objects of `spec` may go. */
void core_part_disable(core_part *part);

/* ---- models (model.c) ----------------------------------------------------- */

typedef struct core_model {
    PyObject_HEAD yoke_file *file; /* owns the model; NULL: made here */
    yoke_model *model;
    PyObject *keep; /* list of all objects that parts use; NULL: cleared */
    core_part **part;
    int parts;
    bool busy; /* a computation is under way */
    bool open; /* a Run is not closed */
} core_model;

extern PyTypeObject core_model_type;

/* For the time of a computation: refuses a second one, and while a Run is open
 * all that is not its own; forgets old errors.  False: an exception is set. */
bool core_model_enter(core_model *m, bool by_run);

/* The exception of a part, or NULL; a new reference. */
PyObject *core_model_leave(core_model *m);

/* Leaves and raises: a failure of the library, or what a function raised, with
 * its part and time. */
PyObject *core_model_fail(core_model *m, yoke_status status,
                          const yoke_err *err);

/* A run options struct from the file, or the defaults, with a list of pairs of
 * texts.  The texts live as long as `pairs`.  False: an exception is set. */
bool core_options(core_model *m, PyObject *pairs, yoke_run_options *out);

extern PyMethodDef core_model_facts[]; /* facts.c */
bool core_model_ready(void);

/* ---- runs, tables (run.c, tables.c) --------------------------------------- */

extern PyTypeObject core_run_type;

/* Text of a library, which is UTF-8 as a rule. */
PyObject *core_text(const char *text);
PyObject *core_texts(int count, const char *const *text);

/* (names, units or None, array); frees the table in any case. */
PyObject *core_table(yoke_table *table);

PyObject *core_read_table(PyObject *self, PyObject *args);
PyObject *core_write_table(PyObject *self, PyObject *args);
PyObject *core_read_notes(PyObject *self, PyObject *args);
PyObject *core_report(PyObject *self, PyObject *args);

/* Adds to a dictionary or list and drops the reference; false: it failed. */
bool core_put(PyObject *dict, const char *key, PyObject *value);
bool core_append(PyObject *list, PyObject *value);

#endif
