/* worker/main.c -- the program yoke-worker: runs one closed part.
 *
 * Started by yoke, with a socket and shared memory where part/part.h says. */
#include "comp/fmu/engine.h"

#include <stdio.h>
#include <sys/socket.h>

static const yk_part_maker makers[] = { { "fmu", yk_fmu_make },
                                        { NULL, NULL } };

int main(void)
{
    int type = 0;
    socklen_t size = sizeof type;

    if (getsockopt(YK_PART_SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
        fputs("yoke-worker is started by yoke\n", stderr);
        return 2;
    }
    return yk_part_serve(YK_PART_SOCKET, YK_PART_MEMORY, makers);
}
