/* python/src/run.c -- the type Run: a run whose rows stay in memory.
 *
 * The interpreter is not held while the library computes.  `on_stop` is asked
 * between all steps; it looks for signals twenty times a second.  What stops a
 * run (an interrupt, an exception of a progress function) is kept and handed
 * over when the library has come back, with everything computed so far.
 */
#define _POSIX_C_SOURCE 199309L
#include "core.h"

#include <math.h>
#include <time.h>

/* Seconds between two looks for signals, and two calls of progress: a person
 * feels no delay, and other threads of Python lose nothing. */
static const double signal_pause = 0.05, progress_pause = 0.1;

typedef struct sheet {
    char *name;
    int cols;
    PyObject *names, *units; /* lists; made with the interpreter held */
    double *value;
    size_t rows, room;
} sheet;

typedef struct core_run {
    PyObject_HEAD core_model *model;
    PyObject *progress; /* NULL: none */
    yoke_run *run;
    yoke_sink sink;
    sheet *sheet;
    int sheets;
    PyObject *notes;
    PyObject *error; /* what stopped the run */
    yoke_err measured;
    double start, stop, looked, told;
    bool halted; /* by halt(), or progress returned true */
    bool measures;
    bool holds;           /* model->open is ours */
    unsigned long thread; /* in which it goes on */
} core_run;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- rows ---------------------------------------------------------------- */

static void drop_sheets(core_run *r)
{
    for (int i = 0; i < r->sheets; i++) {
        PyMem_RawFree(r->sheet[i].name);
        PyMem_RawFree(r->sheet[i].value);
        Py_XDECREF(r->sheet[i].names);
        Py_XDECREF(r->sheet[i].units);
    }
    PyMem_RawFree(r->sheet);
    r->sheet = NULL;
    r->sheets = 0;
}

static yoke_status no_memory(yoke_err *err)
{
    PyErr_Clear();
    return yoke_fail(err, YOKE_E_MEMORY, "out of memory");
}

static yoke_status on_begin(void *context, yoke_err *err)
{
    const PyGILState_STATE held = PyGILState_Ensure();

    (void)err;
    drop_sheets(context);
    PyGILState_Release(held);
    return YOKE_OK;
}

static yoke_status on_table(void *context, const char *table, int cols,
                            const char *const *name, const char *const *unit,
                            yoke_err *err)
{
    core_run *r = context;
    const size_t bytes = strlen(table) + 1;
    sheet *grown =
        PyMem_RawRealloc(r->sheet, ((size_t)r->sheets + 1) * sizeof *r->sheet);

    if (!grown) return no_memory(err);
    r->sheet = grown;
    sheet *s = &grown[r->sheets];
    *s = (sheet){ .name = PyMem_RawMalloc(bytes), .cols = cols };
    if (!s->name) return no_memory(err);
    memcpy(s->name, table, bytes);
    r->sheets++;
    const PyGILState_STATE held = PyGILState_Ensure();
    s->names = core_texts(cols, name);
    s->units = unit ? core_texts(cols, unit) : NULL;
    const bool good = s->names && (!unit || s->units);
    const yoke_status status = good ? YOKE_OK : no_memory(err);
    PyGILState_Release(held);
    return status;
}

static yoke_status on_rows(void *context, int id, int rows, const double *value,
                           yoke_err *err)
{
    core_run *r = context;
    sheet *s = &r->sheet[id];
    const size_t cols = (size_t)s->cols, wanted = s->rows + (size_t)rows;

    if (wanted > s->room) {
        const size_t room = wanted + wanted / 2;
        double *grown = PyMem_RawRealloc(s->value, room * cols * sizeof *grown);
        if (!grown) return yoke_fail(err, YOKE_E_MEMORY, "out of memory");
        s->value = grown;
        s->room = room;
    }
    memcpy(s->value + s->rows * cols, value,
           (size_t)rows * cols * sizeof *value);
    s->rows = wanted;
    return YOKE_OK;
}

