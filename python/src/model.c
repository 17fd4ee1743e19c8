/* python/src/model.c -- the type Model: subsystems and what couples them. */
#include "core.h"

/* ---- one thing at a time ------------------------------------------------- */

bool core_model_enter(core_model *m, bool by_run)
{
    yoke_err err = { YOKE_OK, "" };

    if (!m->keep) {
        PyErr_SetString(PyExc_RuntimeError, "the model was cleared");
        return false;
    }
    if (m->busy) {
        yoke_fail(&err, YOKE_E_ARG,
                  "this system is being computed already; a function of a "
                  "subsystem, or another thread, needs a system of its own");
        core_raise(YOKE_E_ARG, &err);
        return false;
    }
    if (m->open && !by_run) {
        yoke_fail(&err, YOKE_E_ARG, "this system has a run that is not closed");
        core_raise(YOKE_E_ARG, &err);
        return false;
    }
    m->busy = true;
    for (int i = 0; i < m->parts; i++) core_part_forget(m->part[i]);
    return true;
}

/* What ends a run comes before what was only tried again.  Nothing is kept: an
 * exception holds the frames that hold the model. */
PyObject *core_model_leave(core_model *m)
{
    PyObject *found = NULL;
    bool fatal = false;

    m->busy = false;
    for (int i = 0; i < m->parts; i++) {
        bool worse = false;
        PyObject *error = core_part_error(m->part[i], &worse);
        if (error && (!found || (worse && !fatal))) {
            Py_XSETREF(found, error);
            fatal = worse;
        } else {
            Py_XDECREF(error);
        }
        core_part_forget(m->part[i]);
    }
    return found;
}

PyObject *core_model_fail(core_model *m, yoke_status status,
                          const yoke_err *err)
{
    yoke_err own = { YOKE_OK, "" };

    for (int i = 0; i < m->parts && !own.text[0]; i++)
        if (core_part_failed(m->part[i]))
            status = yoke_fail(&own, YOKE_E_CALLBACK, "%s",
                               core_part_text(m->part[i]));
    PyObject *cause = core_model_leave(m);
    return core_raise_from(status, own.text[0] ? &own : err, cause);
}

/* ---- texts --------------------------------------------------------------- */

/* Pairs of texts from a list of tuples; the texts are the list's.  NULL: an
 * exception is set. */
static yoke_setting *pairs_of(PyObject *list, Py_ssize_t *count)
{
    *count = PyList_Check(list) ? PyList_GET_SIZE(list) : 0;
    yoke_setting *pair = PyMem_Calloc((size_t)*count + 1, sizeof *pair);

    if (!pair) PyErr_NoMemory();
    for (Py_ssize_t i = 0; pair && i < *count; i++) {
        if (PyArg_ParseTuple(PyList_GET_ITEM(list, i), "ss", &pair[i].name,
                             &pair[i].value))
            continue;
        PyMem_Free(pair);
        return NULL;
    }
    return pair;
}

bool core_options(core_model *m, PyObject *list, yoke_run_options *out)
{
    Py_ssize_t count = 0;
    yoke_setting *pair = pairs_of(list, &count);
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;

    if (!pair) return false;
    *out = m->file ? *yoke_file_run_options(m->file) : yoke_run_defaults();
    for (Py_ssize_t i = 0; status == YOKE_OK && i < count; i++)
        status = yoke_run_set(out, pair[i].name, pair[i].value, &err);
    PyMem_Free(pair);
    if (status != YOKE_OK) core_raise(status, &err);
    return status == YOKE_OK;
}

/* ---- life ---------------------------------------------------------------- */

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    core_model *m = (core_model *)type->tp_alloc(type, 0);
    yoke_err err = { YOKE_OK, "" };

    (void)args, (void)kwargs;
    if (!m) return NULL;
    m->keep = PyList_New(0);
    const yoke_status status = yoke_model_create(&m->model, &err);
    if (m->keep && status == YOKE_OK) return (PyObject *)m;
    Py_DECREF(m);
    return PyErr_Occurred() ? NULL : core_raise(status, &err);
}

static void free_model(core_model *m)
{
    if (m->file)
        yoke_file_free(m->file);
    else
        yoke_model_free(m->model);
    m->file = NULL;
    m->model = NULL;
    PyMem_Free(m->part);
    m->part = NULL;
    m->parts = 0;
}

