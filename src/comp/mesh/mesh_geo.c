/* comp/mesh/mesh_geo.c -- a mesh of a .geo file by the program `gmsh`. */
#define _XOPEN_SOURCE 700
#include "comp/mesh/mesh.h"

#include "base/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void yk_mesh_geo_remove(const yk_mesh_made *made)
{
    if (!made->folder[0]) return;
    (void)unlink(made->mesh);
    (void)unlink(made->message);
    (void)rmdir(made->folder);
}

yoke_status yk_mesh_geo_make(yk_mesh_made *made, const char *path,
                             yoke_err *err)
{
    char *word[] = { (char *)"gmsh",    (char *)"-2",         (char *)"-v",
                     (char *)"2",       (char *)"-nt",        (char *)"1",
                     (char *)"-format", (char *)"msh22",      (char *)"-o",
                     made->mesh,        (char *)(size_t)path, NULL };

    if (access(path, R_OK) != 0)
        return yk_fail(err, YOKE_E_FILE, "cannot read \"%.300s\": %s", path,
                       strerror(errno));
    snprintf(made->folder, sizeof made->folder, "%s/yoke-XXXXXX", P_tmpdir);
    if (!mkdtemp(made->folder)) {
        const int why = errno;
        made->folder[0] = '\0';
        return yk_fail(err, YOKE_E_FILE, "no folder for a mesh in %s: %s",
                       P_tmpdir, strerror(why));
    }
    snprintf(made->mesh, sizeof made->mesh, "%s/mesh.msh", made->folder);
    snprintf(made->message, sizeof made->message, "%s/message", made->folder);
    const yoke_status status =
        yk_process_run("mesh generator", word, made->message, err);
    if (status == YOKE_OK) return status;
    yk_prefix(err, "%.300s", path);
    yk_suffix(err, "; it needs the program gmsh (package gmsh); without it, "
                   "give a .msh file");
    return status;
}
