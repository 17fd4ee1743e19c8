/* worker/main.c -- the program yoke-worker: runs one closed part.
 *
 * Started by yoke, with a socket and shared memory where part/part.h says. */
#include "comp/fmu/engine.h"
#include "comp/netlist/ngspice/engine.h"
#include "comp/program/engine.h"

#include <stdio.h>

static const yk_part_maker makers[] = { { "fmu", yk_fmu_make },
                                        { "ngspice", yk_ngspice_make },
                                        { "program", yk_program_make },
                                        { NULL, NULL } };

int main(void)
{
    if (!yk_part_is_worker()) {
        fputs("yoke-worker is started by yoke\n", stderr);
        return 2;
    }
    return yk_part_serve(YK_PART_SOCKET, YK_PART_MEMORY, makers);
}