static yoke_status on_note(void *context, const char *name, const char *text,
                           yoke_err *err)
{
    core_run *r = context;
    const PyGILState_STATE held = PyGILState_Ensure();
    const yoke_status status =
        core_put(r->notes, name, core_text(text)) ? YOKE_OK : no_memory(err);

    PyGILState_Release(held);
    return status;
}

/* ---- watching ------------------------------------------------------------ */

/* Keeps the exception that is set. */
static void keep_error(core_run *r)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;

    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && trace) PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    if (r->error)
        Py_XDECREF(value);
    else
        r->error = value;
}

/* A function of a part that failed for good ends the run at once. */
static bool part_failed(const core_run *r)
{
    for (int i = 0; i < r->model->parts; i++)
        if (core_part_failed(r->model->part[i])) return true;
    return false;
}

static bool on_stop(void *context)
{
    core_run *r = context;
    const double time = now();

    if (r->error || r->halted || part_failed(r)) return true;
    if (time - r->looked < signal_pause) return false;
    r->looked = time;
    const PyGILState_STATE held = PyGILState_Ensure();
    if (PyErr_CheckSignals() != 0) keep_error(r);
    PyGILState_Release(held);
    return r->error || r->halted;
}

static void tell_progress(core_run *r, double t, const yoke_iterate_result *so)
{
    const PyGILState_STATE held = PyGILState_Ensure();
    PyObject *answer =
        PyObject_CallFunction(r->progress, "(dddildd)", t, r->start, r->stop,
                              so->windows, so->sweeps, so->rate, so->estimate);

    if (answer && PyObject_IsTrue(answer) == 1) r->halted = true;
    if (!answer || PyErr_Occurred()) keep_error(r);
    Py_XDECREF(answer);
    PyGILState_Release(held);
}

static bool on_window(void *context, double t, const yoke_iterate_result *so)
{
    core_run *r = context;
    const double time = now();

    if (r->progress && !r->error &&
        (time - r->told >= progress_pause || t >= r->stop)) {
        r->told = time;
        tell_progress(r, t, so);
    }
    if (r->measures && yoke_file_measure_window(r->model->file, r->run,
                                                &r->measured) != YOKE_OK)
        return true;
    return r->error || r->halted;
}

/* ---- life ---------------------------------------------------------------- */

static void close_run(core_run *r, yoke_err *err)
{
    yoke_run *run = r->run;

    r->run = NULL;
    if (r->holds) r->model->open = false;
    r->holds = false;
    if (!run) return;
    Py_BEGIN_ALLOW_THREADS
    yoke_run_close(run, err);
    Py_END_ALLOW_THREADS
}

static int run_traverse(core_run *r, visitproc visit, void *arg)
{
    Py_VISIT(r->model);
    Py_VISIT(r->progress);
    Py_VISIT(r->error);
    Py_VISIT(r->notes);
    return 0;
}

static int run_clear(core_run *r)
{
    close_run(r, NULL);
    drop_sheets(r);
    Py_CLEAR(r->progress);
    Py_CLEAR(r->error);
    Py_CLEAR(r->notes);
    Py_CLEAR(r->model);
    return 0;
}

static void run_dealloc(core_run *r)
{
    PyObject_GC_UnTrack(r);
    run_clear(r);
    Py_TYPE(r)->tp_free((PyObject *)r);
}

/* Why the library came back: raises what stopped it, or the failure. */
static PyObject *give_up(core_run *r, yoke_status status, yoke_err *err)
{
    if (r->error) {
        PyObject *error = r->error;
        r->error = NULL;
        Py_XDECREF(core_model_leave(r->model));
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
        Py_DECREF(error);
        return NULL;
    }
    if (r->measured.status != YOKE_OK) *err = r->measured;
    return core_model_fail(r->model, status, err);
}

