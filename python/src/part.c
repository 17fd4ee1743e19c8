/* python/src/part.c -- a subsystem whose functions are written in Python.
 *
 * A function is called with t and arrays for x and u.  The arrays are made once
 * and filled for every call, which for fewer than some thousand unknowns costs
 * less than making views of the library's memory; and what a function keeps of
 * them stays valid: an array that somebody still holds after a call is left to
 * him, and the next call gets a new one.
 *
 * What a function raises is kept.  Arithmetic errors (a division by zero in a
 * trial point of Newton's method) and yoke.Retry let the stepper try a smaller
 * step; everything else ends the run, and every call that comes before its end
 * fails at once.
 */
#include "core.h"

#include <math.h>
#include <stdio.h>

enum { MATRICES = 6 }; /* C G Cu Gu Hx Hu */

typedef struct function {
    PyObject *call; /* borrowed; NULL: none */
    int args;       /* 2: without u */
} function;

typedef struct vector {
    PyObject *array;
    int count;
} vector;

struct core_part {
    function rhs, residual, output, jacobian, output_jacobian, indicate, apply,
        next_break;
    int n, m, p, events;
    vector x, u;
    yoke_pattern *pattern[MATRICES];
    double *work; /* differences: two results, x or u */
    const double *breaks;
    int break_count;
    double *memory;
    size_t memory_bytes;
    char *name;
    PyObject *error;
    char failure[YOKE_ERR_SIZE]; /* its text, with part and time */
    bool fatal;
    yoke_system_ops ops;
    yoke_event_ops event;
};

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

/* Keeps the exception that is set; what it means for the stepper. */
static yoke_status failed(core_part *p, double t, const char *what,
                          yoke_err *err)
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
    snprintf(p->failure, sizeof p->failure,
             "subsystem \"%.100s\", t = %.9g: %s raised %.100s: %.600s",
             p->name, t, what, kind, told ? told : "");
    const yoke_status status =
        yoke_fail(err, again ? YOKE_RETRY : YOKE_E_CALLBACK,
                  "%s raised %.100s: %.600s", what, kind, told ? told : "");
    Py_XDECREF(text);
    Py_XSETREF(p->error, value);
    p->fatal = !again;
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return status;
}

static bool fill(vector *v, const double *value)
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
static void release(vector *v)
{
    if (v->array && Py_REFCNT(v->array) != 1) Py_CLEAR(v->array);
}