static int model_traverse(core_model *m, visitproc visit, void *arg)
{
    Py_VISIT(m->keep);
    for (int i = 0; i < m->parts; i++) {
        const int stop = core_part_visit(m->part[i], visit, arg);
        if (stop) return stop;
    }
    return 0;
}

/* A run may still hold the model, so it is freed with the last reference only.
 */
static int model_clear(core_model *m)
{
    for (int i = 0; i < m->parts; i++) core_part_disable(m->part[i]);
    Py_CLEAR(m->keep);
    return 0;
}

static void model_dealloc(core_model *m)
{
    PyObject_GC_UnTrack(m);
    free_model(m);
    Py_CLEAR(m->keep);
    Py_TYPE(m)->tp_free((PyObject *)m);
}

/* ---- files --------------------------------------------------------------- */

/* load(path, text or None, settings, interpret, cache, scratch, variant, trust)
 */
static PyObject *load(PyObject *self, PyObject *args)
{
    core_model *m = (core_model *)self;
    PyObject *path = NULL, *settings = NULL;
    const char *text = NULL, *cache = NULL, *scratch = NULL, *variant = NULL;
    Py_ssize_t length = 0, count = 0;
    int interpret = 0, trust = 0;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status;

    if (!PyArg_ParseTuple(args, "O&z#Opzzzp", PyUnicode_FSConverter, &path,
                          &text, &length, &settings, &interpret, &cache,
                          &scratch, &variant, &trust))
        return NULL;
    yoke_setting *pair = pairs_of(settings, &count);
    if (!pair || !core_model_enter(m, false)) {
        PyMem_Free(pair);
        Py_DECREF(path);
        return NULL;
    }
    const yoke_file_options options = {
        .settings = (int)count,
        .setting = pair,
        .compiler = interpret ? NULL : "cc",
        .cache = cache,
        .scratch = scratch,
        .variant = variant,
        .trust = trust,
        .added = text != NULL,
    };
    yoke_file *file = NULL;
    const char *name = PyBytes_AS_STRING(path);
    Py_BEGIN_ALLOW_THREADS
    status = text ? yoke_file_parse(&file, name, text, (size_t)length, &options,
                                    &err)
                  : yoke_file_read(&file, name, &options, &err);
    Py_END_ALLOW_THREADS
    m->busy = false;
    PyMem_Free(pair);
    Py_DECREF(path);
    if (status != YOKE_OK) return core_raise(status, &err);
    free_model(m);
    m->file = file;
    m->model = yoke_file_model(file);
    Py_RETURN_NONE;
}

/* ---- parts and couplings ------------------------------------------------- */

static bool set_stepper(yoke_stepper_options *o, PyObject *list)
{
    Py_ssize_t count = 0;
    yoke_setting *pair = pairs_of(list, &count);
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;

    if (!pair) return false;
    *o = yoke_stepper_defaults();
    for (Py_ssize_t i = 0; status == YOKE_OK && i < count; i++)
        status = yoke_stepper_set(o, pair[i].name, pair[i].value, &err);
    PyMem_Free(pair);
    if (status != YOKE_OK) core_raise(status, &err);
    return status == YOKE_OK;
}

/* add(name, spec, stepper) */
static PyObject *add(PyObject *self, PyObject *args)
{
    core_model *m = (core_model *)self;
    const char *name = NULL;
    PyObject *spec = NULL, *list = NULL;
    yoke_stepper_options stepper;
    yoke_err err = { YOKE_OK, "" };

    if (!PyArg_ParseTuple(args, "sO!O", &name, &PyDict_Type, &spec, &list) ||
        !set_stepper(&stepper, list) || !core_model_enter(m, false))
        return NULL;
    m->busy = false;
    core_part **grown =
        PyMem_Realloc(m->part, ((size_t)m->parts + 1) * sizeof *m->part);
    if (!grown) return PyErr_NoMemory();
    m->part = grown;
    if (PyList_Append(m->keep, spec) < 0) return NULL;
    core_part *part = NULL;
    yoke_system *system = core_part_create(&part, name, spec);
    if (!system) return NULL;
    const yoke_status status = yoke_model_add(m->model, system, &stepper, &err);
    if (status != YOKE_OK) return core_raise(status, &err);
    m->part[m->parts++] = part;
    Py_RETURN_NONE;
}

