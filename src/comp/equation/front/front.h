/* comp/equation/front/front.h -- the front end: text becomes a flat model. */
#ifndef YK_FRONT_H
#define YK_FRONT_H

#include "comp/equation/flat.h"
#include "comp/equation/front/ast.h"
#include "yoke/equation.h"

struct yk_translator;

/* Sees the symbols once all are declared, also if the translation failed
 * later. */
typedef struct yk_look {
    yoke_status (*see)(void *self, struct yk_translator *t, yoke_err *err);
    void *self;
} yk_look;

/* Reads text into a flat model.  `options` may be NULL. */
yoke_status yk_equation_front(yk_flat **out, const char *path, const char *text,
                              size_t length,
                              const yoke_equation_options *options,
                              yoke_err *err);

/* The same, and shows the symbols; `look` may be NULL. */
yoke_status yk_equation_look(yk_flat **out, const char *path, const char *text,
                             size_t length,
                             const yoke_equation_options *options,
                             const yk_look *look, yoke_err *err);

/* A whole file; the text is the caller's to free. */
yoke_status yk_equation_text(const char *path, char **text, size_t *length,
                             yoke_err *err);

/* How the model of a file is to be run, and its name; the last if there are
 * several. */
yoke_status yk_equation_experiment(const char *path, yk_experiment *out,
                                   char *name, size_t room, yoke_err *err);

#endif
