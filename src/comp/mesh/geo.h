/* comp/mesh/geo.h -- what of a .geo file may reach the program gmsh. */
#ifndef YK_MESH_GEO_H
#define YK_MESH_GEO_H

#include "base/base.h"

/* The words of a .geo file and of those it includes, one after the other and
 * without comments; the caller frees `text`.  The language of gmsh can run
 * programs and write files, so only words that are known to make geometry, and
 * names that the file assigns, are permitted; anything else is refused with
 * file:line.  An included file is one of the folder of `path`. */
yoke_status yk_geo_flatten(char **text, size_t *length, const char *path,
                           yoke_err *err);

/* geo_words.c: is it a word of geometry; may texts stand in the brackets behind
 * it? */
bool yk_geo_word(const char *word, size_t length, bool *takes_text);
/* A command that is refused even as a name that the file assigns. */
bool yk_geo_command(const char *word, size_t length);
/* An option such as Mesh.Algorithm: whether `group.name` may be set. */
bool yk_geo_option(const char *group, size_t length, const char *name,
                   size_t name_length);

#endif
