/* cli/program.c -- the program `yoke`. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
    cli_begin(argv);
    return cli_main(argc, argv);
}
