/* comp/fmu/ssp/systems.c -- the tree of systems of a package that is written.
 *
 * A subsystem "drive.motor" is the component "motor" in the system "drive".  A
 * signal climbs from its output to the system that contains both ends and goes
 * down to its input; each system on the way gets a connector, named after what
 * is behind it.
 */
#include "comp/fmu/ssp/out.h"

#include "base/quoted.h"

#include <string.h>

typedef struct connector {
    const char *name;
    const yk_ssp_box *of; /* what is behind it, and its connector */
    const char *inner;
    bool output;
} connector;

typedef struct connection {
    const yk_ssp_box *from, *to; /* NULL: the system itself */
    const char *start, *end;
    double factor, offset;
    bool any_units;
} connection;

struct yk_ssp_box {
    const char *name;
    int node; /* of a component, or -1 */
    yk_ssp_box *parent;
    yk_list children, connectors, connections;
};

/* ---- the tree ---------------------------------------------------------- */

static yoke_status find_box(yk_ssp_out *o, yk_ssp_box *parent, const char *name,
                            yk_ssp_box **out, yoke_err *err)
{
    for (int i = 0; i < parent->children.count; i++) {
        *out = parent->children.item[i];
        if (strcmp((*out)->name, name) == 0) return YOKE_OK;
    }
    YK_TRY(YK_TAKE(&o->arena, out, 1, err));
    **out = (yk_ssp_box){ .name = name, .node = -1, .parent = parent };
    return yk_list_push(&o->arena, &parent->children, *out, err);
}

/* The box of a path, with those around it. */
static yoke_status place(yk_ssp_out *o, int node, yoke_err *err)
{
    const char *path = yoke_system_name(yoke_graph_system(o->graph, node));
    yk_ssp_box *box = o->root;

    for (size_t at = 0; path[at];) {
        const size_t length = yk_quoted_span(path + at, ".");
        char *name = NULL;

        YK_TRY(YK_TAKE(&o->arena, &name, length + 1, err));
        yk_unquote(name, path + at, length);
        YK_TRY(find_box(o, box, name, &box, err));
        at += length + (path[at + length] == '.');
    }
    box->node = node;
    o->leaf[node] = box;
    return YOKE_OK;
}

/* ---- signals ----------------------------------------------------------- */

/* The connector of a system for what is behind it; *made: it is new. */
static yoke_status find_connector(yk_ssp_out *o, yk_ssp_box *box,
                                  const yk_ssp_box *of, const char *inner,
                                  bool output, const char **name, bool *made,
                                  yoke_err *err)
{
    connector *c = NULL;

    *made = false;
    YK_TRY(yk_arena_print(&o->arena, name, err, "%s.%s", of->name, inner));
    for (int i = 0; i < box->connectors.count; i++) {
        const connector *other = box->connectors.item[i];
        if (other->of == of && strcmp(other->inner, inner) == 0) {
            *name = other->name;
            return YOKE_OK;
        }
        if (strcmp(other->name, *name) == 0) {
            YK_TRY(yk_arena_print(&o->arena, name, err, "%s.1", *name));
            i = -1;
        }
    }
    *made = true;
    YK_TRY(YK_TAKE(&o->arena, &c, 1, err));
    *c = (connector){
        .name = *name, .of = of, .inner = inner, .output = output
    };
    return yk_list_push(&o->arena, &box->connectors, c, err);
}

static yoke_status add_connection(yk_ssp_out *o, yk_ssp_box *in,
                                  const connection *given, yoke_err *err)
{
    connection *c = NULL;

    YK_TRY(YK_TAKE(&o->arena, &c, 1, err));
    *c = *given;
    return yk_list_push(&o->arena, &in->connections, c, err);
}

static bool contains(const yk_ssp_box *box, const yk_ssp_box *leaf)
{
    for (; leaf; leaf = leaf->parent)
        if (leaf == box) return true;
    return false;
}

/* Down to the input `end->to`: first the connectors, from the inside, then the
 * connections. */
static yoke_status go_down(yk_ssp_out *o, yk_ssp_box *box, yk_ssp_box *common,
                           const connection *last, const char **outer,
                           yoke_err *err)
{
    const char *inner = last->end;
    bool made = false;

    /* `box` is the component or a system around it; its connector is inner. */
    for (; box->parent != common; box = box->parent) {
        connection c = { .to = box, .end = inner, .factor = 1.0 };

        if (box == last->to) c = *last;
        c.from = NULL;
        YK_TRY(find_connector(o, box->parent, box, inner, false, &c.start,
                              &made, err));
        YK_TRY(add_connection(o, box->parent, &c, err));
        inner = c.start;
    }
    *outer = inner;
    return YOKE_OK;
}

static yoke_status route(yk_ssp_out *o, yk_ssp_box *from, const char *output,
                         yk_ssp_box *to, const connection *last, yoke_err *err)
{
    yk_ssp_box *top = to;
    const char *inner = NULL;

    while (!contains(from->parent, to)) {
        connection c = { .from = from, .start = output, .factor = 1.0 };
        bool made = false;

        YK_TRY(find_connector(o, from->parent, from, output, true, &c.end,
                              &made, err));
        if (made) YK_TRY(add_connection(o, from->parent, &c, err));
        output = c.end;
        from = from->parent;
    }
    YK_TRY(go_down(o, to, from->parent, last, &inner, err));
    while (top->parent != from->parent) top = top->parent;
    connection c = { .to = top, .end = inner, .factor = 1.0 };
    if (top == to) c = *last;
    c.from = from;
    c.start = output;
    return add_connection(o, from->parent, &c, err);
}

