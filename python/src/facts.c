/* python/src/facts.c -- what a Model says about itself, and yoke check. */
#include "core.h"

#include <math.h>

/* ---- subsystems ---------------------------------------------------------- */

static PyObject *subsystem(yoke_model *model, int i)
{
    const yoke_graph *graph = yoke_model_graph(model);
    const yoke_system *s = yoke_graph_system(graph, i);
    const yoke_system_info *f = yoke_system_facts(s);
    const yoke_stepper_options *stepper = yoke_model_stepper(model, i);

    return Py_BuildValue(
        "{sNsNsNsNsNsisOsOsz}", "name", core_text(yoke_system_name(s)), "kind",
        core_text(yoke_system_kind(s)), "states", core_texts(f->n, f->x_name),
        "inputs", core_texts(f->m, f->u_name), "outputs",
        core_texts(f->p, f->y_name), "events", f->events, "hidden",
        f->flags & YOKE_HIDDEN ? Py_True : Py_False, "closed",
        f->closed ? Py_True : Py_False, "stepper",
        stepper ? stepper->method : NULL);
}

static PyObject *subsystems(PyObject *self, PyObject *unused)
{
    core_model *m = (core_model *)self;
    PyObject *list = PyList_New(0);
    bool good = list && m->model;

    (void)unused;
    for (int i = 0; good && i < yoke_graph_count(yoke_model_graph(m->model));
         i++)
        good = core_append(list, subsystem(m->model, i));
    if (!good) Py_CLEAR(list);
    return list;
}

/* (subsystem, input, subsystem, output, weight, delay) */
static PyObject *links(PyObject *self, PyObject *unused)
{
    core_model *m = (core_model *)self;
    const yoke_graph *graph = yoke_model_graph(m->model);
    const yoke_link *link = NULL;
    const int count = yoke_graph_links(graph, &link);
    PyObject *list = PyList_New(0);
    bool good = list;

    (void)unused;
    for (int l = 0; good && l < count; l++) {
        const yoke_system *to = yoke_graph_system(graph, link[l].to);
        const yoke_system *from = yoke_graph_system(graph, link[l].from);
        good = core_append(
            list,
            Py_BuildValue(
                "(NNNNdd)", core_text(yoke_system_name(to)),
                core_text(yoke_system_facts(to)->u_name[link[l].input]),
                core_text(yoke_system_name(from)),
                core_text(yoke_system_facts(from)->y_name[link[l].output]),
                link[l].weight, yoke_graph_delay_of(graph, l).time));
    }
    if (!good) Py_CLEAR(list);
    return list;
}

/* ---- the file ------------------------------------------------------------ */

typedef const char *(*line_of)(const yoke_file *file, int i);

static PyObject *lines(const yoke_file *file, line_of next)
{
    PyObject *list = PyList_New(0);
    const char *text = NULL;
    bool good = list;

    for (int i = 0; good && file && (text = next(file, i)); i++)
        if (text[0]) good = core_append(list, core_text(text));
    if (!good) Py_CLEAR(list);
    return list;
}

/* Models that are interpreted, which is slow, with the reason. */
static PyObject *interpreted(const yoke_file *file)
{
    PyObject *list = PyList_New(0);
    yoke_file_subsystem part;
    bool good = list;

    for (int i = 0; good && file && yoke_file_subsystem_at(file, i, &part); i++)
        if (part.code_text && !part.compiled)
            good = core_append(list, PyUnicode_FromFormat(
                                         "%s is interpreted, which is slow: %s",
                                         part.name, part.code_text));
    if (!good) Py_CLEAR(list);
    return list;
}

static PyObject *analyses(const yoke_file *file)
{
    PyObject *list = PyList_New(0);
    yoke_analysis a;
    bool good = list;

    for (int i = 0; good && file && yoke_file_analysis_at(file, i, &a); i++)
        good = core_append(list, core_text(a.kind));
    if (!good) Py_CLEAR(list);
    return list;
}

static PyObject *file_facts(PyObject *self, PyObject *unused)
{
    const yoke_file *file = ((core_model *)self)->file;

    (void)unused;
    return Py_BuildValue(
        "{sNsNsNsNsNsNsO}", "name",
        file ? core_text(yoke_file_name(file)) : Py_NewRef(Py_None), "told",
        file ? core_text(yoke_file_told(file)) : Py_NewRef(Py_None), "warnings",
        lines(file, yoke_file_warning), "reports",
        lines(file, yoke_file_report), "interpreted", interpreted(file),
        "analyses", analyses(file), "has_run",
        !file || yoke_file_has_run(file) ? Py_True : Py_False);
}

