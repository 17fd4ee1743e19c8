/* cli/info.h -- the parts of `yoke info`. */
#ifndef YK_CLI_INFO_H
#define YK_CLI_INFO_H

#include "cli/cli.h"

/* cmd_info.c: entries of a JSON object; NULL is null. */
void info_key(const char *name, bool first);
void info_text(const char *name, const char *text, bool first);
void info_names(const char *name, int count, const char *const *list);
void info_numbers(const char *name, int count, const double *value,
                  bool scalar);

/* A line "    title: a b c"; nothing if there are none. */
void info_list(const char *title, int count, const char *const *list);

/* info_system.c, info_model.c */
int info_system(int argc, char **argv, bool json);
int info_model(const char *path, const char *class_name, bool json);

/* info_mesh.c; picture: an SVG file, or NULL. */
int info_mesh(const char *path, const char *picture, bool json);

/* info_netlist.c; false: the system is no netlist. */
bool info_netlist(const cli_system *s, bool json);

/* A value as text: a number, or {a, b, ...}. */
void info_value(const yoke_equation_symbol *symbol);

#endif
