/* base/policy.c -- policy of the environment (base/policy.h); empty in builds
 * that are for use. */
#include "base/policy.h"

#include <stdlib.h>
#include <string.h>

#ifdef YOKE_POLICY_BENCH
double yk_policy(const char *name, double value)
{
    const char *text = getenv("YOKE_POLICY");
    const size_t length = strlen(name);

    while (text) {
        if (!strncmp(text, name, length) && text[length] == '=')
            return strtod(text + length + 1, NULL);
        text = strchr(text, ' ');
        if (text) text++;
    }
    return value;
}
#else
extern const int yk_policy_is_constant;
#endif
