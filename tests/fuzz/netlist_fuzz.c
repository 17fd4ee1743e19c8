/* tests/fuzz/netlist_fuzz.c -- the reader of netlists takes any bytes: it gives
 * a flat netlist whose indices all exist, or a message with a place.  Its
 * memory is limited, so that subcircuits of subcircuits end soon. */
#include "fuzz.h"

#include "comp/netlist/netlist.h"
#include "expr/breaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 16 << 20 };

static size_t bytes_taken;

/* Counts what is requested; what is freed is not given back. */
static void *limited(void *block, size_t bytes)
{
    if (bytes > MOST_BYTES - bytes_taken) return NULL;
    bytes_taken += bytes;
    return realloc(block, bytes);
}

static void check(int holds)
{
    if (!holds) abort();
}

static void check_expr(const yk_netlist *net, const yk_net_expr *e)
{
    const size_t work = yk_net_expr_work(e);
    double *room = calloc(work + 2 * (size_t)e->vars + 1, sizeof *room);
    double value, t = 0.0;
    yk_breaks *breaks = NULL;

    check(room != NULL && work > 0);
    double *var = room + work, *slope = var + e->vars;
    for (int k = 0; k < e->vars; k++) {
        const yk_net_var *v = &e->var[k];
        const int most = v->is_current ? net->elements : net->nodes;
        check(v->a >= 0 && v->a < most && v->b >= 0 && v->b < net->nodes);
        var[k] = 0.5 * k - 1.0;
    }
    yk_net_expr_eval(e, 0.25, var, &value, slope, room);
    check(yk_breaks_add(&breaks, e->steps, e->step, NULL) == YOKE_OK);
    for (int k = 0; k < 5 && isfinite(t); k++) {
        const double next = yk_breaks_after(breaks, t, 1.0);
        check(next > t);
        t = next;
    }
    yk_breaks_free(breaks);
    free(room);
}

static void check_element(const yk_netlist *net, int i)
{
    const yk_net_element *e = &net->element[i];

    check(e->name && e->name[0] == e->kind && e->at.file && e->at.line > 0);
    check(yk_net_find_element(net, e->name) == i);
    check(e->model >= -1 && e->model < net->models);
    check(e->instance >= 0 && e->instance < net->instances);
    for (int k = 0; k < e->nodes; k++)
        check(e->node[k] >= 0 && e->node[k] < net->nodes);
    for (int k = 0; k < e->controls; k++)
        check(e->control[k] >= 0 && e->control[k] < net->elements);
    for (int k = 0; k < e->params; k++) check(isfinite(e->param[k].value));
    for (int k = 0; k < e->coefs; k++) check(isfinite(e->coef[k]));
    if (e->expr) check_expr(net, e->expr);
    if (e->source)
        for (int k = 0; k < e->source->args; k++)
            check(isfinite(e->source->arg[k]));
    check(!strchr("vi", e->kind) || e->source);
    check(!strchr("dqmjsw", e->kind) || e->model >= 0);
    check(e->kind != 'b' || e->expr);
    check(e->kind != 'y' || (e->controls == 1 && e->terminal >= 0 &&
                             e->terminal < net->element[e->control[0]].nodes));
    check(!strchr("efgh", e->kind) || e->expr || e->coefs > 0);
}

static void check_netlist(const yk_netlist *net)
{
    check(net->nodes >= 1 && net->instances >= 1 && net->title && net->path);
    for (int i = 0; i < net->nodes; i++)
        check(yk_net_find_node(net, net->node[i]) == i);
    for (int i = 0; i < net->elements; i++) check_element(net, i);
    for (int i = 0; i < net->instances; i++) {
        const yk_net_instance *x = &net->instance[i];
        check(x->parent >= 0 && x->parent <= i);
        for (int k = 0; k < x->ports; k++)
            check(x->port[k] >= 0 && x->port[k] < net->nodes);
    }
    for (int i = 0; i < net->ics; i++) check(net->ic[i].node < net->nodes);
    for (int i = 0; i < net->wishes; i++)
        check(net->wish[i].text && net->wish[i].analysis);
    for (int i = 0; i < net->measures; i++)
        for (int k = 0; k < net->measure[i].words; k++) {
            const yk_net_expr *e = net->measure[i].expr[k];
            check(net->measure[i].word[k] != NULL);
            if (e && strcmp(net->measure[i].word[0], "param") != 0)
                check_expr(net, e);
            for (int v = 0; e && v < e->vars; v++)
                check(e->var[v].is_current || k != 2 || e->var[v].a < i ||
                      strcmp(net->measure[i].word[0], "param") != 0);
        }
    for (int i = 0; i < net->models; i++)
        for (int k = 0; k < net->model[i].params; k++)
            check(isfinite(net->model[i].param[k].value));
}

/* file:line: */
static int has_place(const char *text)
{
    for (const char *p = strchr(text, ':'); p; p = strchr(p + 1, ':')) {
        const size_t digits = strspn(p + 1, "0123456789");
        if (digits > 0 && strncmp(p + 1 + digits, ": ", 2) == 0) return 1;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const yoke_allocator allocator = { limited, free };
    yk_netlist *net = NULL;
    yoke_err err = { YOKE_OK, "" };

    yoke_set_allocator(&allocator);
    bytes_taken = 0;
    const yoke_status status =
        yk_netlist_read(&net, "fuzz", (const char *)data, size, &err);
    if (status == YOKE_OK) {
        check_netlist(net);
    } else {
        check(net == NULL && status < 0);
        check(status == YOKE_E_MEMORY || has_place(err.text));
    }
    yk_netlist_free(net);
    return 0;
}

FUZZ_MAIN("netlist");
