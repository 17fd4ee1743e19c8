/* cli/plot.h -- a picture that is being made. */
#ifndef YK_CLI_PLOT_H
#define YK_CLI_PLOT_H

#include "cli/cli.h"

enum { CLI_PLOT_FILES = 16, CLI_PLOT_CURVES = 64 };

typedef struct cli_picture {
    int files, curves;
    double from, to; /* part of the time that is shown; equal: all */
    yoke_table *table[CLI_PLOT_FILES];
    yoke_curve curve[CLI_PLOT_CURVES];
    char title[128]; /* if none was given */
    char label[CLI_PLOT_CURVES][128];
} cli_picture;

/* cli/plot_panels.c: columns that a person would choose, at most
 * CLI_PLOT_CURVES; returns how many. */
int cli_plot_usual(cli_picture *p, int file, const char *path, int *column);

/* Leaves out curves without a number, where others have some. */
void cli_plot_drop_empty(cli_picture *p);

/* Gives each curve its panel: by unit and size. */
void cli_plot_panels(cli_picture *p);

#endif
