/* cli/live.c -- what the page of a running run shows.
 *
 * Rows.  A window adds the values at its end, and inside it where it is longer
 * than a thousandth of the run.  When there is no room left, each group of four
 * rows becomes two, with the least and the largest value of each column in their
 * order; from then on so many rows are collected before two are kept.  So peaks
 * stay, and all of the run is shown with the same density.
 *
 * One lock guards everything.  A reader copies under it and writes its text
 * afterwards, so the run waits for a copy of some megabytes at most.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/live.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    COLUMNS = 60,    /* variables */
    ROWS = 2400,     /* of each; a multiple of four */
    INNER = 1000,    /* points of a run that is one window */
    SWEEPS = 4000,   /* lines of the log */
    SWEEP_WIDTH = 9, /* columns of it */
    PARTS = 200,     /* subsystems */
    WORK_WIDTH = 8,
    NOTES = 64
};

/* The counts of subsystems are looked at so often, in seconds. */
static const double often = 0.2;

/* What a reader copies.  Arrays belong to the object of the run or to the copy
 * of a reader. */
typedef struct facts {
    cli_live_state state;
    double start, stop, t, seconds, ago;
    int windows;
    long sweeps;
    int rows, log_rows, log_every, parts, notes;
    double *row; /* ROWS by 1 + columns */
    double *log; /* SWEEPS by SWEEP_WIDTH */
    double work[PARTS][WORK_WIDTH];
    char *note[2 * NOTES]; /* names and texts */
} facts;

struct cli_live {
    pthread_mutex_t lock;
    char *title;
    int columns, variables; /* shown; there are */
    int *which;             /* of the variables each is */
    char **name;
    char **unit;         /* "" if none is known */
    double began, told;  /* by the clock: the run, the last window */
    double looked;       /* when work was looked at */
    double inside;       /* length of time between two rows */
    double *values;      /* of all variables */
    double *pending;     /* least, largest, then the place of each */
    int waiting, stride; /* rows that are collected; how many make a pair */
    int steps;           /* of the ladder that are notes */
    facts f;
};

/* ---- notes --------------------------------------------------------------- */

/* Without memory a note is left out. */
static void set_note(facts *f, const char *name, const char *text)
{
    int k = 0;

    while (k < f->notes && strcmp(f->note[2 * k], name) != 0) k++;
    if (k == NOTES) return;
    char *copy = strdup(text);
    if (k == f->notes) {
        char *named = strdup(name);
        if (!named || !copy) {
            free(named);
            free(copy);
            return;
        }
        f->note[2 * k] = named;
        f->notes++;
    } else {
        free(f->note[2 * k + 1]);
    }
    f->note[2 * k + 1] = copy;
}

static yoke_status take_note(void *context, const char *name, const char *text,
                             yoke_err *err)
{
    (void)err;
    if (strcmp(name, "profiles") != 0)
        set_note(&((cli_live *)context)->f, name, text);
    return YOKE_OK;
}

/* "left.x\tm\n": the unit of a column. */
static const char *find_unit(const facts *f, const char *name, size_t *length)
{
    const size_t size = strlen(name);

    *length = 0;
    for (int k = 0; k < f->notes; k++) {
        if (strcmp(f->note[2 * k], "units") != 0) continue;
        for (const char *line = f->note[2 * k + 1]; line && *line;) {
            const char *end = strchr(line, '\n');
            const size_t whole = end ? (size_t)(end - line) : strlen(line);
            if (whole > size && strncmp(line, name, size) == 0 &&
                line[size] == '\t') {
                *length = whole - size - 1;
                return line + size + 1;
            }
            line = end ? end + 1 : NULL;
        }
    }
    return "";
}

/* ---- creation ------------------------------------------------------------ */

/* As many of each subsystem as there is room for, in turns. */
static void choose(cli_live *l, const char *const *name)
{
    bool *taken = calloc((size_t)l->variables + 1, sizeof *taken);
    int count = 0;

    for (int turn = 0; taken && count < l->columns; turn++) {
        size_t owner = 0;
        int nth = 0;
        const char *last = "";
        for (int k = 0; k < l->variables && count < l->columns; k++) {
            const size_t dot = strcspn(name[k], ".");
            const bool same = dot == owner && strncmp(name[k], last, dot) == 0;
            nth = same ? nth + 1 : 0;
            owner = dot;
            last = name[k];
            if (nth == turn) {
                taken[k] = true;
                count++;
            }
        }
    }
    count = 0;
    for (int k = 0; k < l->variables && count < l->columns; k++)
        if (!taken || taken[k]) l->which[count++] = k;
    l->columns = count;
    free(taken);
}

