/* comp/netlist/system/lines.c -- lossless lines of a netlist as signals with a
 * delay.
 *
 * The part that has an end of a line has the wave that arrives there as an
 * input.  It is what left the other end before, v + z0 i: a sum of voltages and
 * the current of the part, or parts, that have that end.
 */
#include "comp/netlist/system/lines.h"

#include <stdio.h>
#include <string.h>

static double value_of(const yk_net_element *el, const char *name)
{
    return yk_net_value(el->param, el->params, name, 0.0, NULL);
}

void yk_lines_read(const yk_circuit *c, bool *read)
{
    for (int e = 0; c->lines && e < c->net->elements; e++) {
        const yk_net_element *el = &c->net->element[e];
        if (el->kind != 't') continue;
        for (int k = 0; k < 4; k++) read[el->node[k]] = true;
        for (int k = 0; k < 2; k++) read[c->branch[e] + k] = true;
    }
    read[0] = false;
}

/* Does part p solve for the variable, its own or a copy? */
static bool has(const yk_partition *cut, int p, int variable)
{
    if (!cut || cut->part[variable] == p) return true;
    for (int k = cut->first[p] + cut->owned[p]; k < cut->first[p + 1]; k++)
        if (cut->list[k] == variable) return true;
    return false;
}

static int branch_of(const yk_circuit *c, const yk_part_value *wave)
{
    return c->branch[wave->element] + wave->end;
}

yoke_status yk_lines_inputs(const yk_circuit *c, const yk_partition *cut, int p,
                            yk_net_part_spec *spec, yoke_err *err)
{
    yk_part_value *value = NULL;

    if (c->lines == 0) return YOKE_OK;
    YK_TRY(YK_TAKE(&c->net->arena, &value, spec->values + 2 * c->lines, err));
    if (spec->values)
        memcpy(value, spec->value, (size_t)spec->values * sizeof *value);
    for (int k = 0; k < 2 * c->lines; k++)
        if (has(cut, p, branch_of(c, &c->wave[k])))
            value[spec->values++] = c->wave[k];
    spec->value = value;
    return YOKE_OK;
}

/* ---- signals ------------------------------------------------------------- */

/* One term of the wave that arrives: weight times a variable. */
static yoke_status add_term(yoke_graph *graph, const yk_circuit *c,
                            const char *to, const char *from, int variable,
                            double weight, double delay, const double *past,
                            yoke_err *err)
{
    char *text = NULL;

    if (variable == 0) return YOKE_OK;
    YK_TRY(yk_print(&text, err, "%s.%s", from, c->name[variable]));
    const yoke_status status =
        yoke_graph_delay(graph, to, text, weight, delay, past, err);
    yk_free(text);
    return status;
}

/* Driven nodes are outputs of the first part. */
static const char *owner_of(const yk_circuit *c, const yk_partition *cut,
                            const char *whole, int variable)
{
    const bool driven = variable < c->nodes && c->driver[variable] >= 0;

    if (!cut) return whole;
    return cut->name[driven || variable == 0 ? 0 : cut->part[variable]];
}

/* What arrives at an end, at part `part`, which solves for it. */
static yoke_status connect_end(yoke_graph *graph, const yk_circuit *c,
                               const yk_partition *cut, const char *whole,
                               const char *part, bool uic,
                               const yk_part_value *wave, yoke_err *err)
{
    static const char *const name[2][2] = { { "v1", "i1" }, { "v2", "i2" } };
    const yk_net_element *el = &c->net->element[wave->element];
    const int other = 1 - wave->end, *far = el->node + 2 * other;
    const double td = value_of(el, "td"), zero = 0.0;
    const double v = value_of(el, name[other][0]);
    const double i = value_of(el, name[other][1]);
    const int from = c->branch[wave->element] + other;
    yoke_status status = YOKE_OK;
    char *to = NULL;

    YK_TRY(yk_print(&to, err, "%s.%s", part, wave->input));
    YK_GO(add_term(graph, c, to, owner_of(c, cut, whole, far[0]), far[0], 1.0,
                   td, uic ? &v : NULL, err));
    YK_GO(add_term(graph, c, to, owner_of(c, cut, whole, far[1]), far[1], -1.0,
                   td, uic ? far[0] ? &zero : &(const double){ -v } : NULL,
                   err));
    YK_GO(add_term(graph, c, to, owner_of(c, cut, whole, from), from,
                   value_of(el, "z0"), td, uic ? &i : NULL, err));
done:
    yk_free(to);
    return status;
}

yoke_status yk_lines_connect(yoke_graph *graph, const yk_circuit *c,
                             const yk_partition *cut, const char *whole,
                             bool uic, yoke_err *err)
{
    for (int k = 0; k < 2 * c->lines; k++)
        for (int p = 0; p < (cut ? cut->parts : 1); p++)
            if (has(cut, p, branch_of(c, &c->wave[k])))
                YK_TRY(connect_end(graph, c, cut, whole,
                                   cut ? cut->name[p] : whole, uic, &c->wave[k],
                                   err));
    return YOKE_OK;
}
