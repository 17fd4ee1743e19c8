/* python/src/tables.c -- result files as arrays, and the other way round. */
#include "core.h"

static void free_table(PyObject *capsule)
{
    yoke_table_free(PyCapsule_GetPointer(capsule, NULL));
}

/* The array shows the numbers of the table, which lives as long. */
PyObject *core_table(yoke_table *t)
{
    npy_intp size[2] = { t->rows, t->cols };
    PyObject *capsule = PyCapsule_New(t, NULL, free_table);

    if (!capsule) {
        yoke_table_free(t);
        return NULL;
    }
    PyObject *names = core_texts(t->cols, (const char *const *)t->name);
    PyObject *units = t->unit
                          ? core_texts(t->cols, (const char *const *)t->unit)
                          : Py_NewRef(Py_None);
    PyObject *array =
        t->rows > 0 ? PyArray_SimpleNewFromData(2, size, NPY_DOUBLE, t->value)
                    : PyArray_SimpleNew(2, size, NPY_DOUBLE);
    if (array && t->rows > 0) /* takes the capsule, also on failure */
        PyArray_SetBaseObject((PyArrayObject *)array, Py_NewRef(capsule));
    Py_DECREF(capsule);
    if (!names || !units || !array) {
        Py_XDECREF(names);
        Py_XDECREF(units);
        Py_XDECREF(array);
        return NULL;
    }
    return Py_BuildValue("(NNN)", names, units, array);
}

PyObject *core_read_table(PyObject *self, PyObject *args)
{
    PyObject *path = NULL;
    const char *name = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_table *table = NULL;
    yoke_status status;

    (void)self;
    if (!PyArg_ParseTuple(args, "O&s", PyUnicode_FSConverter, &path, &name))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = yoke_table_read(&table, PyBytes_AS_STRING(path), name, &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    return status == YOKE_OK ? core_table(table) : core_raise(status, &err);
}

PyObject *core_read_notes(PyObject *self, PyObject *args)
{
    PyObject *path = NULL, *dict = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_notes *notes = NULL;
    yoke_status status;

    (void)self;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = yoke_notes_read(&notes, PyBytes_AS_STRING(path), &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    if (status != YOKE_OK) return core_raise(status, &err);
    dict = PyDict_New();
    bool good = dict;
    for (int i = 0; good && i < notes->count; i++)
        good = core_put(dict, notes->name[i], core_text(notes->text[i]));
    yoke_notes_free(notes);
    if (!good) Py_CLEAR(dict);
    return dict;
}

/* A list of texts as an array of pointers into it; NULL: an exception is set.
 */
static const char **pointers(PyObject *list, Py_ssize_t count)
{
    const char **text = NULL;

    if (!PyList_Check(list) || PyList_GET_SIZE(list) != count) {
        PyErr_SetString(PyExc_ValueError, "a name for each column is needed");
        return NULL;
    }
    text = PyMem_Calloc((size_t)count + 1, sizeof *text);
    if (!text) PyErr_NoMemory();
    for (Py_ssize_t i = 0; text && i < count; i++) {
        text[i] = PyUnicode_AsUTF8(PyList_GET_ITEM(list, i));
        if (text[i]) continue;
        PyMem_Free(text);
        return NULL;
    }
    return text;
}

/* write_table(path, names, units, array of rows by columns) */
PyObject *core_write_table(PyObject *self, PyObject *args)
{
    PyObject *path = NULL, *names = NULL, *units = NULL, *given = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;

    (void)self;
    if (!PyArg_ParseTuple(args, "O&OOO", PyUnicode_FSConverter, &path, &names,
                          &units, &given))
        return NULL;
    PyObject *array =
        PyArray_FROMANY(given, NPY_DOUBLE, 2, 2, NPY_ARRAY_CARRAY_RO);
    const char **name = NULL, **unit = NULL;
    if (array) name = pointers(names, PyArray_DIM((PyArrayObject *)array, 1));
    if (name) unit = pointers(units, PyArray_DIM((PyArrayObject *)array, 1));
    if (unit) {
        const yoke_table table = {
            .rows = (int)PyArray_DIM((PyArrayObject *)array, 0),
            .cols = (int)PyArray_DIM((PyArrayObject *)array, 1),
            .name = (char **)(size_t)name,
            .unit = (char **)(size_t)unit,
            .value = PyArray_DATA((PyArrayObject *)array),
        };
        Py_BEGIN_ALLOW_THREADS
        status = yoke_table_write(&table, PyBytes_AS_STRING(path), &err);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(name);
    PyMem_Free(unit);
    Py_XDECREF(array);
    Py_DECREF(path);
    if (PyErr_Occurred()) return NULL;
    if (status != YOKE_OK) return core_raise(status, &err);
    Py_RETURN_NONE;
}

/* report(result, html) */
PyObject *core_report(PyObject *self, PyObject *args)
{
    PyObject *result = NULL, *html = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status;

    (void)self;
    if (!PyArg_ParseTuple(args, "O&O&", PyUnicode_FSConverter, &result,
                          PyUnicode_FSConverter, &html))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = yoke_report_write(PyBytes_AS_STRING(result),
                               PyBytes_AS_STRING(html), NULL, &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(result);
    Py_DECREF(html);
    if (status != YOKE_OK) return core_raise(status, &err);
    Py_RETURN_NONE;
}
