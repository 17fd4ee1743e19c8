/* export/export.h -- the parts of the export as an FMU. */
#ifndef YK_EXPORT_H
#define YK_EXPORT_H

#include "base/base.h"
#include "base/digest.h"
#include "yoke/export.h"

/* A variable of the FMU; its value reference is its number, 0 is the time. */
typedef enum yk_export_kind {
    YK_EXPORT_TIME,
    YK_EXPORT_PARAMETER,
    YK_EXPORT_INPUT,
    YK_EXPORT_OUTPUT,
    YK_EXPORT_LOCAL
} yk_export_kind;

typedef struct yk_export_variable {
    yk_export_kind kind;
    char *name;  /* in the description */
    char *inner; /* in the system */
    char *unit;  /* NULL: none */
    char *text;  /* description; NULL: none */
    double start;
    int node;      /* subsystem of an output, or -1 */
    bool discrete; /* it changes at events only */
} yk_export_variable;

typedef struct yk_export {
    yoke_file *file;
    const char *path, *out; /* borrowed */
    const yoke_export_options *options;
    yoke_run_options run;
    int fmi;
    char identifier[64]; /* of the binary */
    char token[YK_DIGEST_TEXT];

    int variables;
    size_t room;
    yk_export_variable *variable;

    char *folder; /* in which it is put together */
    char *system; /* the system file, below resources/ */
} yk_export;

/* export/variables.c */
yoke_status yk_export_find(yk_export *e, yoke_err *err);
void yk_export_clear(yk_export *e);

/* Does output v depend on input number k of the system? */
bool yk_export_depends(const yk_export *e, const yk_export_variable *v, int k);

/* export/describe.c: modelDescription.xml. */
yoke_status yk_export_describe(const yk_export *e, const char *path,
                               yoke_err *err);

/* export/pack.c: copies binary and files into the folder, with yoke.txt, and
 * finds the token; `binary`: where the copy of the binary is. */
yoke_status yk_export_gather(yk_export *e, char *binary, size_t room,
                             yoke_err *err);

/* export/trial_run.c: initialises the FMU of the folder and takes a step. */
yoke_status yk_export_try(const yk_export *e, const char *binary,
                          yoke_err *err);

#endif
