/* record/journal.c -- what a result file says about its run.
 *
 * Tables
 *     work      at the end of the run: one row per cluster, in the order of the
 *               note `clusters`
 *     steps     time, and how many steps each subsystem has made by then, at
 *               about 400 times
 *     iterates  on request: window, sweep, time and the coupling variables at
 *               equidistant times of the window; sweep 0 is the first guess.  A
 *               repeated window is there twice, its sweeps from 0
 *
 * Notes, whose lines have fields separated by tabs
 *     options     name, value, default, meaning
 *     subsystems  name, cluster (from 0), unknowns, inputs, outputs, method
 *     signals     output, input, weight
 *     clusters    name: a subsystem with the constraints that it owns
 *     together 1, together 2, ...  what is solved together, from when on: time,
 *                 the cluster of each subsystem
 *     ladder 1, ladder 2, ...  what the run decided by itself: rung, time, text
 *     remarks     subsystem, time since when, text
 *     profiles    variables along a coordinate: docs/manual/results.md
 *     summary, converged, seconds, error, predicted_rate, overhead
 */
#define _POSIX_C_SOURCE 200809L
#include "base/names.h"
#include "io/text.h"
#include "record/record.h"
#include "sys/call.h"
#include "yoke/version.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

enum { SAMPLES = 41, ITERATE_COLUMNS = 3, MOST_ITERATES = 200 };
enum { WORK_COLUMNS = 10, MOST_LINES = 5000 };
enum { STEP_TIMES = 400, MOST_COUNTED = 60, MOST_GROUPED = 150 };

/* ---- notes -------------------------------------------------------------- */

/* A field and what follows it; a tab or line end inside becomes a space. */
static yoke_status put_field(yk_text *text, const char *field, const char *end,
                             yoke_err *err)
{
    const size_t first = text->length;

    YK_TRY(yk_text_put(text, field, err));
    for (size_t k = first; k < text->length; k++)
        if (iscntrl((unsigned char)text->at[k])) text->at[k] = ' ';
    return yk_text_put(text, end, err);
}

static yoke_status put_count(yk_text *text, int value, yoke_err *err)
{
    char field[32];

    snprintf(field, sizeof field, "%d", value);
    return put_field(text, field, "\t", err);
}

static yoke_status list_options(const yk_record *r, yk_text *text,
                                yoke_err *err)
{
    char scratch[64];
    yoke_option_text o;

    for (int i = 0; yoke_run_list(i, &o); i++) {
        YK_TRY(put_field(text, o.name, "\t", err));
        YK_TRY(
            put_field(text, yoke_run_get(r->options, i, scratch), "\t", err));
        YK_TRY(put_field(text, o.preset, "\t", err));
        YK_TRY(put_field(text, o.text, "\n", err));
    }
    return YOKE_OK;
}

static yoke_status list_subsystems(const yk_record *r, yk_text *text,
                                   yoke_err *err)
{
    const int nodes = yoke_graph_count(r->graph);

    for (int i = 0; i < nodes && i < MOST_LINES; i++) {
        const yoke_system *s = yoke_graph_system(r->graph, i);
        const yoke_system_info *f = yoke_system_facts(s);
        const yoke_stepper_options *o = yk_model_stepper(r->model, i);
        YK_TRY(put_field(text, yoke_system_name(s), "\t", err));
        YK_TRY(put_count(text, r->tally->alone->cluster[i], err));
        YK_TRY(put_count(text, f->n, err));
        YK_TRY(put_count(text, f->m, err));
        YK_TRY(put_count(text, f->p, err));
        YK_TRY(put_field(text,
                         f->closed ? "closed"
                         : o       ? o->method
                                   : "",
                         "\n", err));
    }
    return YOKE_OK;
}

static yoke_status put_port(yk_text *text, const yoke_system *s,
                            const char *port, yoke_err *err)
{
    YK_TRY(put_field(text, yoke_system_name(s), ".", err));
    return put_field(text, port, "\t", err);
}

