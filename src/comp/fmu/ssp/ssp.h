/* comp/fmu/ssp/ssp.h -- system structures of other tools (SSP 1.0 and 2.0).
 *
 * A package (.ssp) is an archive with a description (.ssd) of components,
 * which are FMUs, in nested systems, their connections and their parameters.
 * It is read into a tree of elements; what remains of it is the text of a
 * system file (text.c): each FMU a subsystem, each connection a signal.
 *
 *     read.c        the description as elements
 *     source.c      files of the package and what they are
 *     connect.c     connections, and what feeds an input through all systems
 *     bindings.c    parameter sets and mappings
 *     apply.c       values of the variables of FMUs
 *     unit.c        conversion of units
 *
 * Reference: SSP 1.0 and 2.0, ssp-standard.org.
 */
#ifndef YK_SSP_H
#define YK_SSP_H

#include "base/names.h"
#include "comp/fmu/description.h"
#include "comp/fmu/xml.h"

/* ---- files ------------------------------------------------------------- */

/* Units and enumerations belong to the file that defines them. */
typedef struct yk_ssp_file {
    const char *path;   /* for messages: drive.ssp/SystemStructure.ssd */
    const char *folder; /* its sources are found here */
    const char *name;   /* in that folder */
    const struct yk_ssp_file *parent; /* the one that refers to it */
    yk_xml_document *document;
    int units;
    yk_fmu_unit *unit;
} yk_ssp_file;

typedef struct yk_ssp_fmu {
    const char *path;  /* on the disk */
    const char *shown; /* for messages */
    yk_fmu_description *description;
} yk_ssp_fmu;

/* ---- transformations and values ---------------------------------------- */

typedef enum yk_ssp_transformation_kind {
    YK_SSP_AS_IT_IS,
    YK_SSP_LINEAR,
    YK_SSP_BOOLEANS,
    YK_SSP_INTEGERS,
    YK_SSP_ITEMS /* of enumerations */
} yk_ssp_transformation_kind;

typedef struct yk_ssp_transformation {
    yk_ssp_transformation_kind kind;
    double factor, offset; /* LINEAR */
    int entries;           /* the others */
    const char **source, **target;
    bool any_units; /* units are not converted */
} yk_ssp_transformation;

typedef struct yk_ssp_value {
    const char *name, *type, *text, *unit;
    const yk_ssp_file *file;
    int line;
    yk_ssp_transformation by;
    bool used;
} yk_ssp_value;

/* A parameter set, its mapping applied. */
typedef struct yk_ssp_binding {
    int count;
    yk_ssp_value *value;
    yk_names *at; /* the places of their names */
} yk_ssp_binding;

/* ---- elements ---------------------------------------------------------- */

typedef enum yk_ssp_kind {
    YK_SSP_INPUT,
    YK_SSP_OUTPUT,
    YK_SSP_PARAMETER,
    YK_SSP_STRUCTURAL,
    YK_SSP_CALCULATED,
    YK_SSP_CONSTANT,
    YK_SSP_LOCAL,
    YK_SSP_INOUT,
    YK_SSP_UNSPECIFIED
} yk_ssp_kind;

typedef struct yk_ssp_element yk_ssp_element;
typedef struct yk_ssp_connector yk_ssp_connector;

struct yk_ssp_connector {
    const char *name, *unit, *type; /* unit and type may be NULL */
    yk_ssp_kind kind;
    yk_ssp_element *owner;
    const yk_ssp_file *file;
    int line;
    int variable; /* of the FMU; -1: none, or not looked up yet */

    /* What feeds it, from inside or outside, or NULL. */
    yk_ssp_connector *from;
    yk_ssp_transformation by;
    const yk_ssp_file *from_file;
    int from_line;

    const yk_ssp_value *value; /* of a connector of a system */
};

typedef enum yk_ssp_what {
    YK_SSP_COMPONENT,
    YK_SSP_SYSTEM,
    YK_SSP_DICTIONARY /* a signal dictionary, or a reference to one */
} yk_ssp_what;

