/* comp/netlist/read/read_fixture.h -- reads a text in tests. */
#ifndef YK_NETLIST_READ_FIXTURE_H
#define YK_NETLIST_READ_FIXTURE_H

#include "check.h"
#include "comp/netlist/netlist.h"

#include <string.h>

static inline yk_netlist *read_text(const char *text)
{
    yk_netlist *net = NULL;
    yoke_err err;

    CHECK_OK(yk_netlist_read(&net, "test.cir", text, strlen(text), &err), &err);
    return net;
}

static inline const yk_net_element *element(const yk_netlist *net,
                                            const char *name)
{
    const int e = yk_net_find_element(net, name);

    if (e < 0) fail_msg("no element %s", name);
    return &net->element[e];
}

static inline double param(const yk_net_element *e, const char *name)
{
    bool given;
    const double value = yk_net_value(e->param, e->params, name, 0.0, &given);

    if (!given) fail_msg("%s has no %s", e->name, name);
    return value;
}

static inline const char *node_of(const yk_netlist *net, const char *name,
                                  int k)
{
    const yk_net_element *e = element(net, name);

    assert_true(k < e->nodes);
    return net->node[e->node[k]];
}

#endif
