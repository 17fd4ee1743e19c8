/* run/checkpoint.c -- a run that goes on in another process.
 *
 * The run is saved between two windows, when nothing of it is on a stack, as an
 * image of all memory of the library (base/image.h).  Taken up again it lacks
 * what belongs to a process: the watcher, the threads, the files.  These are put
 * into their places; everything else is as it was.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/writer.h"
#include "yoke/checkpoint.h"

#include "base/seen.h"
#include "la/foreign.h"
#include "run/checkpoint.h"
#include "run/places.h"
#include "run/run.h"
#include "sys/closed.h"
#include "sys/system.h"
#include "yoke/version.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The files of the model of this process: there is one image, and so one model
 * that can be saved. */
static yk_seen seen;

struct yoke_checkpoint {
    yk_checkpoint_bytes file;
    struct yk_places *places; /* that the run goes on in */
    char remark[YOKE_ERR_SIZE];
};

/* Libraries that an image has addresses in. */
typedef struct libraries {
    yk_loaded *item;
    int count;
} libraries;

/* ---- what can be saved ----------------------------------------------------- */

yoke_status yoke_checkpoint_able(yoke_err *err)
{
    static bool known; /* what was loaded since then is not in an image */
    yk_loaded *list = NULL;
    int count = 0, which = 0;

    if (known) return YOKE_OK;
    yk_writer_prepare(); /* what is loaded later would be looked at too late */
    YK_TRY(yk_loaded_list(&list, &count, err));
    known = yk_loaded_distinct(list, count, true, &which);
    yk_free(list);
    return known
               ? YOKE_OK
               : yk_fail(err, YOKE_RETRY,
                         "the system has loaded this program to addresses "
                         "that cannot be distinguished from numbers: start it "
                         "again");
}

yoke_status yoke_checkpoint_begin(yoke_err *err)
{
    YK_TRY(yoke_checkpoint_able(err));
    YK_TRY(yk_image_begin(err));
    yk_foreign_image();
    yk_seen_watch(&seen);
    return YOKE_OK;
}

static yoke_status prevents(const char *name, const char *why, yoke_err *err)
{
    return yk_fail(err, YOKE_E_ARG,
                   "no checkpoints: subsystem \"%s\" %s; leave --checkpoint "
                   "out",
                   name, why);
}

yoke_status yk_run_check_saved(const yk_cluster *cluster,
                               const yoke_stepper_options *stepper,
                               const yoke_graph *graph, yoke_err *err)
{
    if (!yk_image_on()) return YOKE_OK;
    for (int k = 0; k < cluster->nodes; k++) {
        const yoke_system *s = yoke_graph_system(graph, cluster->node[k]);
        const char *name = yoke_system_name(s);
        const yoke_system_info *f = yoke_system_facts(s);
        if (f->closed && !(f->flags & YOKE_PARALLEL))
            return prevents(name,
                            "runs inside this process, and its memory is not "
                            "known (isolate: none)",
                            err);
        if (s->foreign && !f->closed)
            return prevents(
                name, "is code of a plug-in, whose memory is not known", err);
    }
    if (strcmp(stepper->method, "ida") == 0)
        return prevents(
            yoke_system_name(yoke_graph_system(graph, cluster->node[0])),
            "has the stepper ida, which keeps its past inside "
            "SUNDIALS (radau5 can be saved)",
            err);
    return YOKE_OK;
}

void yoke_run_pause(yoke_run *run, const yoke_pause *pause)
{
    run->pause = *pause;
}

/* ---- writing --------------------------------------------------------------- */

static yoke_status put_pair(yk_text *text, const char *key, const char *value,
                            yoke_err *err)
{
    YK_TRY(yk_text_add(text, key, strlen(key) + 1, err));
    return yk_text_add(text, value, strlen(value) + 1, err);
}

