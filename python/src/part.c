/* python/src/part.c -- a subsystem whose functions are written in Python.
 *
 * A core_function is called with t and arrays for x and u.  The arrays are made once
 * and filled for every call, which for fewer than some thousand unknowns costs
 * less than making views of the library's memory; and what a core_function keeps of
 * them stays valid: an array that somebody still holds after a call is left to
 * him, and the next call gets a new one.
 *
 * What a core_function raises is kept.  Arithmetic errors (a division by zero in a
 * trial point of Newton's method) and yoke.Retry let the stepper try a smaller
 * step; everything else ends the run, and every call that comes before its end
 * fails at once.
 */
#include "part.h"

#include <math.h>
#include <stdio.h>

PyObject *core_part_error(const core_part *p, bool *fatal)
{
    *fatal = p->fatal;
    return Py_XNewRef(p->error);
}

int core_part_visit(const core_part *p, visitproc visit, void *arg)
{
    Py_VISIT(p->error);
    return 0;
}

bool core_part_failed(const core_part *p)
{
    return p->fatal;
}

const char *core_part_text(const core_part *p)
{
    return p->failure;
}

void core_part_disable(core_part *p)
{
    Py_CLEAR(p->error);
    p->fatal = true;
    snprintf(p->failure, sizeof p->failure, "the system was dropped");
    p->break_count = 0;
    p->memory_bytes = 0;
}

void core_part_forget(core_part *p)
{
    Py_CLEAR(p->error);
    p->fatal = false;
}

/* ---- calls --------------------------------------------------------------- */

yoke_status core_failed(core_part *p, double t, const char *what, yoke_err *err)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;

    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && trace) PyException_SetTraceback(value, trace);
    const bool again =
        PyErr_GivenExceptionMatches(type, PyExc_ArithmeticError) ||
        (core_retry && PyErr_GivenExceptionMatches(type, core_retry));
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *told = text ? PyUnicode_AsUTF8(text) : NULL;
    PyErr_Clear();
    const char *kind = ((PyTypeObject *)type)->tp_name;
    char text_of[800];
    if (told && strncmp(told, what, strlen(what)) == 0) /* ours */
        snprintf(text_of, sizeof text_of, "%.600s (%.100s)", told, kind);
    else
        snprintf(text_of, sizeof text_of, "%s raised %.100s: %.600s", what,
                 kind, told ? told : "");
    snprintf(p->failure, sizeof p->failure,
             "subsystem \"%.100s\", t = %.9g: %s", p->name, t, text_of);
    const yoke_status status =
        yoke_fail(err, again ? YOKE_RETRY : YOKE_E_CALLBACK, "%s", text_of);
    Py_XDECREF(text);
    Py_XSETREF(p->error, value);
    p->fatal = !again;
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return status;
}

static bool fill(core_vector *v, const double *value)
{
    npy_intp size = v->count;

    if (!v->array) {
        v->array = PyArray_SimpleNew(1, &size, NPY_DOUBLE);
        if (!v->array) return false;
        PyArray_CLEARFLAGS((PyArrayObject *)v->array, NPY_ARRAY_WRITEABLE);
    }
    if (size > 0)
        memcpy(PyArray_DATA((PyArrayObject *)v->array), value,
               (size_t)size * sizeof *value);
    return true;
}

/* An array that somebody kept is his. */
static void release(core_vector *v)
{
    if (v->array && Py_REFCNT(v->array) != 1) Py_CLEAR(v->array);
}