static bool name_columns(cli_live *l, const char *const *name)
{
    for (int k = 0; k < l->columns; k++) {
        size_t length = 0;
        const char *unit = find_unit(&l->f, name[l->which[k]], &length);
        l->name[k] = strdup(name[l->which[k]]);
        l->unit[k] = strndup(unit, length);
        if (!l->name[k] || !l->unit[k]) return false;
    }
    return true;
}

static bool make_room(cli_live *l)
{
    const size_t columns = (size_t)l->columns + 1;

    l->which = calloc(columns, sizeof *l->which);
    l->name = calloc(columns, sizeof *l->name);
    l->unit = calloc(columns, sizeof *l->unit);
    l->values = calloc((size_t)l->variables + 1, sizeof *l->values);
    l->pending = calloc(4 * columns, sizeof *l->pending);
    l->f.row = calloc(ROWS * columns, sizeof *l->f.row);
    l->f.log = calloc((size_t)SWEEPS * SWEEP_WIDTH, sizeof *l->f.log);
    return l->which && l->name && l->unit && l->values && l->pending &&
           l->f.row && l->f.log;
}

static void add_row(cli_live *l, double t, const double *value);

cli_live *cli_live_create(const yoke_run *run, const char *title, double stop)
{
    const char *const *name = NULL;
    const double *value = NULL;
    const yoke_sink sink = { .note = take_note };
    yoke_sink to = sink;
    cli_live *l = calloc(1, sizeof *l);

    if (!l) return NULL;
    pthread_mutex_init(&l->lock, NULL);
    l->variables = yoke_run_variables(run, &name, &value);
    l->columns = l->variables < COLUMNS ? l->variables : COLUMNS;
    l->stride = 1;
    l->f.log_every = 1;
    l->f.start = l->f.t = yoke_run_time(run);
    l->f.stop = stop;
    l->inside = (stop - l->f.start) / INNER;
    l->began = l->told = cli_clock();
    l->title = strdup(title ? title : "A run");
    to.context = l;
    yoke_run_describe(run, &to, NULL);
    if (!l->title || !make_room(l)) {
        cli_live_free(l);
        return NULL;
    }
    choose(l, name);
    if (!name_columns(l, name)) {
        cli_live_free(l);
        return NULL;
    }
    add_row(l, l->f.start, value);
    return l;
}

static void clear_facts(facts *f)
{
    for (int k = 0; k < 2 * f->notes; k++) free(f->note[k]);
    free(f->row);
    free(f->log);
}

