/* file/terminals.c -- ports that parts declare by the names of their variables.
 */
#include "file/reader.h"

#include <stdio.h>
#include <string.h>

yoke_status yk_file_add_terminal(yoke_file *file, const char *subsystem,
                                 const char *port, const char *potential,
                                 const char *flow, bool driven, double sign,
                                 yoke_err *err)
{
    yk_file_terminal *t;

    YK_TRY(YK_GROW(&file->terminal, &file->terminal_room, file->terminals + 1,
                   err));
    t = &file->terminal[file->terminals++];
    *t = (yk_file_terminal){ .driven = driven, .sign = sign };
    YK_TRY(yk_print(&t->name, err, "%s.%s", subsystem, port));
    YK_TRY(yk_copy_text(&t->potential, potential, err));
    return yk_copy_text(&t->flow, flow, err);
}

const yk_file_terminal *yk_file_find_terminal(const yoke_file *file,
                                              const char *name)
{
    for (int i = 0; i < file->terminals; i++)
        if (strcmp(file->terminal[i].name, name) == 0)
            return &file->terminal[i];
    return NULL;
}

void yk_file_free_terminals(yoke_file *file)
{
    for (int i = 0; i < file->terminals; i++)
        YK_FREE(file->terminal[i].name, file->terminal[i].potential,
                file->terminal[i].flow);
    yk_free(file->terminal);
}