/* Run(model, options, progress or None, notes) */
static PyObject *run_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    core_model *m = NULL;
    PyObject *pairs = NULL, *progress = NULL;
    yoke_run_options options;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;

    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O!OO", &core_model_type, &m, &pairs,
                          &progress) ||
        !core_options(m, pairs, &options) || !core_model_enter(m, false))
        return NULL;
    core_run *r = (core_run *)type->tp_alloc(type, 0);
    if (r) r->notes = PyDict_New();
    if (!r || !r->notes) {
        Py_XDECREF(core_model_leave(m));
        Py_XDECREF(r);
        return NULL;
    }
    m->open = r->holds = true;
    r->model = (core_model *)Py_NewRef(m);
    if (progress != Py_None) r->progress = Py_NewRef(progress);
    r->sink = (yoke_sink){ on_begin, on_table, on_rows, on_note, r };
    r->start = options.start;
    r->stop = options.stop;
    r->looked = now();
    const yoke_watcher watcher = {
        .window = on_window, .stop = on_stop, .context = r, .sink = &r->sink
    };
    yoke_run *run = NULL;
    Py_BEGIN_ALLOW_THREADS
    status = yoke_run_create(&run, m->model, &options, &watcher, &err);
    Py_END_ALLOW_THREADS
    r->run = run;
    if (status != YOKE_OK || r->error) {
        give_up(r, status, &err);
        Py_DECREF(r);
        return NULL;
    }
    r->measures = m->file != NULL;
    Py_XDECREF(core_model_leave(m));
    return (PyObject *)r;
}

/* Rows and counts change while the run goes on; its own functions may look at
 * them, other threads may not. */
static bool is_quiet(const core_run *r)
{
    const bool quiet = !r->model->busy || r->run == NULL ||
                       r->thread == PyThread_get_thread_ident();

    if (!quiet)
        PyErr_SetString(PyExc_RuntimeError,
                        "the run is under way in another thread");
    return quiet;
}

static bool is_open(const core_run *r)
{
    if (!r->run) PyErr_SetString(PyExc_ValueError, "the run is closed");
    return r->run && is_quiet(r);
}

/* advance(t) -> True, or False if it was halted */
static PyObject *advance(PyObject *self, PyObject *args)
{
    core_run *r = (core_run *)self;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status;
    double t = 0.0;

    if (!PyArg_ParseTuple(args, "d", &t) || !is_open(r)) return NULL;
    if (!core_model_enter(r->model, true)) return NULL;
    yoke_run *run = r->run;
    r->thread = PyThread_get_thread_ident();
    Py_BEGIN_ALLOW_THREADS
    status = yoke_run_advance(run, t, &err);
    if (status == YOKE_OK && r->measures && t >= r->stop)
        status = yoke_file_measure(r->model->file, &err);
    Py_END_ALLOW_THREADS
    const bool halted = r->halted;
    r->halted = false;
    if (status == YOKE_STOPPED && halted && !r->error && !part_failed(r)) {
        Py_XDECREF(core_model_leave(r->model));
        Py_RETURN_FALSE;
    }
    if (status != YOKE_OK || r->error) return give_up(r, status, &err);
    Py_XDECREF(core_model_leave(r->model));
    Py_RETURN_TRUE;
}

/* halt(): from a progress function or another thread */
static PyObject *halt(PyObject *self, PyObject *unused)
{
    (void)unused;
    ((core_run *)self)->halted = true;
    Py_RETURN_NONE;
}

static PyObject *note(PyObject *self, PyObject *args)
{
    core_run *r = (core_run *)self;
    const char *name = NULL, *text = NULL;
    yoke_err err = { YOKE_OK, "" };

    if (!PyArg_ParseTuple(args, "ss", &name, &text) || !is_open(r)) return NULL;
    const yoke_status status = yoke_run_note(r->run, name, text, &err);
    if (status != YOKE_OK) return core_raise(status, &err);
    Py_RETURN_NONE;
}

static PyObject *close_method(PyObject *self, PyObject *unused)
{
    core_run *r = (core_run *)self;
    yoke_err err = { YOKE_OK, "" };

    (void)unused;
    if (r->model->busy) {
        PyErr_SetString(PyExc_RuntimeError, "the run is under way");
        return NULL;
    }
    close_run(r, &err);
    if (err.status != YOKE_OK) return core_raise(err.status, &err);
    Py_RETURN_NONE;
}

