/* comp/netlist/read/command.h -- what the readers of commands share. */
#ifndef YK_NETLIST_COMMAND_H
#define YK_NETLIST_COMMAND_H

#include "comp/netlist/read/read.h"

/* A command while it is read: the words from `next` on. */
typedef struct yk_net_command_parse {
    yk_net_reader *r;
    yk_net_env *env;
    const yk_net_line *line;
    yk_net_place at;
    const char *name; /* with the dot */
    int next;
} yk_net_command_parse;

/* Room for one more in an array of the netlist that has `count`. */
yoke_status yk_net_push(yk_net_reader *r, void **array, int count, size_t size,
                        yoke_err *err);

/* Runs the command in r->word[0]; `dot` is false for one without its dot. */
yoke_status yk_net_run_command(yk_net_reader *r, yk_net_env *env,
                               const yk_net_line *line, bool dot, bool *found,
                               yoke_err *err);

/* A line of .options or .temp. */
yoke_status yk_net_option_line(yk_net_reader *r, yk_net_env *env,
                               const yk_net_line *line, yoke_err *err);
yoke_status yk_net_print(yk_net_command_parse *c, yoke_err *err);
/* The vectors of the words from c->next on; `analysis` "" is any. */
yoke_status yk_net_vectors(yk_net_command_parse *c, const char *analysis,
                           yoke_err *err);
/* A request that is no circuit: skipped with a warning. */
yoke_status yk_net_skip_request(yk_net_command_parse *c, yoke_err *err);
yoke_status yk_net_save(yk_net_command_parse *c, yoke_err *err);

/* Keeps `let name = expression` of vectors; *taken: it is one. */
yoke_status yk_net_let_line(yk_net_reader *r, const yk_net_line *line,
                            bool *taken, yoke_err *err);
/* A text with the expressions of its lets in their places; NULL: there is none.
 */
yoke_status yk_net_let_expand(yk_net_reader *r, const char *text,
                              const char **out, yoke_err *err);
/* The name that we have for it: db(v(a)), tran1.v(a), v(*). */
yoke_status yk_net_vector_name(yk_net_reader *r, const char **text,
                               yoke_err *err);
/* Is it computed from vectors, and no vector itself? */
bool yk_net_computes(const char *text);
yoke_status yk_net_measure_line(yk_net_command_parse *c, yoke_err *err);

#endif