static yoke_status list_signals(const yk_record *r, yk_text *text,
                                yoke_err *err)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(r->graph, &link);
    char weight[32];

    for (int k = 0; k < links && k < MOST_LINES; k++) {
        const yoke_system *from = yoke_graph_system(r->graph, link[k].from);
        const yoke_system *to = yoke_graph_system(r->graph, link[k].to);
        const char *output = yoke_system_facts(from)->y_name[link[k].output];
        const char *input = yoke_system_facts(to)->u_name[link[k].input];
        snprintf(weight, sizeof weight, "%.12g", link[k].weight);
        YK_TRY(put_port(text, from, output, err));
        YK_TRY(put_port(text, to, input, err));
        YK_TRY(put_field(text, weight, "\n", err));
    }
    return YOKE_OK;
}

static yoke_status list_clusters(const yk_record *r, yk_text *text,
                                 yoke_err *err)
{
    for (int i = 0; i < r->tally->bases; i++)
        YK_TRY(put_field(text, r->tally->base[i].name, "\n", err));
    return YOKE_OK;
}

/* ---- profiles ------------------------------------------------------------ */

/* The name of a variable in the result; "" if it is not recorded. */
static yoke_status recorded_name(const yk_names *known, const yoke_system *s,
                                 const char *variable, yk_text *scratch,
                                 yoke_err *err)
{
    scratch->length = 0;
    YK_TRY(yk_text_put(scratch, "", err));
    if (!variable) return YOKE_OK;
    YK_TRY(yk_text_put(scratch, yoke_system_name(s), err));
    YK_TRY(yk_text_put(scratch, ".", err));
    YK_TRY(yk_text_put(scratch, variable, err));
    if (yk_names_find(known, scratch->at) >= 0) return YOKE_OK;
    scratch->length = 0;
    return yk_text_put(scratch, "", err);
}

static yoke_status put_real(yk_text *text, double value, yoke_err *err)
{
    char field[YK_NUMBER_SIZE];

    yk_number_write(field, value);
    return put_field(text, field, "\t", err);
}

static yoke_status put_profile_name(yk_text *text, const yoke_system *s,
                                    const char *name, const char *end,
                                    yoke_err *err)
{
    YK_TRY(put_field(text, yoke_system_name(s), ".", err));
    return put_field(text, name, end, err);
}

/* Points whose variable is not recorded are left out; *points is how many are
 * not. */
static yoke_status put_points(yk_text *text, const yk_names *known,
                              const yoke_system *s, const yoke_profile *p,
                              yk_text *scratch, int *points, yoke_err *err)
{
    for (int i = 0; i < p->points; i++) {
        YK_TRY(recorded_name(known, s, p->variable[i], scratch, err));
        if (p->variable[i] && scratch->length == 0) continue;
        *points += scratch->length > 0;
        YK_TRY(put_field(text, "point", "\t", err));
        YK_TRY(put_real(text, p->at[i], err));
        YK_TRY(put_field(text, scratch->at, "\n", err));
    }
    return YOKE_OK;
}

static yoke_status put_rest(yk_text *text, const yk_names *known,
                            const yoke_system *s, const yoke_profile *p,
                            yk_text *scratch, yoke_err *err)
{
    for (int i = 0; i < p->marks; i++) {
        const yoke_mark *m = &p->mark[i];
        YK_TRY(recorded_name(known, s, m->variable, scratch, err));
        if (m->variable && scratch->length == 0) continue;
        YK_TRY(put_field(text, "mark", "\t", err));
        YK_TRY(put_field(text, m->name, "\t", err));
        YK_TRY(put_real(text, m->at, err));
        YK_TRY(put_real(text, m->speed, err));
        YK_TRY(put_field(text, scratch->at, "\n", err));
    }
    for (int i = 0; i < p->ties; i++) {
        YK_TRY(put_field(text, "tie", "\t", err));
        YK_TRY(put_real(text, p->tie[i].at, err));
        YK_TRY(put_profile_name(text, s, p->tie[i].to, "\n", err));
    }
    return YOKE_OK;
}