static PyObject *invoke(core_part *p, const function *f, double t,
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
static bool numbers(core_part *p, const function *f, double t, const double *x,
                    const double *u, PyObject *more, int count, double *out,
                    const char *what)
{
    PyObject *r = invoke(p, f, t, x, u, more);
    const bool good = r && take(r, count, out, what);

    Py_XDECREF(r);
    return good;
}

/* ---- callbacks ----------------------------------------------------------- */

static yoke_status after_failure(const core_part *p, yoke_err *err)
{
    return yoke_fail(err, YOKE_E_CALLBACK, "%s", p->failure);
}

static yoke_status on_rhs(void *self, double t, const double *x,
                          const double *u, double *xdot, yoke_err *err)
{
    core_part *p = self;

    if (p->fatal) return after_failure(p, err);
    const PyGILState_STATE held = PyGILState_Ensure();
    const yoke_status status =
        numbers(p, &p->rhs, t, x, u, NULL, p->n, xdot, "rhs")
            ? YOKE_OK
            : failed(p, t, "rhs", err);
    PyGILState_Release(held);
    return status;
}

static bool charges(core_part *p, double t, const double *x, const double *u,
                    double *q, double *f)
{
    PyObject *r = invoke(p, &p->residual, t, x, u, NULL);
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

static yoke_status on_eval(void *self, double t, const double *x,
                           const double *u, double *q, double *f, yoke_err *err)
{
    core_part *p = self;

    if (p->fatal) return after_failure(p, err);
    const PyGILState_STATE held = PyGILState_Ensure();
    const yoke_status status =
        charges(p, t, x, u, q, f) ? YOKE_OK : failed(p, t, "residual", err);
    PyGILState_Release(held);
    return status;
}

static yoke_status on_output(void *self, double t, const double *x,
                             const double *u, double *y, yoke_err *err)
{
    core_part *p = self;

    if (p->fatal) return after_failure(p, err);
    const PyGILState_STATE held = PyGILState_Ensure();
    const yoke_status status =
        numbers(p, &p->output, t, x, u, NULL, p->p, y, "output")
            ? YOKE_OK
            : failed(p, t, "output", err);
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
        failed(p, t, "next_break", NULL);
    else if (!(own > t)) {
        PyErr_Format(PyExc_ValueError, "next_break must return a later time, "
                                       "or None");
        failed(p, t, "next_break", NULL);
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

    if (p->fatal) return after_failure(p, err);
    const PyGILState_STATE held = PyGILState_Ensure();
    const yoke_status status =
        numbers(p, &p->indicate, t, x, u, NULL, p->events, g, "events")
            ? YOKE_OK
            : failed(p, t, "events", err);
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

    if (p->fatal) return after_failure(p, err);
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject *which = PyArray_SimpleNew(1, &size, NPY_BOOL);
    if (which) {
        npy_bool *to = PyArray_DATA((PyArrayObject *)which);
        for (int k = 0; k < p->events; k++) to[k] = happened[k];
        PyObject *r = invoke(p, &p->apply, t, x, u, which);
        good = r && (r == Py_None || take(r, p->n, x_new, "on_event"));
        Py_XDECREF(r);
        Py_DECREF(which);
    }
    const yoke_status status = good ? YOKE_OK : failed(p, t, "on_event", err);
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
    for (int k = 0; k < MATRICES; k++) yoke_pattern_free(p->pattern[k]);
    PyMem_Free(p->name);
    PyMem_Free(p->work);
    PyMem_Free(p);
    PyGILState_Release(held);
}

/* ---- Jacobians ----------------------------------------------------------- */

/* The entries of a dense matrix at the places of a pattern. */
static bool take_matrix(PyObject *r, const yoke_pattern *pattern, double sign,
                        double *out, const char *what)
{
    PyObject *dense = PyObject_HasAttrString(r, "toarray")
                          ? PyObject_CallMethod(r, "toarray", NULL)
                          : Py_NewRef(r);
    PyObject *array =
        dense ? PyArray_FROMANY(dense, NPY_DOUBLE, 0, 2, NPY_ARRAY_CARRAY_RO)
              : NULL;

    Py_XDECREF(dense);
    if (!array) return false;
    PyArrayObject *a = (PyArrayObject *)array;
    const bool scalar =
        PyArray_SIZE(a) == 1 && pattern->rows == 1 && pattern->cols == 1;
    const bool fits =
        scalar || (PyArray_NDIM(a) == 2 && PyArray_DIM(a, 0) == pattern->rows &&
                   PyArray_DIM(a, 1) == pattern->cols);
    const double *value = PyArray_DATA(a);
    for (int j = 0; fits && out && j < pattern->cols; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            out[k] =
                sign * value[(size_t)pattern->row[k] * (size_t)pattern->cols +
                             (size_t)j];
    if (!fits)
        PyErr_Format(PyExc_ValueError, "%s must be a matrix of %d by %d", what,
                     pattern->rows, pattern->cols);
    Py_DECREF(array);
    return fits;
}

static void identity(const yoke_pattern *pattern, double *out)
{
    for (int k = 0; out && k < yoke_pattern_count(pattern); k++) out[k] = 1.0;
}

/* Column by column by differences of `f`, which has `rows` results. */
static bool differences(core_part *p, const function *f, double t,
                        const double *x, const double *u, bool by_input,
                        const yoke_pattern *pattern, double sign, double *out,
                        const char *what)
{
    const int rows = pattern->rows, cols = pattern->cols;
    double *base = p->work, *moved = base + rows, *at = moved + rows;

    if (!out || cols == 0 || rows == 0) return true;
    memcpy(at, by_input ? u : x, (size_t)cols * sizeof *at);
    if (!numbers(p, f, t, x, u, NULL, rows, base, what)) return false;
    for (int j = 0; j < cols; j++) {
        const double kept = at[j];
        const double d = 1.5e-8 * fmax(fabs(kept), 1.0);
        at[j] = kept + d;
        if (!numbers(p, f, t, by_input ? x : at, by_input ? at : u, NULL, rows,
                     moved, what))
            return false;
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            out[k] = sign * (moved[pattern->row[k]] - base[pattern->row[k]]) /
                     (at[j] - kept);
        at[j] = kept;
    }
    return true;
}

/* A matrix, or a tuple of at most `most` of them; how many there are. */
static int matrices(PyObject *r, int most, PyObject **out, const char *what)
{
    if (!PyTuple_Check(r)) {
        out[0] = r;
        return 1;
    }
    if (PyTuple_GET_SIZE(r) > most || PyTuple_GET_SIZE(r) < 1)
        return PyErr_Format(PyExc_ValueError,
                            "%s must return 1 to %d matrices, not %zd", what,
                            most, PyTuple_GET_SIZE(r)),
               -1;
    for (int k = 0; k < (int)PyTuple_GET_SIZE(r); k++)
        out[k] = PyTuple_GET_ITEM(r, k);
    return (int)PyTuple_GET_SIZE(r);
}

/* df/dx, df/du of x' = f. */
static bool ode_matrices(core_part *p, double t, const double *x,
                         const double *u, const yoke_jacobian *jac)
{
    PyObject *r = invoke(p, &p->jacobian, t, x, u, NULL), *part[2];
    const int count = r ? matrices(r, 2, part, "jacobian") : -1;
    bool good = count > 0 && take_matrix(part[0], p->pattern[1], -1.0, jac->G,
                                         "df/dx of jacobian");

    if (good && count > 1)
        good = take_matrix(part[1], p->pattern[3], -1.0, jac->Gu,
                           "df/du of jacobian");
    Py_XDECREF(r);
    identity(p->pattern[0], jac->C);
    if (good && count == 1)
        good = differences(p, &p->rhs, t, x, u, true, p->pattern[3], -1.0,
                           jac->Gu, "rhs");
    return good;
}

/* dq/dx, df/dx, dq/du, df/du of d/dt q + f = 0. */
static bool charge_matrices(core_part *p, double t, const double *x,
                            const double *u, const yoke_jacobian *jac)
{
    static const char *const what[4] = { "dq/dx of jacobian",
                                         "df/dx of jacobian",
                                         "dq/du of jacobian",
                                         "df/du of jacobian" };
    double *const out[4] = { jac->C, jac->G, jac->Cu, jac->Gu };
    PyObject *r = invoke(p, &p->jacobian, t, x, u, NULL), *part[4];
    const int count = r ? matrices(r, 4, part, "jacobian") : -1;
    bool good = count == 4 || (count == 2 && p->m == 0);

    if (count > 0 && !good)
        PyErr_Format(PyExc_ValueError,
                     "jacobian of a residual must return (dq/dx, df/dx%s), "
                     "not %d matrices",
                     p->m ? ", dq/du, df/du" : "", count);
    for (int k = 0; good && k < count; k++)
        good = take_matrix(part[k], p->pattern[k], 1.0, out[k], what[k]);
    Py_XDECREF(r);
    return good;
}

static bool output_matrices(core_part *p, double t, const double *x,
                            const double *u, const yoke_jacobian *jac)
{
    PyObject *part[2];

    if (!p->output.call) {
        identity(p->pattern[4], jac->Hx);
        return true;
    }
    if (!p->output_jacobian.call)
        return differences(p, &p->output, t, x, u, false, p->pattern[4], 1.0,
                           jac->Hx, "output") &&
               differences(p, &p->output, t, x, u, true, p->pattern[5], 1.0,
                           jac->Hu, "output");
    PyObject *r = invoke(p, &p->output_jacobian, t, x, u, NULL);
    const int count = r ? matrices(r, 2, part, "output_jacobian") : -1;
    bool good = count > 0 && take_matrix(part[0], p->pattern[4], 1.0, jac->Hx,
                                         "dy/dx of output_jacobian");
    if (good && count > 1)
        good = take_matrix(part[1], p->pattern[5], 1.0, jac->Hu,
                           "dy/du of output_jacobian");
    Py_XDECREF(r);
    if (good && count == 1)
        good = differences(p, &p->output, t, x, u, true, p->pattern[5], 1.0,
                           jac->Hu, "output");
    return good;
}

static yoke_status on_jacobian(void *self, double t, const double *x,
                               const double *u, const yoke_jacobian *jac,
                               yoke_err *err)
{
    core_part *p = self;
    const bool inner = jac->C || jac->G || jac->Cu || jac->Gu;
    const bool outer = jac->Hx || jac->Hu;
    bool good = true;

    if (p->fatal) return after_failure(p, err);
    const PyGILState_STATE held = PyGILState_Ensure();
    if (inner)
        good = p->rhs.call ? ode_matrices(p, t, x, u, jac)
                           : charge_matrices(p, t, x, u, jac);
    if (good && outer) good = output_matrices(p, t, x, u, jac);
    const yoke_status status = good ? YOKE_OK : failed(p, t, "jacobian", err);
    PyGILState_Release(held);
    return status;
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
static function callable(PyObject *spec, const char *key)
{
    PyObject *pair = item(spec, key);

    if (!pair) return (function){ NULL, 0 };
    return (function){ PyTuple_GetItem(pair, 0),
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
    static const char *const key[MATRICES] = {
        "C", "G", "Cu", "Gu", "Hx", "Hu"
    };
    const int rows[MATRICES] = { p->n, p->n, p->n, p->n, p->p, p->p };
    const int cols[MATRICES] = { p->n, p->n, p->m, p->m, p->n, p->m };
    PyObject *all = item(spec, "patterns");

    for (int k = 0; all && k < MATRICES; k++) {
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
        .jacobian = p->jacobian.call ? on_jacobian : NULL,
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

yoke_system *core_part_create(core_part **out, const char *name, PyObject *spec)
{
    core_part *p = read_spec(name, spec);
    yoke_err err = { YOKE_OK, "" };
    yoke_system *system = NULL;

    if (!p) return NULL;
    const char **text[4] = { names(spec, "x"), names(spec, "u"),
                             names(spec, "y"), names(spec, "eq") };
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
        .C = p->pattern[0],
        .G = p->pattern[1],
        .Cu = p->pattern[2],
        .Gu = p->pattern[3],
        .Hx = p->pattern[4],
        .Hu = p->pattern[5],
        .events = p->events,
        .event = p->events > 0 ? &p->event : NULL,
    };
    yoke_status status = YOKE_OK;
    PyObject *cause = NULL;
    bool fatal = false;

    if (PyErr_Occurred())
        on_free(p);
    else {
        /* The functions are probed.  What they raise must outlive a failure,
         * so the part is freed here. */
        p->ops.free = NULL;
        status = yoke_system_create(&system, name, &p->ops, p, &info, &err);
        p->ops.free = on_free;
        cause = core_part_error(p, &fatal);
        if (fatal) {
            status = yoke_fail(&err, YOKE_E_CALLBACK, "%s", p->failure);
            p->ops.free = NULL;
            yoke_system_free(system); /* accepts NULL */
        }
        core_part_forget(p);
        if (status != YOKE_OK) on_free(p);
    }
    for (int k = 0; k < 4; k++) PyMem_Free(text[k]);
    *out = p;
    if (PyErr_Occurred())
        Py_XDECREF(cause);
    else if (status != YOKE_OK)
        core_raise_from(status, &err, cause);
    else {
        Py_XDECREF(cause);
        return system;
    }
    return NULL;
}