struct yk_ssp_element {
    yk_ssp_what what;
    const char *name;
    const char *path; /* with those of its systems, as Yoke writes it */
    yk_ssp_element *parent;
    const yk_ssp_file *file;
    int line;
    const yk_xml *xml; /* of a system, so that none contains itself */
    yk_list connectors, children, bindings;
    yk_names *connector_at, *child_at; /* their places in these lists */
    yk_list dictionaries; /* elements that references in it may name */

    /* Component. */
    const yk_ssp_fmu *fmu;
    const char *implementation;       /* cs, me, or NULL: any */
    const yk_ssp_value **value;       /* of each variable of the FMU, or NULL */
    const yk_ssp_element *dictionary; /* of a reference */
    yk_list options;                  /* of ours: name, value, name, ... */
};

/* ---- the whole --------------------------------------------------------- */

typedef struct yk_ssp {
    yk_arena arena;
    const char *path;
    int version; /* 1 or 2 */
    const char *name, *variant;
    yk_list variants; /* file names in the package */
    yk_list folders;  /* unpacked; removed at the end */
    yk_list shown;    /* the package of each, for messages */
    yk_list files, fmus, components;
    yk_list warnings, notes;
    yk_list tables;  /* of names, to be cleared */
    yk_list options; /* of a run, by our annotation: name, value, name, ... */
    yk_ssp_element *root;
    double start, stop; /* NAN: not told */
    int elements, packages;
} yk_ssp;

/* Reads a package or a description.  `variant` chooses a description of the
 * package by its file name or its own name; NULL: SystemStructure.ssd. */
yoke_status yk_ssp_open(yk_ssp **out, const char *path, const char *variant,
                        yoke_err *err);
void yk_ssp_close(yk_ssp *ssp); /* accepts NULL */

/* read.c: the description in a file as `root` of the package, or as the content
 * of a component; the same of a system in it. */
yoke_status yk_ssp_read(yk_ssp *ssp, const yk_ssp_file *file,
                        yk_ssp_element *into, yoke_err *err);
yoke_status yk_ssp_read_inside(yk_ssp *ssp, const yk_ssp_file *file,
                               const yk_xml *system, yk_ssp_element *into,
                               yoke_err *err);
yoke_status yk_ssp_read_units(yk_ssp *ssp, yk_ssp_file *file,
                              const yk_xml *root, yoke_err *err);
yoke_status yk_ssp_read_transformation(yk_ssp *ssp, const yk_ssp_file *file,
                                       const yk_xml *at,
                                       yk_ssp_transformation *out,
                                       yoke_err *err);

/* source.c.  A file beside another one, or, with `fmu`, inside of that; what a
 * component is made of. */
yoke_status yk_ssp_open_file(yk_ssp *ssp, const yk_ssp_file *beside,
                             const yk_ssp_fmu *fmu, int line,
                             const char *source, yk_ssp_file **out,
                             yoke_err *err);
yoke_status yk_ssp_source(yk_ssp *ssp, const yk_xml *at, yk_ssp_element *e,
                          yoke_err *err);

/* connect.c */
yoke_status yk_ssp_connect(yk_ssp *ssp, const yk_ssp_file *file,
                           const yk_xml *list, yk_ssp_element *system,
                           yoke_err *err);

/* What feeds a connector: input = factor * output + offset, element by element;
 * `from` is an output of a component, or a connector of a system that nothing
 * feeds and that may have a value. */
typedef struct yk_ssp_feed {
    const yk_ssp_connector *from;
    double factor, offset;
} yk_ssp_feed;

yoke_status yk_ssp_trace(yk_ssp *ssp, yk_ssp_connector *to, yk_ssp_feed *out,
                         yoke_err *err);

/* The variable of a connector of a component. */
yoke_status yk_ssp_variable(yk_ssp_connector *c, const yk_fmu_variable **out,
                            yoke_err *err);