/* A profile with less than two recorded points is no profile. */
static yoke_status put_profile(yk_text *text, const yk_names *known,
                               const yoke_system *s, const yoke_profile *p,
                               yk_text *scratch, yoke_err *err)
{
    const size_t before = text->length;
    int points = 0;

    YK_TRY(put_field(text, "profile", "\t", err));
    YK_TRY(put_profile_name(text, s, p->name, "\t", err));
    YK_TRY(put_field(text, p->label, "\t", err));
    YK_TRY(put_field(text, p->unit, "\t", err));
    YK_TRY(put_field(text, p->along, "\t", err));
    YK_TRY(put_field(text, p->along_unit, "\n", err));
    YK_TRY(put_points(text, known, s, p, scratch, &points, err));
    YK_TRY(put_rest(text, known, s, p, scratch, err));
    if (points >= 2) return YOKE_OK;
    text->length = before;
    text->at[before] = '\0';
    return YOKE_OK;
}

static yoke_status list_profiles(const yk_record *r, yk_text *text,
                                 yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_names known = { 0 };
    yk_text scratch = { NULL, 0, 0 };
    const yoke_profile *p = NULL;

    for (int k = 0; k < r->columns; k++)
        YK_GO(yk_names_add(&known, r->name[k], k, err));
    for (int i = 0; i < yoke_graph_count(r->graph); i++) {
        const yoke_system *s = yoke_graph_system(r->graph, i);
        const int count = yk_system_profiles(s, &p);
        for (int k = 0; k < count; k++)
            YK_GO(put_profile(text, &known, s, &p[k], &scratch, err));
    }
done:
    yk_text_clear(&scratch);
    yk_names_clear(&known);
    return status;
}

/* Of those that have one; CSV files need not have another place for them. */
static yoke_status list_units(const yk_record *r, yk_text *text, yoke_err *err)
{
    for (int k = 0; k < r->shows; k++) {
        if (!r->shown[k].unit[0]) continue;
        YK_TRY(put_field(text, r->shown[k].name, "\t", err));
        YK_TRY(put_field(text, r->shown[k].unit, "\n", err));
    }
    return YOKE_OK;
}

static yoke_status list_remarks(const yk_record *r, yk_text *text,
                                yoke_err *err)
{
    for (int i = 0; i < r->remarks; i++) {
        const yk_record_noted *n = &r->remark[i];
        YK_TRY(put_field(text,
                         yoke_system_name(yoke_graph_system(r->graph, n->node)),
                         "\t", err));
        YK_TRY(put_real(text, n->remark.since, err));
        YK_TRY(put_field(text, n->remark.text, "\n", err));
    }
    return YOKE_OK;
}

typedef yoke_status (*list)(const yk_record *r, yk_text *text, yoke_err *err);

/* Where a note goes. */
typedef yoke_status (*taker)(void *to, const char *name, const char *text,
                             yoke_err *err);

static yoke_status give_list(const yk_record *r, const char *name, list write,
                             taker take, void *to, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_text text = { NULL, 0, 0 };
    YK_POINT;

    YK_GO(yk_text_put(&text, "", err));
    YK_GO(write(r, &text, err));
    if (text.length > 0) YK_GO(take(to, name, text.at, err));
done:
    yk_text_clear(&text);
    return status;
}

static yoke_status to_writer(void *to, const char *name, const char *text,
                             yoke_err *err)
{
    return yk_writer_note(to, name, text, err);
}

/* What is known of a run before its first window. */
static yoke_status give_facts(const yk_record *r, taker take, void *to,
                              yoke_err *err)
{
    YK_TRY(take(to, "version", yoke_version(), err));
    YK_TRY(give_list(r, "options", list_options, take, to, err));
    YK_TRY(give_list(r, "subsystems", list_subsystems, take, to, err));
    YK_TRY(give_list(r, "signals", list_signals, take, to, err));
    YK_TRY(give_list(r, "clusters", list_clusters, take, to, err));
    YK_TRY(give_list(r, "profiles", list_profiles, take, to, err));
    return give_list(r, "units", list_units, take, to, err);
}

static yoke_status list_together(const yk_record *r, yk_text *text,
                                 yoke_err *err)
{
    const int *cluster = r->units->plan[0].schedule->cluster;
    const int nodes = yoke_graph_count(r->graph);
    char number[32];

    if (nodes > MOST_GROUPED) return YOKE_OK;
    YK_TRY(put_real(text, r->row[0], err));
    for (int i = 0; i < nodes; i++) {
        snprintf(number, sizeof number, "%s%d", i ? " " : "", cluster[i]);
        YK_TRY(yk_text_put(text, number, err));
    }
    return YOKE_OK;
}