static yoke_status put_files(yk_text *text, yoke_err *err)
{
    if (seen.failed)
        return yk_fail(err, YOKE_E_MEMORY,
                       "out of memory: the list of the files of the model");
    for (size_t k = 0; k < seen.count; k++) {
        YK_TRY(put_pair(text, "digest", seen.file[k].digest, err));
        YK_TRY(put_pair(text, "file", seen.file[k].path, err));
    }
    return YOKE_OK;
}

/* The libraries of this process, not in the image: the list would refer to all of
 * them. */
static yoke_status list_outside(yk_loaded **out, int *count, yoke_err *err)
{
    yk_loaded *list = NULL;

    YK_TRY(yk_loaded_list(&list, count, err));
    const size_t bytes = ((size_t)*count + 1) * sizeof *list;
    *out = malloc(bytes);
    if (*out) memcpy(*out, list, (size_t)*count * sizeof *list);
    yk_free(list);
    return *out
               ? YOKE_OK
               : yk_fail(err, YOKE_E_MEMORY, "out of memory: %zu bytes", bytes);
}

/* Only libraries that something refers to: others may differ. */
static yoke_status put_libraries(int slot, yk_text *text, yoke_err *err)
{
    yk_image_place at = { 0, 0, slot };
    const char *bytes = NULL;
    size_t length = 0;
    yk_loaded *list = NULL;
    int count = 0;
    yoke_status status = YOKE_OK;

    YK_TRY(list_outside(&list, &count, err));
    while (yk_image_next(&at, &bytes, &length))
        yk_loaded_mark(list, count, bytes, length);
    int which = 0;
    if (!yk_loaded_distinct(list, count, false, &which))
        YK_GO(yk_fail(err, YOKE_E_ARG,
                      "%s is loaded to addresses that cannot be told from "
                      "numbers, so nothing was saved",
                      list[which].name));
    for (int k = 0; k < count; k++) {
        char place[64];
        if (!list[k].used) continue;
        snprintf(place, sizeof place, "%" PRIx64 " %" PRIx64, list[k].begin,
                 list[k].length);
        YK_GO(put_pair(text, "place", place, err));
        YK_GO(put_pair(text, "id", list[k].id, err));
        YK_GO(put_pair(text, "library", list[k].name, err));
    }
done:
    free(list);
    return status;
}

static yoke_status describe(yk_text *text, int words, const char *const *word,
                            yoke_err *err)
{
    char folder[PATH_MAX];

    if (!getcwd(folder, sizeof folder)) folder[0] = '\0';
    YK_TRY(put_pair(text, "version", yoke_version(), err));
    YK_TRY(put_pair(text, "folder", folder, err));
    for (int k = 0; k < words; k++)
        YK_TRY(put_pair(text, "word", word[k], err));
    YK_TRY(put_files(text, err));
    return put_libraries(0, text, err);
}

yoke_status yoke_checkpoint_write(yoke_run *run, void *beside, int words,
                                  const char *const *word, const char *path,
                                  yoke_err *err)
{
    YK_POINT;
    yoke_status status = YOKE_OK;
    yk_text about = { NULL, 0, 0 };
    yk_checkpoint_head head = { .run = (uintptr_t)run,
                                .beside = (uintptr_t)beside,
                                .t = yoke_run_time(run) };

    if (!yk_image_on())
        return yk_fail(err, YOKE_E_ARG,
                       "yoke_checkpoint_begin was not called before the model "
                       "was made");
    const yk_places *places = run->options.places;
    if (run->record.writer) YK_GO(yk_writer_sync(run->record.writer, err));
    YK_GO(describe(&about, words, word, err));
    if (places) {
        int sections = 0;
        YK_GO(places->ops->sections(places->self, &sections, err));
        head.sections = (uint64_t)sections;
        head.places = (uintptr_t)places->kept;
    }
    YK_GO(yk_checkpoint_save(path, &head, &about, places, err));
done:
    yk_text_clear(&about);
    return status;
}