/* ---- tables -------------------------------------------------------------- */

static void free_rows(PyObject *capsule)
{
    PyMem_RawFree(PyCapsule_GetPointer(capsule, NULL));
}

/* The numbers become the array's. */
static PyObject *hand_over(sheet *s, npy_intp *size)
{
    double *value =
        PyMem_RawRealloc(s->value, s->rows * (size_t)s->cols * sizeof *value);

    s->value = value ? value : s->value;
    PyObject *capsule = PyCapsule_New(s->value, NULL, free_rows);
    if (!capsule) return NULL;
    PyObject *array = PyArray_SimpleNewFromData(2, size, NPY_DOUBLE, s->value);
    s->value = NULL;
    s->rows = s->room = 0;
    if (!array) {
        Py_DECREF(capsule);
        return NULL;
    }
    PyArray_SetBaseObject((PyArrayObject *)array, capsule);
    return array;
}

static PyObject *copy_rows(const sheet *s, npy_intp *size)
{
    PyObject *array = PyArray_SimpleNew(2, size, NPY_DOUBLE);

    if (array && s->rows > 0)
        memcpy(PyArray_DATA((PyArrayObject *)array), s->value,
               s->rows * (size_t)s->cols * sizeof *s->value);
    return array;
}

/* tables(final): {name: (names, units or None, array)}.  What is handed over
 * as final is no longer here. */
static PyObject *tables(PyObject *self, PyObject *args)
{
    core_run *r = (core_run *)self;
    PyObject *dict = PyDict_New();
    int final = 0;
    bool good = PyArg_ParseTuple(args, "p", &final) && is_quiet(r) && dict;

    for (int i = 0; good && i < r->sheets; i++) {
        sheet *s = &r->sheet[i];
        npy_intp size[2] = { (npy_intp)s->rows, s->cols };
        PyObject *array =
            final && s->rows > 0 ? hand_over(s, size) : copy_rows(s, size);
        good = array &&
               core_put(dict, s->name,
                        Py_BuildValue("(OON)", s->names,
                                      s->units ? s->units : Py_None, array));
    }
    if (!good) Py_CLEAR(dict);
    return dict;
}

static PyObject *notes(PyObject *self, PyObject *unused)
{
    core_run *r = (core_run *)self;

    (void)unused;
    return is_quiet(r) ? PyDict_Copy(r->notes) : NULL;
}

/* ---- what was done ------------------------------------------------------- */

static PyObject *tell_work(const yoke_work *w)
{
    return Py_BuildValue("{slslslslslslslslsd}", "sweeps", w->sweeps, "steps",
                         w->steps, "rejected", w->rejected, "residuals",
                         w->residuals, "jacobians", w->jacobians,
                         "factorizations", w->factorizations, "solves",
                         w->solves, "events", w->events, "seconds", w->seconds);
}

static PyObject *all_work(const yoke_run *run)
{
    PyObject *dict = PyDict_New();
    const char *name = NULL;
    yoke_work w;
    bool good = dict;

    for (int i = 0; good && yoke_run_work(run, i, &name, &w); i++)
        good = core_put(dict, name, tell_work(&w));
    if (!good) Py_CLEAR(dict);
    return dict;
}

static PyObject *decisions(const yoke_run *run)
{
    PyObject *list = PyList_New(0);
    yoke_ladder_step s;
    bool good = list;

    for (int i = 0; good && yoke_run_step(run, i, &s); i++)
        good = core_append(
            list, Py_BuildValue("(sdN)", s.rung, s.t, core_text(s.text)));
    if (!good) Py_CLEAR(list);
    return list;
}

static PyObject *remarks(const yoke_run *run)
{
    PyObject *list = PyList_New(0);
    const char *name = NULL;
    yoke_remark m;
    bool good = list;

    for (int i = 0; good && yoke_run_remark(run, i, &name, &m); i++)
        good = core_append(list, Py_BuildValue("(NdN)", core_text(name),
                                               m.since, core_text(m.text)));
    if (!good) Py_CLEAR(list);
    return list;
}

