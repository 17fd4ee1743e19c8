/* comp/netlist/ngspice/read.c -- a netlist as a closed part that ngspice solves.
 *
 *     amp: {netlist: amp.cir, engine: ngspice, inputs: {vdrive: u},
 *           ports: {in: voltage, out: current}, outputs: [v(2), i(vdd)]}
 */
#include "comp/netlist/ngspice/read.h"
#include "base/bytes.h"
#include "base/texts.h"
#include "comp/closed/answers.h"
#include "comp/closed/subsystem.h"
#include "comp/netlist/system/calls.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 190 };

typedef struct builder {
    yk_reader *r;
    const yk_yaml *node;
    yk_texts key, value, input, output;
    yk_closed_facts facts;
} builder;

static yoke_status add(builder *b, const char *mark, const char *name,
                       const char *value, yoke_err *err)
{
    char key[2 * NAME + 16];

    snprintf(key, sizeof key, "%.15s%.*s", mark, 2 * NAME, name);
    YK_TRY(yk_texts_add(&b->key, key, err));
    return yk_texts_add(&b->value, value, err);
}

/* A word of a netlist, in lower case. */
static yoke_status lower(const builder *b, const yk_yaml *at, const char *text,
                         char out[NAME], yoke_err *err)
{
    size_t n = 0;

    for (; text[n] && n + 1 < NAME; n++) {
        if (isspace((unsigned char)text[n]) || iscntrl((unsigned char)text[n]))
            break;
        out[n] = (char)tolower((unsigned char)text[n]);
    }
    out[n] = '\0';
    if (n > 0 && !text[n]) return YOKE_OK;
    return yk_file_fail(
        b->r, at, err,
        "\"%.100s\" is not a name for a netlist: it has blanks, "
        "or is too long",
        text);
}

static yoke_status add_input(builder *b, const yk_yaml *at, const char *name,
                             const char *what, yoke_err *err)
{
    if (yk_texts_have(&b->input, name))
        return yk_file_fail(b->r, at, err, "\"%.100s\" is there twice", name);
    YK_TRY(yk_texts_add(&b->input, name, err));
    return add(b, "in:", name, what, err);
}

static yoke_status add_known(builder *b, const char *name, const char *what,
                             yoke_err *err)
{
    if (yk_texts_have(&b->output, name)) return YOKE_OK;
    YK_TRY(yk_texts_add(&b->output, name, err));
    return add(b, "out:", name, what, err);
}

/* v(node), i(element), @device[quantity]: with their vectors in ngspice. */
static yoke_status add_output(builder *b, const yk_yaml *at, const char *given,
                              yoke_err *err)
{
    char text[NAME], what[2 * NAME];

    YK_TRY(lower(b, at, given, text, err));
    const size_t length = strlen(text);
    const bool call = length > 3 && text[1] == '(' && text[length - 1] == ')';
    const int inner = (int)length - 3;

    if (text[0] == '@')
        snprintf(what, sizeof what, "vector %s", text);
    else if (call && text[0] == 'v' && !strchr(text, ','))
        snprintf(what, sizeof what, "vector %.*s", inner, text + 2);
    else if (call && text[0] == 'i' && strchr("vleh", text[2]))
        snprintf(what, sizeof what, "vector %.*s#branch", inner, text + 2);
    else if (call && text[0] == 'i')
        snprintf(what, sizeof what, "vector @%.*s[i]", inner, text + 2);
    else
        return yk_file_fail(b->r, at, err,
                            "an output of a netlist in ngspice is v(node), "
                            "i(element) or @device[quantity], not \"%.100s\"",
                            given);
    return add_known(b, text, what, err);
}

/* ---- inputs, ports, outputs -------------------------------------------- */