yoke_status yk_section_make(int slot, const void *kept, char **bytes,
                            size_t *size, yoke_err *err)
{
    yk_text about = { NULL, 0, 0 };
    yoke_status status = YOKE_OK;

    YK_GO(put_pair(&about, "version", yoke_version(), err));
    YK_GO(put_libraries(slot, &about, err));
    *bytes = yk_section_pack(slot, kept, &about, size);
    if (!*bytes)
        status = yk_fail(err, YOKE_E_MEMORY,
                         "out of memory: a copy of %zu bytes for the "
                         "checkpoint",
                         *size);
done:
    yk_text_clear(&about);
    return status;
}

/* ---- reading --------------------------------------------------------------- */

static bool read_library(yk_loaded *l, const char *key, const char *value)
{
    if (strcmp(key, "place") == 0)
        return sscanf(value, "%" SCNx64 " %" SCNx64, &l->begin, &l->length) ==
               2;
    if (strcmp(key, "id") == 0) snprintf(l->id, sizeof l->id, "%s", value);
    return true;
}

/* They were written by their addresses. */
static yoke_status read_libraries(libraries *c, const yk_checkpoint_part *part,
                                  yoke_err *err)
{
    size_t at = 0;
    const char *key = NULL, *value = NULL;
    yk_loaded one = { 0 };

    while (yk_checkpoint_pair(part, &at, &key, &value)) {
        if (!read_library(&one, key, value))
            return yk_fail(err, YOKE_E_FILE,
                           "checkpoint: a library at \"%.40s\"", value);
        if (strcmp(key, "library") != 0) continue;
        yk_loaded *more =
            realloc(c->item, ((size_t)c->count + 1) * sizeof *c->item);
        if (!more) return yk_fail(err, YOKE_E_MEMORY, "out of memory");
        snprintf(one.name, sizeof one.name, "%.255s", value);
        c->item = more;
        c->item[c->count++] = one;
        one = (yk_loaded){ 0 };
    }
    return YOKE_OK;
}

/* The newest that is whole. */
static yoke_status load_one(yoke_checkpoint *c, const char *path, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" }, older = { YOKE_OK, "" };
    char old[PATH_MAX];

    if (yk_checkpoint_load(&c->file, path, &why) == YOKE_OK) return YOKE_OK;
    if (snprintf(old, sizeof old, "%s.old", path) >= PATH_MAX ||
        yk_checkpoint_load(&c->file, old, &older) != YOKE_OK) {
        if (err) *err = why;
        if (access(old, F_OK) == 0) yk_suffix(err, "; %s", older.text);
        return why.status;
    }
    snprintf(c->remark, sizeof c->remark,
             "%.600s; the one before it is taken, %.300s, of t = %.9g",
             why.text, old, c->file.head.t);
    return YOKE_OK;
}

void yoke_checkpoint_free(yoke_checkpoint *c)
{
    if (!c) return;
    yk_checkpoint_clear(&c->file);
    free(c);
}

yoke_status yoke_checkpoint_open(yoke_checkpoint **out, const char *path,
                                 yoke_err *err)
{
    YK_POINT;
    yoke_status status = YOKE_OK;
    yoke_checkpoint *c = calloc(1, sizeof *c);

    if (!c) return yk_fail(err, YOKE_E_MEMORY, "out of memory");
    YK_GO(yk_checkpoint_hold(path, err));
    YK_GO(load_one(c, path, err));
    yk_seen_watch(&seen);
    *out = c;
    c = NULL;
done:
    yoke_checkpoint_free(c);
    return status;
}

/* The i-th value of a key, or NULL. */
static const char *value_of(const yoke_checkpoint *c, const char *wanted, int i)
{
    size_t at = 0;
    const char *key = NULL, *value = NULL;

    while (yk_checkpoint_pair(&c->file.own, &at, &key, &value))
        if (strcmp(key, wanted) == 0 && i-- == 0) return value;
    return NULL;
}

const char *yoke_checkpoint_word(const yoke_checkpoint *c, int i)
{
    return value_of(c, "word", i);
}

const char *yoke_checkpoint_folder(const yoke_checkpoint *c)
{
    return value_of(c, "folder", 0);
}