/* bindings.c and apply.c */
yoke_status yk_ssp_read_bindings(yk_ssp *ssp, const yk_ssp_file *file,
                                 const yk_xml *list, yk_ssp_element *e,
                                 yoke_err *err);
yoke_status yk_ssp_apply(yk_ssp *ssp, yoke_err *err);

/* The value of a variable as text for the FMU; *text is in the arena. */
yoke_status yk_ssp_convert(yk_ssp *ssp, const yk_ssp_fmu *fmu,
                           const yk_fmu_variable *v, const yk_ssp_value *value,
                           const yk_ssp_feed *feed, const char **text,
                           yoke_err *err);

/* unit.c: target = *factor * source + *offset.  Names may be NULL: nothing is
 * converted then. */
typedef struct yk_ssp_unit {
    const char *name; /* NULL: none */
    const yk_fmu_unit *unit;
    int units; /* where it is looked up */
} yk_ssp_unit;

yk_ssp_unit yk_ssp_unit_of(const yk_ssp_file *file, const char *name);
yk_ssp_unit yk_ssp_unit_in(const yk_fmu_description *d, const char *name);
yoke_status yk_ssp_units(const yk_ssp_unit *from, const yk_ssp_unit *to,
                         double *factor, double *offset, yoke_err *err);

/* text.c: the system file, to be freed. */
yoke_status yk_ssp_text(yk_ssp *ssp, char **text, yoke_err *err);

/* about.c: fills `notes`. */
yoke_status yk_ssp_about(yk_ssp *ssp, yoke_err *err);

/* ---- help -------------------------------------------------------------- */

/* file:line: message */
yoke_status yk_ssp_fail(const yk_ssp_file *file, int line, yoke_err *err,
                        const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A line more of the notes or of the warnings. */
yoke_status yk_ssp_say(yk_ssp *ssp, yk_list *to, yoke_err *err,
                       const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Copies in the arena; an attribute that must be there. */
yoke_status yk_ssp_copy(yk_ssp *ssp, const char *text, const char **out,
                        yoke_err *err);
yoke_status yk_ssp_need(yk_ssp *ssp, const yk_ssp_file *file, const yk_xml *at,
                        const char *name, const char **out, yoke_err *err);

/* strict.c.  A table is made with its first name; -1: the name is not there. */
yoke_status yk_ssp_index(yk_ssp *ssp, yk_names **table, const char *name,
                         int number, yoke_err *err);
int yk_ssp_number_of(const yk_names *table, const char *name);

/* Children that there may be one of are there once. */
yoke_status yk_ssp_once(const yk_ssp_file *file, const yk_xml *at,
                        yoke_err *err);
/* Attributes that must be a number, or a truth, if they are there. */
yoke_status yk_ssp_read_number(yk_ssp *ssp, const yk_ssp_file *file,
                               const yk_xml *at, const char *name,
                               double preset, double *out, yoke_err *err);
yoke_status yk_ssp_read_truth(yk_ssp *ssp, const yk_ssp_file *file,
                              const yk_xml *at, const char *name, bool *out,
                              yoke_err *err);
bool yk_ssp_is_truth(const char *text, double *out);
/* A child that is called a transformation is one; its entries are values. */
yoke_status yk_ssp_check_transformation(const yk_ssp_file *file,
                                        const yk_xml *at, yoke_err *err);
yoke_status yk_ssp_check_entries(const yk_ssp_file *file, int line,
                                 const yk_ssp_transformation *by,
                                 yoke_err *err);

yk_ssp_connector *yk_ssp_find(const yk_ssp_element *e, const char *name);
yk_ssp_element *yk_ssp_child(const yk_ssp_element *e, const char *name);
const char *yk_ssp_kind_name(yk_ssp_kind kind);

/* Ends a message with the nearest name, or with some of them. */
void yk_ssp_suggest_connector(const yk_ssp_element *e, const char *name,
                              yoke_err *err);

#endif