/* parameters(): (subsystem, name, text, value or None) that the file gives */
static PyObject *parameters(PyObject *self, PyObject *unused)
{
    const yoke_file *file = ((core_model *)self)->file;
    PyObject *list = PyList_New(0);
    yoke_file_subsystem s;
    bool good = list;

    (void)unused;
    for (int i = 0; good && file && yoke_file_subsystem_at(file, i, &s); i++)
        for (int k = 0; good && k < s.parameters; k++) {
            const yoke_file_parameter *p = &s.parameter[k];
            good = core_append(
                list, Py_BuildValue("(NNNN)", core_text(s.name),
                                    core_text(p->name), core_text(p->text),
                                    p->has_value ? PyFloat_FromDouble(p->value)
                                                 : Py_NewRef(Py_None)));
        }
    if (!good) Py_CLEAR(list);
    return list;
}

/* options(pairs): all options of a run and their values as texts */
static PyObject *options(PyObject *self, PyObject *args)
{
    PyObject *pairs = NULL, *dict = NULL;
    yoke_run_options o;
    yoke_option_text about;
    char scratch[64];
    bool good = true;

    if (!PyArg_ParseTuple(args, "O", &pairs) ||
        !core_options((core_model *)self, pairs, &o))
        return NULL;
    dict = PyDict_New();
    good = dict && core_put(dict, "start", PyFloat_FromDouble(o.start)) &&
           core_put(dict, "stop", PyFloat_FromDouble(o.stop)) &&
           core_put(dict, "rtol", PyFloat_FromDouble(o.iterate.rtol)) &&
           core_put(dict, "atol", PyFloat_FromDouble(o.iterate.atol)) &&
           core_put(dict, "every", PyFloat_FromDouble(o.every)) &&
           core_put(dict, "window", PyFloat_FromDouble(o.iterate.window)) &&
           core_put(dict, "step", PyFloat_FromDouble(o.step)) &&
           core_put(dict, "output", core_text(o.output));
    for (int i = 0; good && yoke_run_list(i, &about); i++) {
        const char *value = yoke_run_get(&o, i, scratch);
        if (!PyDict_GetItemString(dict, about.name))
            good = core_put(dict, about.name, core_text(value ? value : ""));
    }
    if (!good) Py_CLEAR(dict);
    return dict;
}

/* analyse(i): .op, .dc, .ac of a netlist */
static PyObject *analyse(PyObject *self, PyObject *args)
{
    core_model *m = (core_model *)self;
    yoke_err err = { YOKE_OK, "" };
    yoke_table *table = NULL;
    yoke_status status = YOKE_E_ARG;
    int i = 0;

    if (!PyArg_ParseTuple(args, "i", &i) || !core_model_enter(m, false))
        return NULL;
    if (m->file) {
        Py_BEGIN_ALLOW_THREADS
        status = yoke_file_analyse(m->file, i, &table, &err);
        Py_END_ALLOW_THREADS
    }
    if (status != YOKE_OK) return core_model_fail(m, status, &err);
    Py_XDECREF(core_model_leave(m));
    return core_table(table);
}

/* ---- check --------------------------------------------------------------- */

enum { STEPS = 4, ORDERS = 50 };

typedef struct check {
    yoke_run_options options;
    yoke_schedule *schedule;
    int count; /* subsystems when it began */
    yoke_solvability *part;
    yoke_err problem; /* why it is not solvable */
    yoke_contraction contraction[STEPS];
    yoke_advice order[ORDERS];
    int orders;
    bool known;       /* the contraction */
    yoke_err unknown; /* why not */
} check;

static yoke_status look(yoke_model *model, check *c, yoke_err *err)
{
    const yoke_graph *graph = yoke_model_graph(model);
    const yoke_run_options *o = &c->options;
    const double window = o->iterate.window > 0.0
                              ? o->iterate.window
                              : (o->stop - o->start) / 100.0;
    yoke_status status =
        yoke_run_schedule(&c->schedule, yoke_model_graph(model), o, err);

    if (status != YOKE_OK) return status;
    for (int i = 0; i < c->count; i++) {
        yoke_system *s = yoke_graph_system(graph, i);
        c->part[i].index = -1;
        if (yoke_system_facts(s)->n > 0)
            yoke_solvable(s, o->start, NULL, NULL, &c->part[i], NULL);
    }
    if (yoke_graph_check(graph, c->schedule, o->start, &c->problem) !=
            YOKE_OK ||
        c->schedule->clusters < 2)
        return YOKE_OK;
    for (int k = 0; k < STEPS; k++)
        c->contraction[k].h = window * pow(10.0, -2.0 * k);
    c->known = yoke_model_contraction(model, o, STEPS, c->contraction,
                                      &c->unknown) == YOKE_OK;
    if (c->known &&
        yoke_model_advise(model, o, c->contraction[0].h, 0.0, ORDERS, c->order,
                          &c->orders, NULL) != YOKE_OK)
        c->orders = 0;
    if (c->orders > ORDERS) c->orders = ORDERS;
    return YOKE_OK;
}