const char *yoke_checkpoint_remark(const yoke_checkpoint *c)
{
    return c->remark[0] ? c->remark : NULL;
}

/* ---- taking it up ---------------------------------------------------------- */

/* Folders of examples have other names each time: files are known by what is in
 * them and by their order. */
static yoke_status compare_files(const yoke_checkpoint *c, yoke_err *err)
{
    for (int k = 0;; k++) {
        const char *digest = value_of(c, "digest", k);
        const char *path = value_of(c, "file", k);
        const bool here = (size_t)k < seen.count;
        if (!digest || !path)
            return here ? yk_fail(err, YOKE_E_ARG,
                                  "%s is read now and was not when the run "
                                  "began: the model was changed",
                                  seen.file[k].path)
                        : YOKE_OK;
        if (!here)
            return yk_fail(err, YOKE_E_ARG,
                           "%s was read when the run began and is not now: "
                           "the model was changed",
                           path);
        if (strcmp(digest, seen.file[k].digest) != 0)
            return yk_fail(err, YOKE_E_ARG,
                           "%s is not as it was when the run began: the model "
                           "was changed, so the run cannot go on with it",
                           seen.file[k].path);
    }
}

static yoke_status compare_version(const yoke_checkpoint *c, yoke_err *err)
{
    const char *version = value_of(c, "version", 0);

    if (version && strcmp(version, yoke_version()) == 0) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG,
                   "the run began with yoke %s, and this is %s: a checkpoint "
                   "belongs to one version",
                   version ? version : "of no version", yoke_version());
}

/* Addresses of functions and tables become those of this process. */
static yoke_status move_addresses(yk_checkpoint_part *part, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    libraries there = { NULL, 0 };
    yk_loaded *here = NULL;
    int count = 0, *place = NULL;

    YK_TRY(yk_loaded_list(&here, &count, err));
    YK_GO(read_libraries(&there, part, err));
    YK_GO(yk_ints(&place, (size_t)there.count, err));
    YK_GO(yk_loaded_match(there.item, there.count, here, count, place, err));
    yk_loaded_move(there.item, there.count, here, place, part->image,
                   part->image_size);
done:
    free(there.item);
    YK_FREE(place, here);
    return status;
}

/* An image of this version becomes memory of this process. */
static yoke_status take_part(yk_checkpoint_part *part, yoke_err *err)
{
    YK_TRY(move_addresses(part, err));
    YK_TRY(yk_image_take(&part->layout, part->image, err));
    yk_foreign_image();
    yk_seen_watch(NULL);
    return YOKE_OK;
}

yoke_status yk_section_take(yk_checkpoint_part *section, void **kept,
                            yoke_err *err)
{
    YK_TRY(take_part(section, err));
    *kept = (void *)(uintptr_t)section->kept; // NOLINT
    return yk_image_has(*kept, 1)
               ? YOKE_OK
               : yk_fail(err, YOKE_E_FILE,
                         "the memory of a process has not what it served "
                         "with");
}

/* Parts in other processes are made again, and run until here. */
static yoke_status renew_part(yoke_run *run, yk_unit_plan *plan, int c,
                              yoke_err *err)
{
    const yk_propagator old = plan->propagator[c];

    if (!old.ops->again) return YOKE_OK;
    YK_TRY(yk_run_make_propagator(run, plan, c, err));
    const yk_propagator fresh = plan->propagator[c];
    plan->propagator[c] = old;
    const yoke_status status = old.ops->again(old.self, fresh.self, err);
    fresh.ops->free(fresh.self);
    return status;
}

yoke_status yk_checkpoint_renew(const yoke_graph *graph,
                                const yoke_graph *fresh, yoke_err *err)
{
    for (int i = 0; i < yoke_graph_count(graph); i++) {
        const yk_closed *c =
            yoke_system_facts(yoke_graph_system(graph, i))->closed;
        const yk_closed *other =
            i < yoke_graph_count(fresh)
                ? yoke_system_facts(yoke_graph_system(fresh, i))->closed
                : NULL;
        if (c && other && c->again && c->again == other->again)
            YK_TRY(c->again(c->self, other->self, err));
    }
    return YOKE_OK;
}

