/* yoke/plugin.h -- a subsystem in a shared library of your own.
 *
 * In a system file:  oscillator: {component: ./mine.so, parameters: {mu: 5}}
 *
 * The library fills what yoke_system_create needs and exports one symbol, which
 * the macro at the end defines.  It links nothing of Yoke:
 *
 *     cc -O2 -shared -fPIC -I PREFIX/include mine.c -o mine.so
 *
 * It runs in the process of yoke: a fault in it is a fault of the run.  A
 * subsystem that is not trusted that far is a program (yoke/program.h).
 */
#ifndef YOKE_PLUGIN_H
#define YOKE_PLUGIN_H

#include "yoke/system.h"

#include <math.h>
#include <string.h>

YOKE_BEGIN_C

/* Changes when a structure does; a library of another version is refused. */
#define YOKE_PLUGIN_VERSION 1

/* A parameter of the system file.  One that nobody has asked for is refused
 * when `create` returns. */
typedef struct yoke_plugin_parameter {
    const char *name, *text;
    double value; /* in SI units; NAN: a text in quotes */
    bool asked;
} yoke_plugin_parameter;

typedef struct yoke_plugin_request {
    const char *name;   /* of the subsystem */
    const char *folder; /* of the system file, with a slash, or "" */
    int parameters;
    yoke_plugin_parameter *parameter;
} yoke_plugin_request;

/* The arguments of yoke_system_create: `self` is taken, `info` is copied with
 * its arrays as soon as `create` has returned, `ops` and the optional
 * interfaces are borrowed. */
typedef struct yoke_plugin_system {
    const yoke_system_ops *ops;
    void *self;
    yoke_system_info info;
} yoke_plugin_system;

typedef struct yoke_plugin {
    int version;                  /* YOKE_PLUGIN_VERSION */
    size_t ops_bytes, info_bytes; /* of the structures it was compiled with */
    const char *text;             /* what it is, in a few words */

    /* *out comes zeroed.  On failure nothing of it is taken; the message may be
     * written into err->text. */
    yoke_status (*create)(yoke_plugin_request *request, yoke_plugin_system *out,
                          yoke_err *err);
} yoke_plugin;

/* The value of a parameter, or `preset` where the file has none. */
static inline double yoke_plugin_number(yoke_plugin_request *request,
                                        const char *name, double preset)
{
    for (int i = 0; i < request->parameters; i++)
        if (strcmp(request->parameter[i].name, name) == 0) {
            request->parameter[i].asked = true;
            return request->parameter[i].value;
        }
    return preset;
}

static inline const char *yoke_plugin_text(yoke_plugin_request *request,
                                           const char *name, const char *preset)
{
    for (int i = 0; i < request->parameters; i++)
        if (strcmp(request->parameter[i].name, name) == 0) {
            request->parameter[i].asked = true;
            return request->parameter[i].text;
        }
    return preset;
}

YOKE_END_C

/* YOKE_PLUGIN("an oscillator", create); */
#ifdef __cplusplus
#define YOKE_PLUGIN_LINKAGE extern "C"
#else
#define YOKE_PLUGIN_LINKAGE
#endif
#define YOKE_PLUGIN(words, function)                                           \
    YOKE_PLUGIN_LINKAGE YOKE_API extern const yoke_plugin yoke_plugin_entry;   \
    const yoke_plugin yoke_plugin_entry = { YOKE_PLUGIN_VERSION,               \
                                            sizeof(yoke_system_ops),           \
                                            sizeof(yoke_system_info), words,   \
                                            function }

#endif