void cli_live_free(cli_live *l)
{
    if (!l) return;
    for (int k = 0; l->name && k < l->columns; k++) free(l->name[k]);
    for (int k = 0; l->unit && k < l->columns; k++) free(l->unit[k]);
    free(l->name);
    free(l->unit);
    free(l->which);
    free(l->values);
    free(l->pending);
    free(l->title);
    clear_facts(&l->f);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

/* ---- rows ---------------------------------------------------------------- */

static void put_pair(double *two, int width, int column, double low,
                     double high, bool falls)
{
    two[column] = falls ? high : low;
    two[width + column] = falls ? low : high;
}

/* Four rows become two. */
static void halve(cli_live *l)
{
    const int width = 1 + l->columns;

    for (int g = 0; g < ROWS / 4; g++) {
        const double *four = &l->f.row[(size_t)(4 * g) * (size_t)width];
        double *two = &l->f.row[(size_t)(2 * g) * (size_t)width];
        const double first = four[0], last = four[3 * width];
        for (int j = 1; j < width; j++) {
            double low = four[j], high = four[j];
            int low_at = 0, high_at = 0;
            for (int k = 1; k < 4; k++) {
                const double v = four[k * width + j];
                if (v < low) low = v, low_at = k;
                if (v > high) high = v, high_at = k;
            }
            put_pair(two, width, j, low, high, high_at < low_at);
        }
        two[0] = first;
        two[width] = last;
    }
    l->f.rows = ROWS / 2;
}

static double *new_row(cli_live *l)
{
    if (l->f.rows == ROWS) {
        halve(l);
        l->stride = l->stride == 1 ? 4 : 2 * l->stride;
    }
    return &l->f.row[(size_t)l->f.rows++ * (size_t)(1 + l->columns)];
}

/* Least, largest, and in which row each was. */
static void collect(cli_live *l, double t, const double *value)
{
    const int width = 1 + l->columns;
    double *low = l->pending, *high = low + width;
    double *low_at = high + width, *high_at = low_at + width;

    if (l->waiting == 0) low[0] = t;
    high[0] = t;
    for (int j = 1; j < width; j++) {
        const double v = value[l->which[j - 1]];
        if (l->waiting == 0 || v < low[j]) low[j] = v, low_at[j] = l->waiting;
        if (l->waiting == 0 || v > high[j])
            high[j] = v, high_at[j] = l->waiting;
    }
    if (++l->waiting < l->stride) return;
    l->waiting = 0;
    new_row(l);
    double *two = new_row(l) - width;
    for (int j = 1; j < width; j++)
        put_pair(two, width, j, low[j], high[j], high_at[j] < low_at[j]);
    two[0] = low[0];
    two[width] = high[0];
}

/* A run that begins again shows itself from there. */
static void add_row(cli_live *l, double t, const double *value)
{
    if (l->f.rows > 0 && t < l->f.t) {
        l->f.rows = l->f.log_rows = l->waiting = 0;
        l->stride = l->f.log_every = 1;
    }
    l->f.t = t;
    if (l->stride > 1) {
        collect(l, t, value);
        return;
    }
    double *row = new_row(l);
    if (l->stride > 1) { /* there was no room: this one is the first of many */
        l->f.rows--;
        collect(l, t, value);
        return;
    }
    row[0] = t;
    for (int j = 0; j < l->columns; j++) row[1 + j] = value[l->which[j]];
}

/* The values inside a long window, then those at its end. */
static void add_window(cli_live *l, yoke_run *run, double t)
{
    const double *value = NULL, t0 = l->f.t;
    const double parts = l->inside > 0.0 ? (t - t0) / l->inside : 0.0;
    const int inner = parts > INNER ? INNER : (int)parts;

    for (int k = 1; k < inner; k++) {
        const double at = t0 + (t - t0) * k / inner;
        yoke_run_at(run, at, l->values);
        pthread_mutex_lock(&l->lock);
        add_row(l, at, l->values);
        pthread_mutex_unlock(&l->lock);
    }
    yoke_run_variables(run, NULL, &value);
    pthread_mutex_lock(&l->lock);
    add_row(l, t, value);
    pthread_mutex_unlock(&l->lock);
}

/* ---- counts -------------------------------------------------------------- */

static void look_at_work(cli_live *l, const yoke_run *run)
{
    yoke_work w;
    int i = 0;

    for (; i < PARTS && yoke_run_work(run, i, NULL, &w); i++) {
        const double row[WORK_WIDTH] = {
            i,
            (double)w.sweeps,
            (double)w.steps,
            (double)w.rejected,
            (double)w.residuals,
            (double)w.jacobians,
            (double)w.factorizations,
            w.seconds,
        };
        memcpy(l->f.work[i], row, sizeof row);
    }
    l->f.parts = i;
}

/* What the run has decided since. */
static void look_at_steps(cli_live *l, const yoke_run *run)
{
    yoke_sink to = { .note = take_note, .context = l };
    yoke_ladder_step s;
    const int before = l->steps;

    for (; l->steps < NOTES / 2 && yoke_run_step(run, l->steps, &s);
         l->steps++) {
        char name[32], text[1200];
        snprintf(name, sizeof name, "ladder %d", l->steps + 1);
        snprintf(text, sizeof text, "%s\t%.9g\t%s", s.rung, s.t, s.text);
        set_note(&l->f, name, text);
    }
    if (l->steps > before) yoke_run_describe(run, &to, NULL);
}

void cli_live_window(cli_live *l, yoke_run *run, double t,
                     const yoke_iterate_result *so_far)
{
    const double time = cli_clock();

    add_window(l, run, t);
    pthread_mutex_lock(&l->lock);
    l->f.windows = so_far->windows;
    l->f.sweeps = so_far->sweeps;
    l->told = time;
    look_at_steps(l, run);
    if (time - l->looked > often) {
        l->looked = time;
        look_at_work(l, run);
    }
    pthread_mutex_unlock(&l->lock);
}

/* Every second of the windows in the log goes. */
static void thin_log(facts *f)
{
    int kept = 0;

    f->log_every *= 2;
    for (int i = 0; i < f->log_rows; i++) {
        const double *row = &f->log[(size_t)i * SWEEP_WIDTH];
        if (fmod(row[0] - 1.0, f->log_every) != 0.0) continue;
        memmove(&f->log[(size_t)kept++ * SWEEP_WIDTH], row,
                SWEEP_WIDTH * sizeof *row);
    }
    f->log_rows = kept < SWEEPS ? kept : 0; /* one window that never ends */
}

void cli_live_sweep(cli_live *l, const yoke_sweep *s)
{
    const double row[SWEEP_WIDTH] = {
        s->window, s->sweep,    s->t0,     s->t1,       s->change,
        s->rate,   s->estimate, s->solved, s->accepted,
    };

    pthread_mutex_lock(&l->lock);
    facts *f = &l->f;
    if (f->log_rows == SWEEPS) thin_log(f);
    if ((s->window - 1) % f->log_every == 0)
        memcpy(&f->log[(size_t)f->log_rows++ * SWEEP_WIDTH], row, sizeof row);
    pthread_mutex_unlock(&l->lock);
}

void cli_live_end(cli_live *l, const yoke_run *run, cli_live_state state,
                  const char *text)
{
    pthread_mutex_lock(&l->lock);
    l->told = cli_clock();
    look_at_work(l, run);
    look_at_steps(l, run);
    set_note(&l->f, state == CLI_LIVE_FAILED ? "error" : "summary", text);
    if (state == CLI_LIVE_ENDED) set_note(&l->f, "converged", "yes");
    l->f.seconds = l->told - l->began;
    l->f.state = state;
    pthread_mutex_unlock(&l->lock);
}

/* ---- JSON ---------------------------------------------------------------- */

static bool copy_array(double **out, const double *from, size_t count)
{
    *out = malloc((count + 1) * sizeof **out);
    if (*out) memcpy(*out, from, count * sizeof **out);
    return *out != NULL;
}

/* The caller clears it in any case. */
static bool copy_facts(cli_live *l, facts *out)
{
    const size_t width = (size_t)l->columns + 1;

    pthread_mutex_lock(&l->lock);
    *out = l->f;
    out->notes = 0;
    out->row = out->log = NULL;
    bool fine =
        copy_array(&out->row, l->f.row, (size_t)l->f.rows * width) &&
        copy_array(&out->log, l->f.log, (size_t)l->f.log_rows * SWEEP_WIDTH);
    for (int k = 0; fine && k < l->f.notes; k++)
        if (l->f.note[2 * k + 1])
            set_note(out, l->f.note[2 * k], l->f.note[2 * k + 1]);
    if (out->state == CLI_LIVE_RUNS) out->seconds = cli_clock() - l->began;
    out->ago = cli_clock() - l->told;
    pthread_mutex_unlock(&l->lock);
    return fine;
}

/* Nothing that ends a script or is no text of JSON. */
static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p < 0x20 || *p == 0x7F || strchr("\"\\<>&", *p))
            fprintf(out, "\\u%04x", *p);
        else
            fputc(*p, out);
    fputc('"', out);
}