static yoke_status read_inputs(builder *b, yoke_err *err)
{
    const yk_yaml *map = yk_yaml_find(b->node, "inputs");
    const char *name = NULL;
    char element[NAME], what[2 * NAME];

    if (!map || yk_yaml_is_empty(map)) return YOKE_OK;
    YK_TRY(yk_file_want(b->r, map, YK_YAML_MAP, err));
    for (const yk_yaml *e = map->first; e; e = e->next) {
        YK_TRY(yk_file_text(b->r, e, &name, err));
        YK_TRY(lower(b, e, e->key, element, err));
        snprintf(what, sizeof what, "source %s", element);
        YK_TRY(add_input(b, e, name, what, err));
    }
    return YOKE_OK;
}

/* Driven by a current it answers with its voltage, and the reverse. */
static yoke_status add_port(builder *b, const yk_yaml *at, const char *given,
                            const char *kind, yoke_err *err)
{
    char node[NAME], in[2 * NAME], out[2 * NAME], what[2 * NAME];
    const bool voltage = strcmp(kind, "voltage") == 0;

    if (!voltage && strcmp(kind, "current") != 0)
        return yk_file_fail(b->r, at, err,
                            "a port is driven by a voltage or a current, not "
                            "by \"%.50s\"",
                            kind);
    YK_TRY(lower(b, at, given, node, err));
    snprintf(in, sizeof in, voltage ? "v(%s)" : "into(%s)", node);
    snprintf(out, sizeof out, voltage ? "into(%s)" : "v(%s)", node);
    snprintf(what, sizeof what, voltage ? "v %s" : "into %s", node);
    YK_TRY(add_input(b, at, in, what, err));
    snprintf(what, sizeof what, voltage ? "into %s" : "vector %s", node);
    return add_known(b, out, what, err);
}

static yoke_status read_ports(builder *b, yoke_err *err)
{
    const yk_yaml *ports = yk_yaml_find(b->node, "ports");
    const yk_yaml **item = NULL;
    const char *kind = NULL;
    int count = 0;
    yoke_status status = YOKE_OK;

    if (!ports || yk_yaml_is_empty(ports)) return YOKE_OK;
    if (ports->kind == YK_YAML_MAP) {
        for (const yk_yaml *e = ports->first; e; e = e->next) {
            YK_TRY(yk_file_text(b->r, e, &kind, err));
            YK_TRY(add_port(b, e, e->key, kind, err));
        }
        return YOKE_OK;
    }
    YK_TRY(yk_file_texts(b->r, ports, &item, &count, err));
    for (int i = 0; status == YOKE_OK && i < count; i++)
        status = add_port(b, item[i], item[i]->text, "current", err);
    yk_free(item);
    return status;
}

/* In the couplings. */
static yoke_status found_call(void *context, const yk_yaml *node, size_t at,
                              const char *call, yoke_err *err)
{
    builder *b = context;

    (void)at;
    return yk_texts_have(&b->input, call) ? YOKE_OK
                                          : add_output(b, node, call, err);
}

static yoke_status read_outputs(builder *b, yoke_err *err)
{
    const yk_yaml *names = yk_yaml_find(b->node, "outputs");
    const yk_yaml **item = NULL;
    int count = 0;
    yoke_status status = YOKE_OK;

    if (!names && !b->r->couplings) return YOKE_OK;
    if (!names)
        return yk_net_find_calls(b->r->couplings, b->node->key, found_call, b,
                                 err);
    if (yk_yaml_is_empty(names)) return YOKE_OK;
    YK_TRY(yk_file_texts(b->r, names, &item, &count, err));
    for (int i = 0; status == YOKE_OK && i < count; i++)
        status = add_output(b, item[i], item[i]->text, err);
    yk_free(item);
    return status;
}

/* ---- the rest ---------------------------------------------------------- */

static yoke_status add_parameters(builder *b, yk_entries *parameters,
                                  yoke_err *err)
{
    char name[NAME], number[64];

    YK_TRY(yk_file_values(parameters, err));
    for (int i = 0; i < parameters->count; i++) {
        YK_TRY(lower(b, b->node, parameters->entry[i].name, name, err));
        snprintf(number, sizeof number, "%.17g", parameters->value[i]);
        YK_TRY(add(b, "set:", name, number, err));
    }
    return YOKE_OK;
}

