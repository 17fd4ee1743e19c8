/* python/src/jacobian.c -- Jacobians of a subsystem written in Python.
 *
 * Users return dense matrices, or those of scipy.sparse; the entries at the
 * places of the patterns are taken.  What they leave out is found by
 * differences.
 */
#include "part.h"

#include <math.h>

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
static bool differences(core_part *p, const core_function *f, double t,
                        const double *x, const double *u, bool by_input,
                        const yoke_pattern *pattern, double sign, double *out,
                        const char *what)
{
    const int rows = pattern->rows, cols = pattern->cols;
    double *base = p->work, *moved = base + rows, *at = moved + rows;

    if (!out || cols == 0 || rows == 0) return true;
    memcpy(at, by_input ? u : x, (size_t)cols * sizeof *at);
    if (!core_numbers(p, f, t, x, u, NULL, rows, base, what)) return false;
    for (int j = 0; j < cols; j++) {
        const double kept = at[j];
        const double d = 1.5e-8 * fmax(fabs(kept), 1.0);
        at[j] = kept + d;
        if (!core_numbers(p, f, t, by_input ? x : at, by_input ? at : u, NULL,
                          rows, moved, what))
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
    PyObject *r = core_invoke(p, &p->jacobian, t, x, u, NULL), *part[2];
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
    PyObject *r = core_invoke(p, &p->jacobian, t, x, u, NULL), *part[4];
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
    PyObject *r = core_invoke(p, &p->output_jacobian, t, x, u, NULL);
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

yoke_status core_on_jacobian(void *self, double t, const double *x,
                             const double *u, const yoke_jacobian *jac,
                             yoke_err *err)
{
    core_part *p = self;
    const bool inner = jac->C || jac->G || jac->Cu || jac->Gu;
    const bool outer = jac->Hx || jac->Hu;
    bool good = true;

    if (p->fatal) return core_after_failure(p, err);
    const PyGILState_STATE held = PyGILState_Ensure();
    if (inner)
        good = p->rhs.call ? ode_matrices(p, t, x, u, jac)
                           : charge_matrices(p, t, x, u, jac);
    if (good && outer) good = output_matrices(p, t, x, u, jac);
    const yoke_status status =
        good ? YOKE_OK : core_failed(p, t, "jacobian", err);
    PyGILState_Release(held);
    return status;
}