static yoke_status route_input(yk_ssp_out *o, int node, int input,
                               yoke_err *err)
{
    const yk_ssp_signal *s = &o->signal[node][input];
    yk_fmu_made m, other;

    yk_fmu_made_of(yoke_graph_system(o->graph, node), &m);
    if (s->links == 0 || m.input->signal[input].element > 0) return YOKE_OK;
    yk_fmu_made_of(yoke_graph_system(o->graph, s->from), &other);
    const yk_fmu_variable *u =
        &m.description->variable[m.input->signal[input].variable];
    const yk_fmu_variable *y =
        &other.description->variable[other.output->signal[s->output].variable];
    const connection last = {
        .to = o->leaf[node],
        .end = u->name,
        .factor = s->factor,
        .offset = s->offset,
        .any_units = u->unit && y->unit && strcmp(u->unit, y->unit) != 0,
    };
    return route(o, o->leaf[s->from], y->name, o->leaf[node], &last, err);
}

yoke_status yk_ssp_make_boxes(yk_ssp_out *o, yoke_err *err)
{
    YK_TRY(YK_TAKE(&o->arena, &o->root, 1, err));
    o->root->node = -1;
    YK_TRY(YK_TAKE(&o->arena, &o->leaf, o->nodes + 1, err));
    for (int i = 0; i < o->nodes; i++) YK_TRY(place(o, i, err));
    for (int i = 0; i < o->nodes; i++) {
        const yoke_system *s = yoke_graph_system(o->graph, i);
        for (int k = 0; k < yoke_system_facts(s)->m; k++)
            YK_TRY(route_input(o, i, k, err));
    }
    return YOKE_OK;
}

/* ---- text -------------------------------------------------------------- */

static yoke_status put_connectors(yk_ssp_out *o, const yk_ssp_box *box,
                                  yoke_err *err)
{
    if (box->connectors.count == 0) return YOKE_OK;
    YK_TRY(yk_text_print(&o->xml, err, "<ssd:Connectors>\n"));
    for (int i = 0; i < box->connectors.count; i++) {
        const connector *c = box->connectors.item[i];

        YK_TRY(yk_text_print(&o->xml, err, "<ssd:Connector"));
        YK_TRY(yk_ssp_attribute(&o->xml, "name", c->name, err));
        YK_TRY(yk_text_print(&o->xml, err, " kind=\"%s\"/>\n",
                             c->output ? "output" : "input"));
    }
    return yk_text_print(&o->xml, err, "</ssd:Connectors>\n");
}

static yoke_status put_connection(yk_text *b, const connection *c,
                                  yoke_err *err)
{
    YK_TRY(yk_text_print(b, err, "<ssd:Connection"));
    if (c->from)
        YK_TRY(yk_ssp_attribute(b, "startElement", c->from->name, err));
    YK_TRY(yk_ssp_attribute(b, "startConnector", c->start, err));
    if (c->to) YK_TRY(yk_ssp_attribute(b, "endElement", c->to->name, err));
    YK_TRY(yk_ssp_attribute(b, "endConnector", c->end, err));
    if (c->any_units)
        YK_TRY(yk_text_print(b, err, " suppressUnitConversion=\"true\""));
    if (c->factor == 1.0 && c->offset == 0.0)
        return yk_text_print(b, err, "/>\n");
    return yk_text_print(b, err,
                         "><ssc:LinearTransformation factor=\"%.17g\" "
                         "offset=\"%.17g\"/></ssd:Connection>\n",
                         c->factor, c->offset);
}

static yoke_status put_system(yk_ssp_out *o, const yk_ssp_box *box,
                              const char *name, yoke_err *err)
{
    yk_text *b = &o->xml;

    if (box->node >= 0) return yk_ssp_put_component(o, box->node, name, err);
    YK_TRY(yk_text_print(b, err, "<ssd:System"));
    YK_TRY(yk_ssp_attribute(b, "name", name, err));
    YK_TRY(yk_text_print(b, err, ">\n"));
    YK_TRY(put_connectors(o, box, err));
    YK_TRY(yk_text_print(b, err, "<ssd:Elements>\n"));
    for (int i = 0; i < box->children.count; i++) {
        const yk_ssp_box *child = box->children.item[i];
        YK_TRY(put_system(o, child, child->name, err));
    }
    YK_TRY(yk_text_print(b, err, "</ssd:Elements>\n"));
    if (box->connections.count > 0)
        YK_TRY(yk_text_print(b, err, "<ssd:Connections>\n"));
    for (int i = 0; i < box->connections.count; i++)
        YK_TRY(put_connection(b, box->connections.item[i], err));
    if (box->connections.count > 0)
        YK_TRY(yk_text_print(b, err, "</ssd:Connections>\n"));
    return yk_text_print(b, err, "</ssd:System>\n");
}

yoke_status yk_ssp_put_systems(yk_ssp_out *o, const char *name, yoke_err *err)
{
    return put_system(o, o->root, name[0] ? name : "system", err);
}
