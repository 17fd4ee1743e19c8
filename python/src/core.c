/* python/src/core.c -- the module yoke._core. */
#define CORE_MAIN
#include "core.h"

PyObject *core_retry;
static PyObject *make_error; /* of the package: (status, text) -> exception */

PyObject *core_raise(yoke_status status, const yoke_err *err)
{
    const char *text =
        err && err->text[0] ? err->text : yoke_status_text(status);

    if (!make_error) {
        PyErr_SetString(PyExc_RuntimeError, text);
        return NULL;
    }
    PyObject *message = core_text(text);
    PyObject *error =
        message ? PyObject_CallFunction(make_error, "iO", (int)status, message)
                : NULL;
    Py_XDECREF(message);
    if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    return NULL;
}

PyObject *core_raise_from(yoke_status status, const yoke_err *err,
                          PyObject *cause)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;

    if (cause && !PyErr_GivenExceptionMatches(cause, PyExc_Exception)) {
        PyErr_SetObject((PyObject *)Py_TYPE(cause), cause);
        Py_DECREF(cause);
        return NULL;
    }
    core_raise(status, err);
    if (!cause) return NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyException_SetCause(value, cause); /* takes it */
    PyErr_Restore(type, value, trace);
    return NULL;
}

/* Names of files need not be UTF-8; what is cut in the middle is no error. */
PyObject *core_text(const char *text)
{
    if (!text) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text),
                                "surrogateescape");
}

PyObject *core_texts(int count, const char *const *text)
{
    PyObject *list = PyList_New(count);

    for (int i = 0; list && i < count; i++) {
        PyObject *one = core_text(text[i]);
        if (!one) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SET_ITEM(list, i, one);
    }
    return list;
}

bool core_put(PyObject *dict, const char *key, PyObject *value)
{
    const bool good =
        dict && value && PyDict_SetItemString(dict, key, value) == 0;

    Py_XDECREF(value);
    return good;
}

bool core_append(PyObject *list, PyObject *value)
{
    const bool good = list && value && PyList_Append(list, value) == 0;

    Py_XDECREF(value);
    return good;
}

/* setup(make_error, retry): what the package brings. */
static PyObject *setup(PyObject *self, PyObject *args)
{
    PyObject *error = NULL, *retry = NULL;

    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &error, &retry)) return NULL;
    Py_INCREF(error);
    Py_INCREF(retry);
    Py_XSETREF(make_error, error);
    Py_XSETREF(core_retry, retry);
    Py_RETURN_NONE;
}

static PyObject *status_name(PyObject *self, PyObject *args)
{
    int status = 0;

    (void)self;
    if (!PyArg_ParseTuple(args, "i", &status)) return NULL;
    return core_text(yoke_status_name((yoke_status)status));
}

/* Names, texts, words and defaults of all options of a run. */
static PyObject *run_options(PyObject *self, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    yoke_option_text o;
    bool good = list;

    (void)self, (void)unused;
    for (int i = 0; good && yoke_run_list(i, &o); i++)
        good = core_append(
            list, Py_BuildValue("(sszs)", o.name, o.text, o.words, o.preset));
    if (!good) Py_CLEAR(list);
    return list;
}

static PyObject *steppers(PyObject *self, PyObject *unused)
{
    PyObject *dict = PyDict_New();
    const char *name = NULL, *text = NULL;
    bool good = dict;

    (void)self, (void)unused;
    for (int i = 0; good && yoke_stepper_list(i, &name, &text); i++)
        good = core_put(
            dict, name,
            Py_BuildValue("(sO)", text,
                          yoke_stepper_is_fixed(name) ? Py_True : Py_False));
    if (!good) Py_CLEAR(dict);
    return dict;
}

static PyMethodDef methods[] = {
    { "setup", setup, METH_VARARGS, "For the package." },
    { "status_name", status_name, METH_VARARGS, "YOKE_E_ARG for -1." },
    { "run_options", run_options, METH_NOARGS, "All options of a run." },
    { "steppers", steppers, METH_NOARGS, "Time stepping methods." },
    { "read_table", core_read_table, METH_VARARGS, "A table of a file." },
    { "write_table", core_write_table, METH_VARARGS, "A result file." },
    { "read_notes", core_read_notes, METH_VARARGS, "Notes of a file." },
    { "report", core_report, METH_VARARGS, "A page about a result file." },
    { NULL, NULL, 0, NULL },
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "yoke._core",
    .m_doc = "The C interface of Yoke; see the package yoke.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    import_array();
    PyObject *m = PyModule_Create(&module);

    if (m && core_model_ready() && PyType_Ready(&core_run_type) == 0 &&
        PyModule_AddObjectRef(m, "Model", (PyObject *)&core_model_type) == 0 &&
        PyModule_AddObjectRef(m, "Run", (PyObject *)&core_run_type) == 0 &&
        PyModule_AddStringConstant(m, "version", yoke_version()) == 0)
        return m;
    Py_XDECREF(m);
    return NULL;
}