static void put_number(FILE *out, double value, int digits)
{
    if (isfinite(value))
        fprintf(out, "%.*g", digits, value);
    else
        fputs("null", out);
}

/* The transpose of rows: one array for each column. */
static void put_columns(FILE *out, const double *row, int rows, int width)
{
    fputs("\"data\":[", out);
    for (int j = 0; j < width; j++) {
        fputs(j ? ",\n[" : "[", out);
        for (int i = 0; i < rows; i++) {
            if (i) fputc(',', out);
            put_number(out, row[(size_t)i * (size_t)width + (size_t)j],
                       j ? 7 : 12);
        }
        fputc(']', out);
    }
    fputc(']', out);
}

static void put_names(FILE *out, const char *key, const char *first, int count,
                      char *const *name)
{
    fprintf(out, "\"%s\":[", key);
    put_text(out, first);
    for (int k = 0; k < count; k++) {
        fputc(',', out);
        put_text(out, name[k]);
    }
    fputs("],", out);
}

static void put_result(FILE *out, const cli_live *l, const facts *f)
{
    fprintf(out, "\"result\":{\"rows\":%d,\"cols\":%d,\"every\":1,", f->rows,
            l->variables + 1);
    put_names(out, "names", "time", l->columns, l->name);
    put_names(out, "units", "s", l->columns, l->unit);
    fputs("\"along\":[],", out);
    put_columns(out, f->row, f->rows, l->columns + 1);
    fputs("},\n", out);
}