/* signal(input, output or None, weight, delay, past or None) */
static PyObject *signal_to(PyObject *self, PyObject *args)
{
    core_model *m = (core_model *)self;
    const char *input = NULL, *output = NULL;
    double weight = 1.0, delay = 0.0, past = 0.0;
    PyObject *before = Py_None;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status;

    if (!PyArg_ParseTuple(args, "szddO", &input, &output, &weight, &delay,
                          &before) ||
        !core_model_enter(m, false))
        return NULL;
    m->busy = false;
    if (before != Py_None) past = PyFloat_AsDouble(before);
    if (PyErr_Occurred()) return NULL;
    yoke_graph *graph = yoke_model_graph(m->model);
    if (!output)
        status = yoke_graph_constant(graph, input, weight, &err);
    else if (delay > 0.0)
        status = yoke_graph_delay(graph, input, output, weight, delay,
                                  before == Py_None ? NULL : &past, &err);
    else
        status = yoke_graph_signal(graph, input, output, weight, &err);
    if (status != YOKE_OK) return core_raise(status, &err);
    Py_RETURN_NONE;
}

/* conform(name): is a subsystem what it claims to be? */
static PyObject *conform(PyObject *self, PyObject *args)
{
    core_model *m = (core_model *)self;
    const char *name = NULL;
    double t = 0.0;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status;

    if (!PyArg_ParseTuple(args, "s|d", &name, &t) ||
        !core_model_enter(m, false))
        return NULL;
    const yoke_graph *graph = yoke_model_graph(m->model);
    const int i = yoke_graph_find(graph, name);
    if (i < 0)
        status =
            yoke_fail(&err, YOKE_E_ARG, "there is no subsystem \"%s\"", name);
    else {
        Py_BEGIN_ALLOW_THREADS
        status = yoke_conform(yoke_graph_system(graph, i), t, NULL, NULL, &err);
        Py_END_ALLOW_THREADS
    }
    if (status != YOKE_OK) return core_model_fail(m, status, &err);
    Py_XDECREF(core_model_leave(m));
    Py_RETURN_NONE;
}

/* measure(name, text) */
static PyObject *measure(PyObject *self, PyObject *args)
{
    core_model *m = (core_model *)self;
    const char *name = NULL, *text = NULL;
    yoke_err err = { YOKE_OK, "" };

    if (!PyArg_ParseTuple(args, "ss", &name, &text) ||
        !core_model_enter(m, false))
        return NULL;
    m->busy = false;
    const yoke_status status = yoke_file_add_measure(m->file, name, text, &err);
    if (status != YOKE_OK) return core_raise(status, &err);
    Py_RETURN_NONE;
}

static PyMethodDef model_methods[] = {
    { "load", load, METH_VARARGS, "Reads a system file, or its text." },
    { "measure", measure, METH_VARARGS, "Adds a number to be taken." },
    { "add", add, METH_VARARGS, "Adds a subsystem with Python functions." },
    { "signal", signal_to, METH_VARARGS, "Couples an input to an output." },
    { "conform", conform, METH_VARARGS, "Checks a subsystem." },
    { NULL, NULL, 0, NULL },
};

/* One list of methods from two files. */
static PyMethodDef all_methods[24];

static PyObject *model_parts(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(((core_model *)self)->parts);
}

static PyGetSetDef model_members[] = {
    { "parts", model_parts, NULL, "How many parts are Python's.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

PyTypeObject core_model_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "yoke._core.Model",
    .tp_basicsize = sizeof(core_model),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "Subsystems and what couples them.",
    .tp_new = model_new,
    .tp_dealloc = (destructor)model_dealloc,
    .tp_traverse = (traverseproc)model_traverse,
    .tp_clear = (inquiry)model_clear,
    .tp_methods = all_methods,
    .tp_getset = model_members,
};

bool core_model_ready(void)
{
    int count = 0;

    for (int i = 0; model_methods[i].ml_name; i++)
        all_methods[count++] = model_methods[i];
    for (int i = 0; core_model_facts[i].ml_name; i++)
        all_methods[count++] = core_model_facts[i];
    return PyType_Ready(&core_model_type) == 0;
}