PyObject *core_invoke(core_part *p, const core_function *f, double t,
                      const double *x, const double *u, PyObject *more)
{
    PyObject *args[5] = { NULL, PyFloat_FromDouble(t) };
    PyObject *result = NULL;
    size_t count = 1;

    if (args[1] && fill(&p->x, x) && fill(&p->u, u)) {
        args[++count] = p->x.array;
        if (f->args > 2) args[++count] = p->u.array;
        if (more) args[++count] = more;
        result = PyObject_Vectorcall(
            f->call, args + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    }
    Py_XDECREF(args[1]);
    release(&p->x);
    release(&p->u);
    return result;
}

/* ---- results ------------------------------------------------------------- */

static bool wrong_shape(const char *what, int count, PyObject *got)
{
    PyObject *shape =
        PyArray_Check(got)
            ? PyObject_GetAttrString(got, "shape")
            : PyUnicode_FromFormat("%zd numbers", PyObject_Length(got));

    if (shape)
        PyErr_Format(PyExc_ValueError,
                     "%s must return %d number%s, not an array of shape %S",
                     what, count, count == 1 ? "" : "s", shape);
    Py_XDECREF(shape);
    return false;
}

static bool take_sequence(PyObject *r, int count, double *out, const char *what)
{
    PyObject *const *item = PySequence_Fast_ITEMS(r);

    if (PySequence_Fast_GET_SIZE(r) != count)
        return PyErr_Format(PyExc_ValueError,
                            "%s must return %d number%s, not %zd", what, count,
                            count == 1 ? "" : "s", PySequence_Fast_GET_SIZE(r)),
               false;
    for (int i = 0; i < count; i++) {
        out[i] = PyFloat_AsDouble(item[i]);
        if (out[i] == -1.0 && PyErr_Occurred()) return false;
    }
    return true;
}

/* `count` numbers of what a function returned. */
static bool take(PyObject *r, int count, double *out, const char *what)
{
    if (PyFloat_Check(r) && count == 1) {
        *out = PyFloat_AS_DOUBLE(r);
        return true;
    }
    if (PyList_CheckExact(r) || PyTuple_CheckExact(r))
        return take_sequence(r, count, out, what);
    if (r == Py_None)
        return PyErr_Format(PyExc_TypeError,
                            "%s returned None; is a return missing?", what),
               false;
    if (PyArray_Check(r) && PyArray_ISCOMPLEX((PyArrayObject *)r))
        return PyErr_Format(PyExc_TypeError, "%s returned complex numbers",
                            what),
               false;
    PyObject *array = PyArray_FROMANY(r, NPY_DOUBLE, 0, 0, NPY_ARRAY_CARRAY_RO);
    if (!array) return false;
    PyArrayObject *a = (PyArrayObject *)array;
    const bool fits =
        PyArray_SIZE(a) == count &&
        (PyArray_NDIM(a) == 1 || (PyArray_NDIM(a) == 0 && count == 1));
    if (fits && count > 0)
        memcpy(out, PyArray_DATA(a), (size_t)count * sizeof *out);
    if (!fits) wrong_shape(what, count, array);
    Py_DECREF(array);
    return fits;
}

/* Calls and takes; frees the result. */
bool core_numbers(core_part *p, const core_function *f, double t,
                  const double *x, const double *u, PyObject *more, int count,
                  double *out, const char *what)
{
    PyObject *r = core_invoke(p, f, t, x, u, more);
    const bool good = r && take(r, count, out, what);

    Py_XDECREF(r);
    return good;
}

/* ---- callbacks ----------------------------------------------------------- */

yoke_status core_after_failure(const core_part *p, yoke_err *err)
{
    return yoke_fail(err, YOKE_E_CALLBACK, "%s", p->failure);
}

/* Two results for the same arguments. */
static bool same(const double *a, const double *b, int n, const char *what)
{
    double most = 0.0;
    char text[300];

    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    for (int i = 0; i < n; i++) {
        /* Threads of a library may add in another order. */
        if (!(fabs(a[i] - b[i]) > 1e-9 * most)) continue;
        snprintf(text, sizeof text,
                 "%s gives %.9g and then %.9g for the same t, x and u; it must "
                 "depend on nothing else: what it remembers is a state, or "
                 "memory, and noise is a table made before the run",
                 what, a[i], b[i]);
        PyErr_SetString(PyExc_ValueError, text);
        return false;
    }
    return true;
}

/* The first call is made twice, so that a function that is not pure is told
 * before the steppers look for the reason in ever smaller steps. */
static bool slopes(core_part *p, double t, const double *x, const double *u,
                   double *xdot)
{
    if (!core_numbers(p, &p->rhs, t, x, u, NULL, p->n, xdot, "rhs"))
        return false;
    if (p->compared) return true;
    double *again = PyMem_Malloc((size_t)(p->n + 1) * sizeof *again);
    bool good = again != NULL;

    p->compared = true;
    if (!good) PyErr_NoMemory();
    good = good &&
           core_numbers(p, &p->rhs, t, x, u, NULL, p->n, again, "rhs") &&
           same(xdot, again, p->n, "rhs");
    PyMem_Free(again);
    return good;
}

static yoke_status on_rhs(void *self, double t, const double *x,
                          const double *u, double *xdot, yoke_err *err)
{
    core_part *p = self;

    if (p->fatal) return core_after_failure(p, err);
    const PyGILState_STATE held = PyGILState_Ensure();
    const yoke_status status =
        slopes(p, t, x, u, xdot) ? YOKE_OK : core_failed(p, t, "rhs", err);
    PyGILState_Release(held);
    return status;
}

static bool charges(core_part *p, double t, const double *x, const double *u,
                    double *q, double *f)
{
    PyObject *r = core_invoke(p, &p->residual, t, x, u, NULL);
    bool good = r;

    if (good && (!PyTuple_Check(r) || PyTuple_GET_SIZE(r) != 2)) {
        PyErr_SetString(PyExc_TypeError,
                        "residual must return a pair (q, f) of d/dt q + f = 0");
        good = false;
    }
    if (good && q)
        good = take(PyTuple_GET_ITEM(r, 0), p->n, q, "q of residual");
    if (good && f)
        good = take(PyTuple_GET_ITEM(r, 1), p->n, f, "f of residual");
    Py_XDECREF(r);
    return good;
}

/* As `slopes`. */
static bool twice(core_part *p, double t, const double *x, const double *u,
                  double *q, double *f)
{
    if (!charges(p, t, x, u, q, f)) return false;
    if (p->compared || !q || !f) return true;
    double *again = PyMem_Malloc(2 * (size_t)(p->n + 1) * sizeof *again);
    bool good = again != NULL;

    p->compared = true;
    if (!good) PyErr_NoMemory();
    good = good && charges(p, t, x, u, again, again + p->n) &&
           same(q, again, p->n, "residual") &&
           same(f, again + p->n, p->n, "residual");
    PyMem_Free(again);
    return good;
}

static yoke_status on_eval(void *self, double t, const double *x,
                           const double *u, double *q, double *f, yoke_err *err)
{
    core_part *p = self;

    if (p->fatal) return core_after_failure(p, err);
    const PyGILState_STATE held = PyGILState_Ensure();
    const yoke_status status =
        twice(p, t, x, u, q, f) ? YOKE_OK : core_failed(p, t, "residual", err);
    PyGILState_Release(held);
    return status;
}

static yoke_status on_output(void *self, double t, const double *x,
                             const double *u, double *y, yoke_err *err)
{
    core_part *p = self;

    if (p->fatal) return core_after_failure(p, err);
    const PyGILState_STATE held = PyGILState_Ensure();
    const yoke_status status =
        core_numbers(p, &p->output, t, x, u, NULL, p->p, y, "output")
            ? YOKE_OK
            : core_failed(p, t, "output", err);
    PyGILState_Release(held);
    return status;
}

static double on_break(void *self, double t)
{
    core_part *p = self;
    double next = INFINITY;
    int low = 0, high = p->break_count;

    while (low < high) {
        const int middle = (low + high) / 2;
        if (p->breaks[middle] > t)
            high = middle;
        else
            low = middle + 1;
    }
    if (low < p->break_count) next = p->breaks[low];
    if (!p->next_break.call || p->fatal) return next;
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject *r = PyObject_CallFunction(p->next_break.call, "d", t);
    double own = INFINITY;
    if (!r || (r != Py_None && !take(r, 1, &own, "next_break")))
        core_failed(p, t, "next_break", NULL);
    else if (!(own > t)) {
        PyErr_Format(PyExc_ValueError, "next_break must return a later time, "
                                       "or None");
        core_failed(p, t, "next_break", NULL);
        own = INFINITY;
    }
    Py_XDECREF(r);
    PyGILState_Release(held);
    return fmin(next, own);
}

static yoke_status on_indicate(void *self, double t, const double *x,
                               const double *u, double *g, yoke_err *err)
{
    core_part *p = self;

    if (p->fatal) return core_after_failure(p, err);
    const PyGILState_STATE held = PyGILState_Ensure();
    const yoke_status status =
        core_numbers(p, &p->indicate, t, x, u, NULL, p->events, g, "events")
            ? YOKE_OK
            : core_failed(p, t, "events", err);
    PyGILState_Release(held);
    return status;
}

static yoke_status on_apply(void *self, double t, const double *x,
                            const double *u, const bool *happened,
                            double *x_new, yoke_err *err)
{
    core_part *p = self;
    npy_intp size = p->events;
    bool good = false;

    if (p->fatal) return core_after_failure(p, err);
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject *which = PyArray_SimpleNew(1, &size, NPY_BOOL);
    if (which) {
        npy_bool *to = PyArray_DATA((PyArrayObject *)which);
        for (int k = 0; k < p->events; k++) to[k] = happened[k];
        PyObject *r = core_invoke(p, &p->apply, t, x, u, which);
        good = r && (r == Py_None || take(r, p->n, x_new, "on_event"));
        Py_XDECREF(r);
        Py_DECREF(which);
    }
    const yoke_status status =
        good ? YOKE_OK : core_failed(p, t, "on_event", err);
    PyGILState_Release(held);
    return status;
}

/* The array of the user keeps its place as long as the part lives. */
static void on_save(void *self, void *bytes)
{
    const core_part *p = self;

    memcpy(bytes, p->memory, p->memory_bytes);
}

static void on_restore(void *self, const void *bytes)
{
    core_part *p = self;

    memcpy(p->memory, bytes, p->memory_bytes);
}

static void on_free(void *self)
{
    core_part *p = self;

    if (!p) return;
    const PyGILState_STATE held = PyGILState_Ensure();
    Py_XDECREF(p->x.array);
    Py_XDECREF(p->u.array);
    Py_XDECREF(p->error);
    for (int k = 0; k < CORE_MATRICES; k++) yoke_pattern_free(p->pattern[k]);
    PyMem_Free(p->name);
    PyMem_Free(p->work);
    PyMem_Free(p);
    PyGILState_Release(held);
}

/* ---- creation ------------------------------------------------------------ */

static PyObject *item(PyObject *spec, const char *key)
{
    PyObject *value = PyDict_GetItemString(spec, key);

    return value == Py_None ? NULL : value;
}

static int whole(PyObject *spec, const char *key)
{
    PyObject *value = item(spec, key);

    return value ? (int)PyLong_AsLong(value) : 0;
}

/* A pair of a callable and its number of arguments. */
static core_function callable(PyObject *spec, const char *key)
{
    PyObject *pair = item(spec, key);

    if (!pair) return (core_function){ NULL, 0 };
    return (core_function){ PyTuple_GetItem(pair, 0),
                            (int)PyLong_AsLong(PyTuple_GetItem(pair, 1)) };
}

static double *data(PyObject *spec, const char *key)
{
    PyObject *array = item(spec, key);

    return array ? PyArray_DATA((PyArrayObject *)array) : NULL;
}

/* Texts of a list, which are the list's. */
static const char **names(PyObject *spec, const char *key)
{
    PyObject *list = item(spec, key);

    if (!list) return NULL;
    const Py_ssize_t count = PyList_GET_SIZE(list);
    const char **text = PyMem_Calloc((size_t)count + 1, sizeof *text);
    for (Py_ssize_t i = 0; text && i < count; i++) {
        text[i] = PyUnicode_AsUTF8(PyList_GET_ITEM(list, i));
        if (!text[i]) break;
    }
    if (!text) PyErr_NoMemory();
    return text;
}

static bool make_patterns(core_part *p, PyObject *spec)
{
    static const char *const key[CORE_MATRICES] = { "C",  "G",  "Cu",
                                                    "Gu", "Hx", "Hu" };
    const int rows[CORE_MATRICES] = { p->n, p->n, p->n, p->n, p->p, p->p };
    const int cols[CORE_MATRICES] = { p->n, p->n, p->m, p->m, p->n, p->m };
    PyObject *all = item(spec, "patterns");

    for (int k = 0; all && k < CORE_MATRICES; k++) {
        PyObject *pair = item(all, key[k]);
        yoke_err err = { YOKE_OK, "" };
        if (!pair) continue;
        PyArrayObject *row = (PyArrayObject *)PyTuple_GetItem(pair, 0);
        PyArrayObject *col = (PyArrayObject *)PyTuple_GetItem(pair, 1);
        const yoke_status status = yoke_pattern_create(
            &p->pattern[k], rows[k], cols[k], (int)PyArray_SIZE(row),
            PyArray_DATA(row), PyArray_DATA(col), &err);
        if (status != YOKE_OK) return core_raise(status, &err), false;
    }
    return true;
}

static void make_ops(core_part *p, bool memory)
{
    p->ops = (yoke_system_ops){
        .kind = "python",
        .eval = p->residual.call ? on_eval : NULL,
        .rhs = p->rhs.call ? on_rhs : NULL,
        .output = p->output.call ? on_output : NULL,
        .jacobian = p->jacobian.call ? core_on_jacobian : NULL,
        .next_break = p->break_count || p->next_break.call ? on_break : NULL,
        .save = memory ? on_save : NULL,
        .restore = memory ? on_restore : NULL,
        .free = on_free,
    };
    p->event = (yoke_event_ops){ .indicate = on_indicate, .apply = on_apply };
}

static core_part *read_spec(const char *name, PyObject *spec)
{
    core_part *p = PyMem_Calloc(1, sizeof *p);
    const size_t bytes = strlen(name) + 1;

    if (!p) return PyErr_NoMemory(), NULL;
    p->name = PyMem_Malloc(bytes);
    if (p->name)
        memcpy(p->name, name, bytes);
    else
        PyErr_NoMemory();
    p->rhs = callable(spec, "rhs");
    p->residual = callable(spec, "residual");
    p->output = callable(spec, "output");
    p->jacobian = callable(spec, "jacobian");
    p->output_jacobian = callable(spec, "output_jacobian");
    p->indicate = callable(spec, "indicate");
    p->apply = callable(spec, "apply");
    p->next_break = callable(spec, "next_break");
    p->n = whole(spec, "n");
    p->m = whole(spec, "m");
    p->p = whole(spec, "p");
    p->events = whole(spec, "events");
    p->x.count = p->n;
    p->u.count = p->m;
    p->breaks = data(spec, "breaks");
    if (p->breaks)
        p->break_count =
            (int)PyArray_SIZE((PyArrayObject *)item(spec, "breaks"));
    p->memory = data(spec, "memory");
    if (p->memory)
        p->memory_bytes =
            (size_t)PyArray_NBYTES((PyArrayObject *)item(spec, "memory"));
    const size_t most = (size_t)(p->n > p->p ? p->n : p->p);
    p->work = PyMem_Calloc(2 * most + (size_t)(p->n > p->m ? p->n : p->m) + 1,
                           sizeof *p->work);
    if (!p->work) PyErr_NoMemory();
    make_ops(p, p->memory != NULL);
    if (!PyErr_Occurred() && make_patterns(p, spec)) return p;
    on_free(p);
    return NULL;
}

/* Creates the system, which probes the functions.  What they raise must outlive a
 * failure, so `p` is freed here; *cause is what they raised, or NULL. */
static yoke_status create(yoke_system **out, const char *name, core_part *p,
                          const yoke_system_info *info, PyObject **cause,
                          yoke_err *err)
{
    bool fatal = false;

    p->ops.free = NULL;
    yoke_status status = yoke_system_create(out, name, &p->ops, p, info, err);
    *cause = core_part_error(p, &fatal);
    if (fatal) {
        status = yoke_fail(err, YOKE_E_CALLBACK, "%s", p->failure);
        yoke_system_free(*out); /* accepts NULL */
    }
    core_part_forget(p);
    p->ops.free = on_free;
    if (status != YOKE_OK) on_free(p);
    return status;
}

yoke_system *core_part_create(core_part **out, const char *name, PyObject *spec)
{
    enum { TEXTS = 6 };
    core_part *p = read_spec(name, spec);
    yoke_err err = { YOKE_OK, "" };
    yoke_system *system = NULL;
    PyObject *cause = NULL;
    yoke_status status = YOKE_OK;

    if (!p) return NULL;
    const char **text[TEXTS] = { names(spec, "x"),      names(spec, "u"),
                                 names(spec, "y"),      names(spec, "eq"),
                                 names(spec, "x_unit"), names(spec, "y_unit") };
    const yoke_system_info info = {
        .n = p->n,
        .m = p->m,
        .p = p->p,
        .flags = (unsigned)whole(spec, "flags"),
        .memory_bytes = p->memory_bytes,
        .x0 = data(spec, "x0"),
        .nominal = data(spec, "nominal"),
        .x_name = text[0],
        .u_name = text[1],
        .y_name = text[2],
        .eq_name = text[3],
        .x_unit = text[4],
        .y_unit = text[5],
        .C = p->pattern[0],
        .G = p->pattern[1],
        .Cu = p->pattern[2],
        .Gu = p->pattern[3],
        .Hx = p->pattern[4],
        .Hu = p->pattern[5],
        .events = p->events,
        .event = p->events > 0 ? &p->event : NULL,
    };
    const bool good = !PyErr_Occurred();
    if (good)
        status = create(&system, name, p, &info, &cause, &err);
    else
        on_free(p);
    for (int k = 0; k < TEXTS; k++) PyMem_Free(text[k]);
    *out = p;
    if (good && status != YOKE_OK) core_raise_from(status, &err, cause);
    if (!good || status != YOKE_OK) return NULL;
    Py_XDECREF(cause);
    return system;
}