static PyObject *tell_parts(yoke_model *model, const check *c)
{
    const yoke_graph *graph = yoke_model_graph(model);
    PyObject *list = PyList_New(0);
    bool good = list;

    for (int i = 0; good && i < c->count; i++) {
        const yoke_solvability *s = &c->part[i];
        good = core_append(
            list, Py_BuildValue(
                      "(NOiiis)",
                      core_text(yoke_system_name(yoke_graph_system(graph, i))),
                      s->solvable ? Py_True : Py_False, s->differential,
                      s->algebraic, s->index, s->text));
    }
    if (!good) Py_CLEAR(list);
    return list;
}

static PyObject *tell_check(yoke_model *model, const check *c)
{
    const yoke_graph *graph = yoke_model_graph(model);
    PyObject *steps = PyList_New(0), *orders = PyList_New(0);
    char text[2000];
    bool good = steps && orders;

    for (int k = 0; good && c->known && k < STEPS; k++)
        good = core_append(steps, Py_BuildValue("(ddd)", c->contraction[k].h,
                                                c->contraction[k].rho,
                                                c->contraction[k].norm));
    for (int k = 0; good && k < c->orders; k++)
        good = core_append(
            orders, Py_BuildValue("(Nd)", core_text(c->order[k].schedule),
                                  c->order[k].rho));
    if (!good) {
        Py_XDECREF(steps);
        Py_XDECREF(orders);
        return NULL;
    }
    yoke_schedule_text(c->schedule, graph, -1, text, sizeof text);
    return Py_BuildValue("{sNsNsisisNsNsN}", "schedule", core_text(text),
                         "problem", core_text(c->problem.text), "status",
                         (int)c->problem.status, "clusters",
                         c->schedule->clusters, "contraction", steps, "orders",
                         orders, "parts", tell_parts(model, c));
}

static bool any_failed(const core_model *m)
{
    for (int i = 0; i < m->parts; i++)
        if (core_part_failed(m->part[i])) return true;
    return false;
}

static PyObject *run_check(PyObject *self, PyObject *args)
{
    core_model *m = (core_model *)self;
    PyObject *pairs = NULL, *told = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status;
    check *c = NULL;

    if (!PyArg_ParseTuple(args, "O", &pairs) || !core_model_enter(m, false))
        return NULL;
    c = PyMem_Calloc(1, sizeof *c);
    if (c) {
        c->count = yoke_graph_count(yoke_model_graph(m->model));
        c->part = PyMem_Calloc((size_t)c->count + 1, sizeof *c->part);
    }
    if (!c || !c->part || !core_options(m, pairs, &c->options)) {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        Py_XDECREF(core_model_leave(m));
    } else {
        Py_BEGIN_ALLOW_THREADS
        status = look(m->model, c, &err);
        Py_END_ALLOW_THREADS
        if (status == YOKE_OK && any_failed(m)) status = YOKE_E_CALLBACK;
        if (status != YOKE_OK)
            core_model_fail(m, status, &err);
        else {
            Py_XDECREF(core_model_leave(m));
            told = tell_check(m->model, c);
        }
        yoke_schedule_free(c->schedule);
    }
    if (c) PyMem_Free(c->part);
    PyMem_Free(c);
    return told;
}

PyMethodDef core_model_facts[] = {
    { "subsystems", subsystems, METH_NOARGS, "Names, ports, steppers." },
    { "links", links, METH_NOARGS, "What feeds what." },
    { "file_facts", file_facts, METH_NOARGS, "Warnings, reports, analyses." },
    { "parameters", parameters, METH_NOARGS, "Those that the file gives." },
    { "options", options, METH_VARARGS, "Options of a run." },
    { "analyse", analyse, METH_VARARGS, "An analysis of a netlist." },
    { "check", run_check, METH_VARARGS, "As yoke check." },
    { NULL, NULL, 0, NULL },
};
