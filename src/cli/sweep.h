/* cli/sweep.h -- the parts of yoke sweep. */
#ifndef YK_CLI_SWEEP_H
#define YK_CLI_SWEEP_H

#include "cli/cli.h"

#include <stdint.h>
#include <stdio.h>

enum {
    SWEEP_MOST_AXES = 16,
    SWEEP_MOST_ROWS = 1000000,
    SWEEP_UNIT = 32,
    SWEEP_MESSAGE = 1200, /* bytes of a message that are kept */
    SWEEP_NOTE = 2400     /* of what is not certified */
};

/* A parameter and its values: a list, or `count` from first to last, by a step
 * or, if `log`, by a factor. */
typedef struct sweep_axis {
    const char *text; /* as given; borrowed from argv */
    char name[200];
    char unit[SWEEP_UNIT]; /* "": none */
    double factor;         /* the unit in SI units; 0: none */
    double divisor;        /* above 0: 1/factor, a whole number */
    double first, last, step;
    int count; /* 0: a range, for random values only */
    bool log;
    double *list; /* NULL: none; owned */
} sweep_axis;

typedef struct sweep {
    int axes;
    sweep_axis axis[SWEEP_MOST_AXES];
    bool random;
    long seed;
    int rows;
    char title[128]; /* of the system; "": none */
    int measures;
    char **measure; /* names; owned, as the next four */
    double *value;  /* row by row; NAN: none */
    char **message; /* of each row: why it failed; NULL: it did not */
    char **note;    /* of each row: what is not certified; NULL: nothing */
    bool *done;
    int finished, failed, noted;
} sweep;

/* sweep_axes.c: "motor.R=1:0.1:5", "load.J=log(1e-4,1e-2,20)", lin(a,b,n), a
 * list "1,2,5", with --random also a range "1:5"; CLI_OK, or a message. */
int sweep_read_axis(sweep *s, const char *text);
/* After the last: how many rows; `random`: 0 for the grid. */
int sweep_count_rows(sweep *s, int random);
/* In SI units, after sweep_find_units. */
double sweep_value(const sweep *s, int row, int axis);
int sweep_find_units(sweep *s, const yoke_file *file);
/* "motor.R=1.5 Ohm" as a setting. */
void sweep_setting(const sweep *s, int row, int axis, char *text, size_t room);

int sweep_create(sweep *s, int measures);
void sweep_clear(sweep *s);

/* A row is finished; message NULL: it did not fail; note NULL: nothing is left
 * uncertified. */
void sweep_finish(sweep *s, int row, const double *value, const char *message,
                  const char *note);

/* sweep_journal.c: finished rows on disk, so that an interrupted sweep can go
 * on.  Opens or creates the file of a sweep with this identity and reads the
 * rows that are finished; -1: a message was printed. */
int sweep_journal_open(sweep *s, const char *path, uint64_t identity,
                       bool restart);
int sweep_journal_add(const sweep *s, int journal, int row, const char *path);

/* sweep_table.c: the table, the messages about it, and the picture. */
int sweep_write_table(const sweep *s, const char *path);
void sweep_print(const sweep *s, const char *path);
void sweep_json(const sweep *s, const char *path);
/* Closes what was written, if it could be opened. */
int sweep_close(FILE *out, const char *path);
int sweep_picture(const sweep *s, const char *path);

/* sweep_map.c: two parameters on a grid, a colour for each run; .svg. */
int sweep_map(const sweep *s, const char *path);

#endif
