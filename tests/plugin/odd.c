/* tests/plugin/odd.c -- plug-ins that are none. */
#include <yoke/plugin.h>

#ifdef NO_ENTRY
extern int yoke_plugin_other;
int yoke_plugin_other = 1;
#else
static yoke_status create(yoke_plugin_request *request, yoke_plugin_system *out,
                          yoke_err *err)
{
    (void)request, (void)out, (void)err;
    return YOKE_OK;
}

YOKE_API extern const yoke_plugin yoke_plugin_entry;
const yoke_plugin yoke_plugin_entry = {
#ifdef OLD
    .version = YOKE_PLUGIN_VERSION + 6,
#else
    .version = YOKE_PLUGIN_VERSION,
#endif
#ifdef OTHER_HEADERS
    .ops_bytes = sizeof(yoke_system_ops) + 8,
#else
    .ops_bytes = sizeof(yoke_system_ops),
#endif
    .info_bytes = sizeof(yoke_system_info),
    .text = "odd",
    .create = create
};
#endif
