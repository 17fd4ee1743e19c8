/* file/component.h -- what a subsystem of a system file may be made of.
 *
 * A component is a folder of src/comp with a reader, and one line in
 * comp/components.c.  From its table of keys come the check of the file, `yoke
 * help component` and the manual.
 */
#ifndef YK_FILE_COMPONENT_H
#define YK_FILE_COMPONENT_H

#include "file/reader.h"

/* What a key holds. */
typedef enum yk_key_kind {
    YK_KEY_NUMBER, /* of this unit */
    YK_KEY_COUNT,  /* a whole number */
    YK_KEY_TEXT,
    YK_KEY_NAMES, /* a name or a list of names */
    YK_KEY_FILE,
    YK_KEY_FORMULA, /* of the time and the parameters */
    YK_KEY_MATRIX,  /* rows, a diagonal, or a Matrix Market file */
    YK_KEY_LIST,
    YK_KEY_MAP,
    YK_KEY_KINDS
} yk_key_kind;

typedef struct yk_key {
    const char *name; /* NULL: the end of the table */
    yk_key_kind kind;
    bool needed;
    const char *unit; /* of a number; "1" for none; NULL: any */
    const char *text;
} yk_key;

/* Parameters with their settings are read, their values are not yet. */
typedef yoke_status yk_component_read(yk_reader *r, const yk_yaml *node,
                                      const yk_yaml *given,
                                      yk_entries *parameters, yoke_system **out,
                                      yoke_err *err);

/* A file that is a whole system, as the text of a system file.  What the
 * component fills is cleared by the caller, also on failure. */
typedef struct yk_wrapped {
    char *text;
    int warnings, notes;
    const char *const *warning, *const *note; /* borrowed from `held` */
    void *held; /* OPTIONAL: released with the system */
    void (*release)(void *held);
    /* OPTIONAL: paths that begin with one of `folder` are shown with that of
     * `shown` instead; borrowed from `held`. */
    int folders;
    const char *const *folder, *const *shown;
    const char *told; /* OPTIONAL: which options the file itself gives */
} yk_wrapped;

/* A name for the subsystem of a file: letters, digits and _ of that of its
 * model. */
void yk_wrapped_name(const char *model, char name[64]);

struct yk_component {
    const char *source; /* the key of a subsystem that asks for it */
    const char *name;   /* with the source "component": its value */
    const char *text;   /* what it is, in a few words */
    const yk_key *key;  /* of the subsystem; may be NULL */

    /* One of the two.  `make` gets the values of the parameters, and settings
     * of the command line that are keys in the map `node`. */
    yk_component_read *read;
    yoke_status (*make)(yk_reader *r, const yk_yaml *node,
                        const yk_unit_scope *scope, yoke_system **out,
                        yoke_err *err);

    /* Code of others in this process: the system says whether it is
     * YOKE_PARALLEL.  All that is ours is. */
    bool foreign;

    /* OPTIONAL.  The subsystem is in the model. */
    yoke_status (*added)(yk_reader *r, const yk_yaml *node, yoke_err *err);

    /* OPTIONAL.  A coupling of its own: its key and reader. */
    const char *coupling;
    yoke_status (*couple)(yk_reader *r, const yk_yaml *node, yoke_err *err);

    /* OPTIONAL.  A file that is a whole system, known by its name; `text` NULL:
     * it is read from the disk. */
    bool (*is_whole)(const char *path);
    /* One of the two: the text of a system file, or the system itself. */
    yoke_status (*wrap)(yk_wrapped *out, const char *path,
                        const yoke_file_options *options, yoke_err *err);
    yoke_status (*whole)(yoke_file **out, const char *path, const char *text,
                         size_t length, const yoke_file_options *options,
                         yoke_err *err);
};

/* comp/components.c; ends with NULL. */
extern const yk_component *const yk_components[];

/* A shared library in place of the name of a component: one that ends in .so. */
#define YK_PLUGIN_NAME "./NAME.so"

/* The component of a key, and of a name with the key "component", or NULL. */
const yk_component *yk_component_find(const char *source, const char *name);

/* The one that reads this file as a whole system, or NULL. */
const yk_component *yk_component_of_file(const char *path);

/* Makes the system of a component that has `make`. */
yoke_status yk_component_make(const yk_component *c, yk_reader *r,
                              const yk_yaml *node, yk_entries *parameters,
                              yoke_system **out, yoke_err *err);

#endif
