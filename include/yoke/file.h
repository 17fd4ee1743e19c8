/* yoke/file.h -- system files: subsystems, couplings and run options as text.
 *
 *     yoke: 1
 *     name: two bodies
 *     run: {stop: 10 s, rtol: 1e-6}
 *     subsystems:
 *       left:  {model: bodies.mo, class: Left, parameters: {m: 2.0}}
 *       right: {model: bodies.mo, class: Right, stepper: trapezoidal, step: 1
 * ms} couplings:
 *       - signal: right.force = -left.spring_force
 *
 * docs/manual/system-file.md is the reference.
 */
#ifndef YOKE_FILE_H
#define YOKE_FILE_H

#include "yoke/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "left.m" = "3": replaces a parameter of a subsystem, from the command line.
 */
typedef struct yoke_setting {
    const char *name, *value;
} yoke_setting;

typedef struct yoke_file_options {
    int settings;
    const yoke_setting *setting;
    const char *compiler, *cache; /* for equation models: yoke/equation.h */
} yoke_file_options;

/* A system read from a file; owns the model. */
typedef struct yoke_file yoke_file;

/* Every message begins with file:line:column. */
YOKE_API yoke_status yoke_file_read(yoke_file **out, const char *path,
                                    const yoke_file_options *options,
                                    yoke_err *err);

/* The same from memory; models are looked for beside `path`. */
YOKE_API yoke_status yoke_file_parse(yoke_file **out, const char *path,
                                     const char *text, size_t length,
                                     const yoke_file_options *options,
                                     yoke_err *err);
YOKE_API void yoke_file_free(yoke_file *file); /* accepts NULL */

YOKE_API yoke_model *yoke_file_model(yoke_file *file);

/* Run options: the defaults with what the file says. */
YOKE_API const yoke_run_options *yoke_file_run_options(const yoke_file *file);
YOKE_API const char *yoke_file_name(const yoke_file *file);

/* What was done to make subsystem i (compilation, index reduction), or NULL at
 * the end of the list. */
YOKE_API const char *yoke_file_report(const yoke_file *file, int i);

#ifdef __cplusplus
}
#endif

#endif