static yoke_status build(builder *b, const char *path, yk_entries *parameters,
                         yoke_system **out, yoke_err *err)
{
    yk_closed_facts *f = &b->facts;
    yk_closed_limits limits;

    YK_TRY(add(b, "netlist", "", path, err));
    YK_TRY(read_inputs(b, err));
    YK_TRY(read_ports(b, err));
    YK_TRY(read_outputs(b, err));
    if (b->output.count == 0)
        return yk_file_fail(b->r, b->node, err,
                            "\"%.100s\" has no outputs: list voltages and "
                            "currents, outputs: [v(out)]",
                            b->node->key);
    YK_TRY(add_parameters(b, parameters, err));
    YK_TRY(yk_closed_read_limits(b->r, b->node, &limits, err));
    f->seconds = limits.seconds;
    f->bytes = limits.bytes;
    f->replay = limits.replay;
    f->name = b->node->key;
    f->kind = "netlist in ngspice";
    f->engine = "ngspice";
    f->inputs = b->input.count;
    f->outputs = b->output.count;
    f->input = (const char *const *)b->input.at;
    f->output = (const char *const *)b->output.at;
    f->settings = b->key.count;
    f->key = (const char *const *)b->key.at;
    f->value = (const char *const *)b->value.at;
    f->direct = true;
    f->compared =
        "is solved by ngspice: sweeps with its steps and with half of "
        "them are compared, what is over between two is not seen";
    f->given = "is solved by ngspice";
    return yk_closed_system(out, f, err);
}

yoke_status yk_ngspice_wanted(const yk_reader *r, const yk_yaml *node,
                              bool *wanted, yoke_err *err)
{
    static const char *const closed[] = { "time_limit", "memory_limit",
                                          "replay" };
    const yk_yaml *engine = yk_yaml_find(node, "engine");
    const char *text = "yoke";

    if (engine) YK_TRY(yk_file_text(r, engine, &text, err));
    *wanted = strcmp(text, "ngspice") == 0;
    if (!*wanted && strcmp(text, "yoke") != 0)
        return yk_file_fail(r, engine, err,
                            "engine: \"%.50s\" is neither yoke nor ngspice",
                            text);
    for (int i = 0; !*wanted && i < 3; i++) {
        const yk_yaml *key = yk_yaml_find(node, closed[i]);

        if (key)
            return yk_file_fail(
                r, key, err, "\"%s\" is for engine: ngspice only", closed[i]);
    }
    return YOKE_OK;
}

yoke_status yk_ngspice_read(yk_reader *r, const yk_yaml *node,
                            const yk_yaml *given, yk_entries *parameters,
                            yoke_system **out, yoke_err *err)
{
    builder b = { .r = r, .node = node };
    const char *name = NULL;
    char *path = NULL;
    yoke_status status;

    YK_GO(yk_file_text(r, given, &name, err));
    YK_GO(yk_file_input(r, &path, name, err));
    YK_GO(yk_file_place(r, given, 0, yk_bytes_readable(path, err), err));
    YK_GO(build(&b, path, parameters, out, err));
    YK_GO(yk_file_report(r->file, err,
                         "%s: netlist %.300s in ngspice: %d inputs, %d "
                         "outputs; it goes back in time by copies of its "
                         "process",
                         node->key, path, b.facts.inputs, b.facts.outputs));
    YK_GO(yk_facts_part(&r->file->facts, node->key, "netlist", path, NULL,
                        parameters, err));
done:
    yk_texts_clear(&b.key);
    yk_texts_clear(&b.value);
    yk_texts_clear(&b.input);
    yk_texts_clear(&b.output);
    yk_free(path);
    return status;
}