static PyObject *uncertain(yoke_run *run)
{
    PyObject *list = PyList_New(0);
    const char *text = NULL;
    bool good = list;

    for (int i = 0; good && yoke_run_uncertain(run, i, &text); i++)
        good = core_append(list, core_text(text));
    if (!good) Py_CLEAR(list);
    return list;
}

static PyObject *measured(const core_run *r)
{
    PyObject *list = PyList_New(0);
    yoke_measured m;
    bool good = list;

    for (int i = 0;
         good && r->model->file && yoke_file_measured(r->model->file, i, &m);
         i++)
        good = core_append(list, Py_BuildValue("(NNdN)", core_text(m.analysis),
                                               core_text(m.name), m.value,
                                               core_text(m.text)));
    if (!good) Py_CLEAR(list);
    return list;
}

static PyObject *final_values(const yoke_run *run)
{
    PyObject *dict = PyDict_New();
    const char *const *name = NULL;
    const double *value = NULL;
    const int count = yoke_run_variables(run, &name, &value);
    bool good = dict;

    for (int k = 0; good && k < count; k++)
        good = core_put(dict, name[k], PyFloat_FromDouble(value[k]));
    if (!good) Py_CLEAR(dict);
    return dict;
}

/* How far the second solution is from the first, in tolerances, or None. */
static PyObject *second_solution(const yoke_run *run)
{
    yoke_second s;

    if (!yoke_run_second(run, &s) || !s.made) Py_RETURN_NONE;
    return PyFloat_FromDouble(s.apart);
}

static PyObject *summary(PyObject *self, PyObject *unused)
{
    core_run *r = (core_run *)self;
    yoke_run_result s;

    (void)unused;
    if (!is_open(r)) return NULL;
    yoke_run_summary(r->run, &s);
    return Py_BuildValue(
        "{sNsdsOsisisislslsdsdsdsdsdsisNsNsNsNsNsNsNsN}", "text",
        core_text(s.text), "time", s.t, "converged",
        s.converged ? Py_True : Py_False, "subsystems", s.subsystems, "windows",
        s.iterate.windows, "rejected", s.iterate.rejected, "sweeps",
        s.iterate.sweeps, "skipped", s.iterate.skipped, "rate", s.iterate.rate,
        "rate_median", s.rate_median, "coupling_estimate", s.iterate.estimate,
        "overhead", s.overhead, "seconds", s.seconds, "jobs", s.jobs,
        "repaired", core_text(s.repaired), "work", all_work(r->run),
        "decisions", decisions(r->run), "remarks", remarks(r->run),
        "not_certified", uncertain(r->run), "second_solution",
        second_solution(r->run), "measures", measured(r), "final",
        final_values(r->run));
}

static PyObject *run_time(PyObject *self, void *unused)
{
    core_run *r = (core_run *)self;

    (void)unused;
    return is_open(r) ? PyFloat_FromDouble(yoke_run_time(r->run)) : NULL;
}

static PyMethodDef run_methods[] = {
    { "advance", advance, METH_VARARGS, "Windows until a time." },
    { "halt", halt, METH_NOARGS, "Ends advance() soon." },
    { "note", note, METH_VARARGS, "A note for the result file." },
    { "close", close_method, METH_NOARGS, "Closes the result files." },
    { "tables", tables, METH_VARARGS, "The rows so far." },
    { "notes", notes, METH_NOARGS, "The notes so far." },
    { "summary", summary, METH_NOARGS, "What was done." },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef run_members[] = {
    { "time", run_time, NULL, "The time reached.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

PyTypeObject core_run_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "yoke._core.Run",
    .tp_basicsize = sizeof(core_run),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "A run whose rows stay in memory.",
    .tp_new = run_new,
    .tp_dealloc = (destructor)run_dealloc,
    .tp_traverse = (traverseproc)run_traverse,
    .tp_clear = (inquiry)run_clear,
    .tp_methods = run_methods,
    .tp_getset = run_members,
};
