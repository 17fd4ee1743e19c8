/* comp/netlist/system/calls.c -- what couplings read of a netlist. */
#include "comp/netlist/system/calls.h"
#include "base/quoted.h"

#include <ctype.h>
#include <string.h>

enum { CALL = 256, NAME = 512 };

/* Characters that end a path of names. */
static const char ends[] = " \t\r\n()[]{}+-*/^=<>,;:|&!?\"";

static bool same_name(const char *text, size_t length, const char *name)
{
    char given[NAME], plain[NAME];

    if (length >= NAME || strlen(name) >= NAME) return false;
    yk_unquote(given, text, length);
    yk_unquote(plain, name, strlen(name));
    return strcmp(given, plain) == 0;
}

/* A path that ends with .v or .i, of the netlist `name`, before a bracket. */
static bool is_call(const char *path, size_t length, const char *name)
{
    return length > 2 && path[length] == '(' && path[length - 2] == '.' &&
           (path[length - 1] == 'v' || path[length - 1] == 'i') &&
           same_name(path, length - 2, name);
}

static yoke_status find_in_text(const yk_yaml *node, const char *name,
                                yk_net_found *found, void *context,
                                yoke_err *err)
{
    char call[CALL];
    size_t length = 1;

    for (const char *at = node->text; *at; at += length) {
        length = 1;
        if (!isalnum((unsigned char)*at) && !strchr("_'.", *at)) continue;
        length = yk_quoted_span(at, ends);
        if (length == 0) length = 1;
        const char *end = strchr(at + length, ')');
        if (!end || !is_call(at, length, name)) continue;
        const char *from = at + length - 1;
        const size_t size = (size_t)(end - from) + 1;
        if (size >= sizeof call) continue;
        memcpy(call, from, size);
        call[size] = '\0';
        YK_TRY(found(context, node, (size_t)(at - node->text), call, err));
        length = (size_t)(end - at) + 1;
    }
    return YOKE_OK;
}

yoke_status yk_net_find_calls(const yk_yaml *node, const char *name,
                              yk_net_found *found, void *context, yoke_err *err)
{
    if (node->kind == YK_YAML_TEXT)
        return find_in_text(node, name, found, context, err);
    for (const yk_yaml *e = node->first; e; e = e->next)
        YK_TRY(yk_net_find_calls(e, name, found, context, err));
    return YOKE_OK;
}