yoke_status yk_journal_together(yk_record *r, yoke_err *err)
{
    char name[32];

    if (!r->writer) return YOKE_OK;
    snprintf(name, sizeof name, "together %d", ++r->groupings);
    return give_list(r, name, list_together, to_writer, r->writer, err);
}

yoke_status yk_journal_describe(const yk_record *r, const yoke_sink *to,
                                yoke_err *err)
{
    YK_TRY(give_facts(r, to->note, to->context, err));
    return give_list(r, "together 1", list_together, to->note, to->context,
                     err);
}

/* No note if it is not known. */
static yoke_status note_number(yk_record *r, const char *name, double value,
                               yoke_err *err)
{
    char text[32];
    YK_POINT;

    if (!isfinite(value)) return YOKE_OK;
    snprintf(text, sizeof text, "%.6g", value);
    return yk_writer_note(r->writer, name, text, err);
}

/* ---- tables ------------------------------------------------------------- */

static yoke_status open_work(yk_record *r, yoke_err *err)
{
    static const char *const name[WORK_COLUMNS] = {
        "subsystem", "sweeps",         "steps",  "rejected", "residuals",
        "jacobians", "factorizations", "solves", "seconds",  "oracle"
    };
    static const char *const unit[WORK_COLUMNS] = { [WORK_COLUMNS - 2] = "s" };

    return yk_writer_table(r->writer, "work", WORK_COLUMNS, name, unit,
                           &r->work_table, err);
}

static int counted(const yk_record *r)
{
    return r->tally->bases < MOST_COUNTED ? r->tally->bases : MOST_COUNTED;
}

static yoke_status open_steps(yk_record *r, yoke_err *err)
{
    const int count = counted(r);
    const char **name = NULL;

    YK_TRY(YK_NEW(&name, 1 + count, err));
    name[0] = "time";
    for (int i = 0; i < count; i++) name[1 + i] = r->tally->base[i].name;
    const yoke_status status = yk_writer_table(
        r->writer, "steps", 1 + count, name, NULL, &r->steps_table, err);
    yk_free(name);
    if (status != YOKE_OK) return status;
    r->steps_next = r->options->start;
    return yk_doubles(&r->steps_row, (size_t)(1 + count), err);
}

static int recorded_iterates(const yk_record *r)
{
    return r->coupled < MOST_ITERATES ? r->coupled : MOST_ITERATES;
}

/* Variables that the present units do not offer have no place. */
void yk_journal_find_iterates(yk_record *r)
{
    const yk_unit_plan *p = &r->units->plan[0];

    for (int v = 0; r->iterate_at && v < recorded_iterates(r); v++) {
        r->iterate_at[v][0] = -1;
        for (int c = 0; c < p->schedule->clusters; c++)
            for (int k = 0; k < p->cluster[c].outs; k++) {
                if (p->output_id[c][k] != r->coupled_id[v]) continue;
                r->iterate_at[v][0] = c;
                r->iterate_at[v][1] = k;
            }
    }
}

static yoke_status open_iterates(yk_record *r, yoke_err *err)
{
    const int count = recorded_iterates(r);
    const char **name = NULL;

    YK_TRY(YK_NEW(&r->iterate_at, count, err));
    YK_TRY(YK_NEW(&name, ITERATE_COLUMNS + count, err));
    name[0] = "window";
    name[1] = "sweep";
    name[2] = "time";
    for (int k = 0; k < count; k++)
        name[ITERATE_COLUMNS + k] = r->units->variable_name[k];
    const yoke_status status =
        yk_writer_table(r->writer, "iterates", ITERATE_COLUMNS + count, name,
                        NULL, &r->iterate_table, err);
    yk_free(name);
    if (status != YOKE_OK) return status;
    yk_journal_find_iterates(r);
    return yk_doubles(&r->iterate_row, (size_t)(ITERATE_COLUMNS + count), err);
}

yoke_status yk_journal_open(yk_record *r, yoke_err *err)
{
    YK_TRY(give_facts(r, to_writer, r->writer, err));
    YK_TRY(open_work(r, err));
    YK_TRY(open_steps(r, err));
    return r->options->iterates ? open_iterates(r, err) : YOKE_OK;
}