static yoke_status renew_parts(yoke_run *run, yoke_model *model, yoke_err *err)
{
    YK_TRY(yk_checkpoint_renew(run->graph, yoke_model_graph(model), err));
    for (int p = 0; p < run->units.count; p++)
        for (int c = 0; c < run->units.plan[p].schedule->clusters; c++)
            YK_TRY(renew_part(run, &run->units.plan[p], c, err));
    return YOKE_OK;
}

/* What belongs to this process is put into its place. */
static yoke_status attach(yoke_run *run, int jobs, yoke_err *err)
{
    run->pause = (yoke_pause){ 0 };
    run->options.jobs = jobs;
    YK_TRY(yk_run_executor(run, err));
    if (run->ready) yk_iteration_execute(run->units.iteration, run->executor);
    run->began = run->record.last_flush = yk_clock();
    return run->record.writer ? yk_writer_reopen(run->record.writer, err)
                              : YOKE_OK;
}

/* Other processes take up theirs. */
static yoke_status take_sections(yoke_checkpoint *c, yoke_run *run,
                                 yoke_model *model, yoke_err *err)
{
    const yk_places_taken taken = {
        .kept = (void *)(uintptr_t)c->file.head.places, // NOLINT
        .sections = (int)c->file.head.sections,
        .section = c->file.section,
        .model = model,
        .gate = &run->gate,
    };

    run->options.places = c->places;
    if (!c->places) return YOKE_OK;
    if (!yk_image_has(taken.kept, 1))
        return yk_fail(err, YOKE_E_FILE, "checkpoint: it has no processes");
    return c->places->ops->take(c->places->self, &taken, err);
}

void yoke_checkpoint_places(yoke_checkpoint *c, struct yk_places *places)
{
    c->places = places;
}

static yoke_status compare_places(const yoke_checkpoint *c, yoke_err *err)
{
    if ((c->places != NULL) == (c->file.head.places != 0)) return YOKE_OK;
    return c->places ? yk_fail(err, YOKE_E_ARG,
                               "the run was one of yoke, in one process: yoke "
                               "resume goes on with it")
                     : yk_fail(err, YOKE_E_ARG,
                               "the run was one of yoke-mpi, in %d processes: "
                               "yoke-mpi resume goes on with it, in as many or "
                               "fewer, or alone",
                               (int)c->file.head.sections + 1);
}

yoke_status yoke_checkpoint_take(yoke_checkpoint *c, yoke_model *model,
                                 yoke_run **run, void **beside,
                                 const yoke_watcher *watcher, int jobs,
                                 yoke_err *err)
{
    YK_POINT;
    yoke_run *there = (yoke_run *)(uintptr_t)c->file.head.run; // NOLINT

    yk_seen_watch(NULL);
    YK_TRY(compare_version(c, err));
    YK_TRY(compare_places(c, err));
    YK_TRY(compare_files(c, err));
    YK_TRY(take_part(&c->file.own, err));
    if (!yk_image_has(there, sizeof *there))
        return yk_fail(err, YOKE_E_FILE, "checkpoint: it has no run");
    there->watcher = watcher ? *watcher : (yoke_watcher){ 0 };
    yk_gate_open(&there->gate, there->watcher.stop, there->watcher.context);
    YK_TRY(take_sections(c, there, model, err));
    YK_TRY(attach(there, jobs, err));
    YK_TRY(renew_parts(there, model, err));
    if (there->record.writer) YK_TRY(yk_writer_cut(there->record.writer, err));
    if (!there->ready) YK_TRY(yk_run_rebuild(there, err)); /* it began again */
    *run = there;
    if (beside) *beside = (void *)(uintptr_t)c->file.head.beside; // NOLINT
    return YOKE_OK;
}