static void put_tables(FILE *out, const facts *f)
{
    fprintf(out,
            "\"coupling\":{\"rows\":%d,\"cols\":%d,\"every\":%d,\"names\":["
            "\"window\",\"sweep\",\"t0\",\"t1\",\"change\",\"rate\","
            "\"estimate\",\"solved\",\"accepted\"],\"units\":[],\"along\":[],",
            f->log_rows, SWEEP_WIDTH, f->log_every);
    put_columns(out, f->log, f->log_rows, SWEEP_WIDTH);
    fprintf(out,
            "},\n\"work\":{\"rows\":%d,\"cols\":%d,\"every\":1,\"names\":["
            "\"subsystem\",\"sweeps\",\"steps\",\"rejected\",\"residuals\","
            "\"jacobians\",\"factorizations\",\"seconds\"],\"units\":[],"
            "\"along\":[],",
            f->parts, WORK_WIDTH);
    put_columns(out, f->work[0], f->parts, WORK_WIDTH);
    fputs("},\n", out);
}

static void put_live(FILE *out, const facts *f)
{
    static const char *const state[] = { "runs", "ended", "failed" };
    const double part =
        f->stop > f->start ? (f->t - f->start) / (f->stop - f->start) : 1.0;

    fprintf(out, "\"live\":{\"state\":\"%s\"", state[f->state]);
    const struct {
        const char *name;
        double value;
    } entry[] = {
        { "t", f->t },
        { "start", f->start },
        { "stop", f->stop },
        { "part", part },
        { "seconds", f->seconds },
        { "ago", f->ago },
        { "left", part > 0.0 ? f->seconds * (1.0 - part) / part : NAN },
        { "windows", f->windows },
        { "sweeps", (double)f->sweeps },
    };
    for (size_t k = 0; k < sizeof entry / sizeof *entry; k++) {
        fprintf(out, ",\"%s\":", entry[k].name);
        put_number(out, entry[k].value, 12);
    }
    fputs("}", out);
}

static void put_notes(FILE *out, const facts *f)
{
    fputs("\"notes\":{", out);
    for (int k = 0; k < f->notes; k++) {
        if (k) fputs(",\n", out);
        put_text(out, f->note[2 * k]);
        fputc(':', out);
        put_text(out, f->note[2 * k + 1]);
    }
    fputs("},\n", out);
}

char *cli_live_json(cli_live *l, size_t *length)
{
    char *text = NULL;
    facts *f = calloc(1, sizeof *f);
    FILE *out = f && copy_facts(l, f) ? open_memstream(&text, length) : NULL;

    if (out) {
        fputs("{\"title\":", out);
        put_text(out, l->title);
        fputs(",\"file\":\"\",\"program\":", out);
        put_text(out, yoke_version());
        fputs(",\"absent\":{},\"profiles\":null,\n", out);
        put_notes(out, f);
        put_result(out, l, f);
        put_tables(out, f);
        put_live(out, f);
        fputs("}\n", out);
        const bool failed = ferror(out) != 0;
        if (fclose(out) != 0 || failed) {
            free(text);
            text = NULL;
        }
    }
    if (f) clear_facts(f);
    free(f);
    return text;
}

static const char *put_until(FILE *out, const char *page, const char *mark)
{
    const char *at = page ? strstr(page, mark) : NULL;

    if (!at) return NULL;
    fwrite(page, 1, (size_t)(at - page), out);
    return at + strlen(mark);
}

static void put_html(FILE *out, const char *text)
{
    for (; *text; text++)
        if (strchr("<>&\"'", *text))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
}

char *cli_live_page(cli_live *l, size_t *length)
{
    size_t size = 0;
    char *page = NULL, *json = cli_live_json(l, &size);
    FILE *out = json ? open_memstream(&page, length) : NULL;
    const char *rest = yoke_report_template();

    if (out) {
        for (int k = 0; k < 2; k++) {
            rest = put_until(out, rest, "@YOKE_TITLE@");
            put_html(out, l->title);
        }
        rest = put_until(out, rest, "@YOKE_PICTURES@");
        rest = put_until(out, rest, "@YOKE_SHAPES@");
        rest = put_until(out, rest, "@YOKE_DATA@");
        fwrite(json, 1, size, out);
        if (rest) fputs(rest, out);
        const bool failed = !rest || ferror(out) != 0;
        if (fclose(out) != 0 || failed) {
            free(page);
            page = NULL;
        }
    }
    free(json);
    return page;
}