/* ---- rows --------------------------------------------------------------- */

typedef const yk_wave *(*choice)(const yk_iteration *iteration, int plan,
                                 int unit);

/* Each waveform is evaluated once per time: variables of a unit stand together.
 */
static yoke_status write_iterate(yk_record *r, const yoke_sweep *s, int sweep,
                                 choice wave, yoke_err *err)
{
    double *row = r->iterate_row;

    row[0] = s->window;
    row[1] = sweep;
    for (int j = 0; j < SAMPLES; j++) {
        int unit = -1;
        const double part = (double)j / (SAMPLES - 1);
        row[2] = j + 1 < SAMPLES ? s->t0 + part * (s->t1 - s->t0) : s->t1;
        for (int v = 0; v < recorded_iterates(r); v++) {
            const int *at = r->iterate_at[v];
            if (at[0] != unit && at[0] >= 0)
                yk_wave_eval(wave(r->units->iteration, 0, at[0]), row[2], NULL,
                             r->scratch);
            unit = at[0];
            row[ITERATE_COLUMNS + v] = unit < 0 ? NAN : r->scratch[at[1]];
        }
        YK_TRY(yk_writer_row(r->writer, r->iterate_table, row, err));
    }
    return YOKE_OK;
}

yoke_status yk_journal_sweep(yk_record *r, const yoke_sweep *s, yoke_err *err)
{
    if (!r->iterate_row) return YOKE_OK;
    if (s->sweep == 1) YK_TRY(write_iterate(r, s, 0, yk_iteration_before, err));
    return write_iterate(r, s, s->sweep, yk_iteration_iterate, err);
}

/* By windows that end behind the next of the times, and by the last. */
yoke_status yk_journal_window(yk_record *r, double t, yoke_err *err)
{
    const double span = r->options->stop - r->options->start;
    yoke_work w;

    if (!r->steps_row || (t < r->steps_next && t < r->options->stop))
        return YOKE_OK;
    r->steps_next = t + span / STEP_TIMES;
    r->steps_row[0] = t;
    for (int i = 0; i < counted(r); i++)
        r->steps_row[1 + i] =
            yk_tally_work(r->tally, i, NULL, &w) ? (double)w.steps : 0.0;
    return yk_writer_row(r->writer, r->steps_table, r->steps_row, err);
}

yoke_status yk_journal_failure(yk_record *r, const yoke_err *why, yoke_err *err)
{
    return r->writer && why ? yk_writer_note(r->writer, "error", why->text, err)
                            : YOKE_OK;
}

static yoke_status write_work(yk_record *r, yoke_err *err)
{
    yoke_work w, once;

    for (int i = 0; yk_tally_work(r->tally, i, NULL, &w); i++) {
        yk_tally_once(r->tally, i, &once);
        const double row[WORK_COLUMNS] = {
            i,
            (double)w.sweeps,
            (double)w.steps,
            (double)w.rejected,
            (double)w.residuals,
            (double)w.jacobians,
            (double)w.factorizations,
            (double)w.solves,
            w.seconds,
            (double)once.residuals,
        };
        YK_TRY(yk_writer_row(r->writer, r->work_table, row, err));
    }
    return YOKE_OK;
}

yoke_status yk_journal_end(yk_record *r, const yoke_run_result *end,
                           yoke_err *err)
{
    YK_TRY(write_work(r, err));
    YK_TRY(yk_window_end(r, err));
    YK_TRY(give_list(r, "remarks", list_remarks, to_writer, r->writer, err));
    YK_TRY(yk_writer_note(r->writer, "summary", end->text, err));
    YK_TRY(yk_writer_note(r->writer, "converged", end->converged ? "yes" : "no",
                          err));
    YK_TRY(note_number(r, "predicted_rate", end->rate_predicted, err));
    YK_TRY(note_number(r, "measured_rate", end->rate_median, err));
    YK_TRY(note_number(r, "overhead", end->overhead, err));
    YK_TRY(yk_writer_note(r->writer, "overhead_is",
                          end->replayed ? "measured" : "estimated", err));
    return note_number(r, "seconds", end->seconds, err);
}
