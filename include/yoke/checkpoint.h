/* yoke/checkpoint.h -- a run that goes on in another process.
 *
 *     yoke_checkpoint_begin(&err);               before the model is read
 *     ... read the model, create the run ...
 *     yoke_run_pause(run, &pause);               calls `save` between two windows
 *         yoke_checkpoint_write(run, file, ...)  in `save`
 *
 * and in another process, after a crash or `kill -9`,
 *
 *     yoke_checkpoint_open(&c, path, &err);
 *     ... read the model again, from the same files ...
 *     yoke_checkpoint_take(c, &run, ...);
 *     yoke_run_advance(run, stop, &err);
 *
 * The results are those of the run that was never stopped, in every bit.  A
 * checkpoint is an image of memory (docs/methods/checkpoints.md): it belongs to
 * one build of the program and its libraries, and is to be trusted like them.
 */
#ifndef YOKE_CHECKPOINT_H
#define YOKE_CHECKPOINT_H

#include "yoke/run.h"

YOKE_BEGIN_C

/* An image holds addresses of the program, and they must not look like other
 * numbers.  YOKE_RETRY: in this process they may; start the program again, and the
 * system chooses others. */
YOKE_API yoke_status yoke_checkpoint_able(yoke_err *err);

/* The memory of the library can be saved from now on.  Once in a process, before
 * anything is created; instead of yoke_set_allocator.  Plug-ins, which keep
 * something elsewhere, and the stepper ida are refused afterwards, with their
 * names.  Closed parts (FMUs, programs) are run again from their start when a run
 * is taken up. */
YOKE_API yoke_status yoke_checkpoint_begin(yoke_err *err);

/* Between two windows, and before what happens at the stop time: where `due`
 * says so, `save` is called.  Its status is that of the run: anything but
 * YOKE_OK ends the advance. */
typedef struct yoke_pause {
    bool (*due)(void *context, double t);
    yoke_status (*save)(void *context, yoke_run *run, yoke_err *err);
    void *context;
} yoke_pause;

YOKE_API void yoke_run_pause(yoke_run *run, const yoke_pause *pause); /* copies
                                                                       */

/* Writes the run, and `beside`, something of the library that is needed with it,
 * such as its yoke_file (may be NULL), to a new file, which replaces `path` when
 * it is complete and on the disk; the one before becomes PATH.old.  `word`: the
 * command line, for whoever takes it up.  After a failure `path` is as it was. */
YOKE_API yoke_status yoke_checkpoint_write(yoke_run *run, void *beside,
                                           int words, const char *const *word,
                                           const char *path, yoke_err *err);

/* Before a run: is there a folder that can be written to, and is what has the
 * names of the file, FILE.old and FILE.new, a checkpoint or not there?  Nothing else
 * is replaced by one. */
YOKE_API yoke_status yoke_checkpoint_check(const char *path, yoke_err *err);

typedef struct yoke_checkpoint yoke_checkpoint;

/* Reads `path`; if that is damaged, or not there, PATH.old.  Files that the
 * library reads from now on are compared with those of the run. */
YOKE_API yoke_status yoke_checkpoint_open(yoke_checkpoint **out,
                                          const char *path, yoke_err *err);
YOKE_API void yoke_checkpoint_free(yoke_checkpoint *checkpoint); /* accepts
                                                                    NULL */

/* The command line, the folder it was given in; why the older file was taken, or
 * NULL. */
YOKE_API const char *yoke_checkpoint_word(const yoke_checkpoint *c, int i);
YOKE_API const char *yoke_checkpoint_folder(const yoke_checkpoint *c);
YOKE_API const char *yoke_checkpoint_remark(const yoke_checkpoint *c);

/* For programs whose units are in several processes: as `places` of
 * yoke_run_options, before the run is taken up.  Borrows. */
struct yk_places;
YOKE_API void yoke_checkpoint_places(yoke_checkpoint *checkpoint,
                                     struct yk_places *places);

/* The run and what was beside it, after its model was read again as `model`,
 * which must live as long as the run: refused with
 * the name of what differs if the files of the model or the program are others.
 * Cuts the result files to what they had.  watcher and jobs as for
 * yoke_run_create.  The run may be closed as any; the rest is memory of the
 * process until its end. */
YOKE_API yoke_status yoke_checkpoint_take(yoke_checkpoint *checkpoint,
                                          yoke_model *model, yoke_run **run,
                                          void **beside,
                                          const yoke_watcher *watcher, int jobs,
                                          yoke_err *err);

YOKE_END_C

#endif
