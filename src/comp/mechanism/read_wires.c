/* comp/mechanism/read_wires.c -- the component `wires`: wires, droppers,
 * contacts.
 *
 *     span: 20 m
 *     nodes: 499
 *     wires:
 *       carrier: {density: 1.07 kg/m, bending: 131.7 N.m^2, tension: 16 kN}
 *     droppers:
 *       - {between: [carrier, contact], at: [4 m, 8 m], stiffness: 1e5 N/m}
 *     contacts:
 *       head: {wire: contact, start: 2 m, speed: 32 m/s, width: 8.5 cm}
 */
#include "file/component.h"

#include "comp/mechanism/wires.h"
#include "yoke/mechanism.h"

#include <math.h>

typedef struct wires {
    yk_wires to;
    yk_wires_wire *wire;
    yk_wires_dropper *dropper;
    size_t dropper_room;
    yk_wires_contact *contact;
} wires;

static void wires_clear(wires *w)
{
    YK_FREE(w->wire, w->dropper, w->contact);
}

static yoke_status read_wire(const yk_reader *r, const yk_yaml *node,
                             const yk_unit_scope *scope, yk_wires_wire *w,
                             yoke_err *err)
{
    static const char *const key[] = { "density", "bending", "tension",
                                       "damping" };

    YK_TRY(yk_file_check_name(r, node, err));
    YK_TRY(yk_file_want(r, node, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(r, node, 4, key, err));
    w->name = node->key;
    YK_TRY(
        yk_file_setting(r, node, key[0], "kg/m", scope, NAN, &w->density, err));
    YK_TRY(yk_file_setting(r, node, key[1], "N.m^2", scope, 0.0, &w->bending,
                           err));
    YK_TRY(yk_file_setting(r, node, key[2], "N", scope, 0.0, &w->tension, err));
    return yk_file_setting(r, node, key[3], "1/s", scope, 0.0, &w->damping,
                           err);
}

static yoke_status read_wires(const yk_reader *r, const yk_yaml *map,
                              const yk_unit_scope *scope, wires *w,
                              yoke_err *err)
{
    YK_TRY(YK_NEW(&w->wire, map->count, err));
    w->to.wire = w->wire;
    for (const yk_yaml *e = map->first; e; e = e->next)
        YK_TRY(read_wire(r, e, scope, &w->wire[w->to.wires++], err));
    return YOKE_OK;
}

static yoke_status add_dropper(wires *w, yk_wires_dropper d, yoke_err *err)
{
    YK_TRY(YK_GROW(&w->dropper, &w->dropper_room, w->to.droppers + 1, err));
    w->dropper[w->to.droppers++] = d;
    w->to.dropper = w->dropper;
    return YOKE_OK;
}

/* Several at once: `at` is a number or a list. */
static yoke_status read_dropper(const yk_reader *r, const yk_yaml *map,
                                const yk_yaml *node, const yk_unit_scope *scope,
                                wires *w, yoke_err *err)
{
    static const char *const key[] = { "between", "at", "stiffness" };
    const yk_yaml *between = NULL;
    const yk_yaml *at = yk_yaml_find(node, "at");
    yk_wires_dropper d = { 0 };

    YK_TRY(yk_file_want(r, node, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(r, node, 3, key, err));
    YK_TRY(yk_file_need(r, node, "between", YK_YAML_LIST, &between, err));
    if (between->count != 2)
        return yk_file_fail(r, between, err, "a dropper is between two wires");
    YK_TRY(yk_file_entry(r, map, between->first, &d.from, err));
    YK_TRY(yk_file_entry(r, map, between->first->next, &d.to, err));
    YK_TRY(yk_file_setting(r, node, "stiffness", "N/m", scope, NAN,
                           &d.stiffness, err));
    if (!at) return yk_file_fail(r, node, err, "\"at\" is missing");
    if (at->kind != YK_YAML_LIST) {
        YK_TRY(yk_file_quantity(r, at, "m", scope, &d.at, err));
        return add_dropper(w, d, err);
    }
    for (const yk_yaml *e = at->first; e; e = e->next) {
        YK_TRY(yk_file_quantity(r, e, "m", scope, &d.at, err));
        YK_TRY(add_dropper(w, d, err));
    }
    return YOKE_OK;
}

static yoke_status read_contact(const yk_reader *r, const yk_yaml *map,
                                const yk_yaml *node, const yk_unit_scope *scope,
                                yk_wires_contact *c, yoke_err *err)
{
    static const char *const key[] = { "wire", "start", "speed", "width" };
    const yk_yaml *wire = NULL;

    YK_TRY(yk_file_check_name(r, node, err));
    YK_TRY(yk_file_want(r, node, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(r, node, 4, key, err));
    c->name = node->key;
    YK_TRY(yk_file_need(r, node, "wire", YK_YAML_TEXT, &wire, err));
    YK_TRY(yk_file_entry(r, map, wire, &c->wire, err));
    YK_TRY(yk_file_setting(r, node, "start", "m", scope, NAN, &c->x0, err));
    YK_TRY(
        yk_file_setting(r, node, "speed", "m/s", scope, 0.0, &c->speed, err));
    return yk_file_setting(r, node, "width", "m", scope, NAN, &c->width, err);
}

static yoke_status read_contacts(const yk_reader *r, const yk_yaml *map,
                                 const yk_yaml *list,
                                 const yk_unit_scope *scope, wires *w,
                                 yoke_err *err)
{
    YK_TRY(yk_file_want(r, list, YK_YAML_MAP, err));
    YK_TRY(YK_NEW(&w->contact, list->count, err));
    w->to.contact = w->contact;
    for (const yk_yaml *e = list->first; e; e = e->next)
        YK_TRY(
            read_contact(r, map, e, scope, &w->contact[w->to.contacts++], err));
    return YOKE_OK;
}

static yoke_status read_nodes(const yk_reader *r, const yk_yaml *node,
                              const yk_unit_scope *scope, wires *w,
                              yoke_err *err)
{
    double nodes = 0.0;

    YK_TRY(yk_file_setting(r, node, "span", "m", scope, NAN, &w->to.span, err));
    YK_TRY(yk_file_setting(r, node, "nodes", "1", scope, NAN, &nodes, err));
    if (!(nodes >= 3.0 && nodes <= 1e7) || nodes != floor(nodes))
        return yk_file_fail(
            r, yk_yaml_find(node, "nodes"), err,
            "%g is not a number of nodes: a whole number, at least 3", nodes);
    w->to.nodes = (int)nodes;
    return YOKE_OK;
}

static yoke_status read_all(const yk_reader *r, const yk_yaml *node,
                            const yk_unit_scope *scope, wires *w, yoke_err *err)
{
    const yk_yaml *map = NULL;
    const yk_yaml *droppers = yk_yaml_find(node, "droppers");
    const yk_yaml *contacts = yk_yaml_find(node, "contacts");

    YK_TRY(read_nodes(r, node, scope, w, err));
    YK_TRY(yk_file_need(r, node, "wires", YK_YAML_MAP, &map, err));
    YK_TRY(read_wires(r, map, scope, w, err));
    if (droppers) YK_TRY(yk_file_want(r, droppers, YK_YAML_LIST, err));
    for (const yk_yaml *e = droppers ? droppers->first : NULL; e; e = e->next)
        YK_TRY(read_dropper(r, map, e, scope, w, err));
    return contacts ? read_contacts(r, map, contacts, scope, w, err) : YOKE_OK;
}

static yoke_status read(yk_reader *r, const yk_yaml *node,
                        const yk_unit_scope *scope, yoke_system **out,
                        yoke_err *err)
{
    wires w = { 0 };
    yoke_status status = read_all(r, node, scope, &w, err);

    if (status == YOKE_OK)
        status = yk_file_place_key(
            r, node, yk_wires_create(out, node->key, &w.to, err), err);
    wires_clear(&w);
    return status;
}

static const yk_key keys[] = {
    { "span", YK_KEY_NUMBER, true, "m",
      "distance of the supports; both ends are pinned" },
    { "nodes", YK_KEY_COUNT, true, "1", "points between the supports" },
    { "wires", YK_KEY_MAP, true, NULL,
      "density, bending stiffness, tension, damping of each" },
    { "droppers", YK_KEY_LIST, false, NULL,
      "springs between two wires, at one place or several" },
    { "contacts", YK_KEY_MAP, false, NULL, "points that move along a wire" },
    { NULL, YK_KEY_TEXT, false, NULL, NULL },
};

const yk_component yk_component_wires = {
    .source = "component",
    .name = "wires",
    .text = "beams under tension",
    .key = keys,
    .make = read,
};
