/* comp/mesh/mesh_geo.c -- a mesh of a .geo file by the program `gmsh`.
 *
 * gmsh reads a copy in a folder of our own: the words that geo_scan.c permits,
 * under a name that is ours, so that neither the name of the file nor options
 * beside it (gmsh also reads NAME.geo.opt) have a say.
 */
#define _XOPEN_SOURCE 700
#include "comp/mesh/mesh.h"

#include "base/process.h"
#include "comp/mesh/geo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void yk_mesh_geo_remove(const yk_mesh_made *made)
{
    if (!made->folder[0]) return;
    (void)unlink(made->geometry);
    (void)unlink(made->mesh);
    (void)unlink(made->message);
    (void)rmdir(made->folder);
}

static yoke_status write_copy(const char *to, const char *text, size_t length,
                              yoke_err *err)
{
    FILE *file = fopen(to, "we");

    if (!file)
        return yk_fail(err, YOKE_E_FILE, "%s: cannot write: %s", to,
                       strerror(errno));
    const bool whole = fwrite(text, 1, length, file) == length;
    if (fclose(file) != 0 || !whole)
        return yk_fail(err, YOKE_E_FILE, "%s: cannot write: %s", to,
                       strerror(errno));
    return YOKE_OK;
}

static yoke_status open_folder(yk_mesh_made *made, yoke_err *err)
{
    snprintf(made->folder, sizeof made->folder, "%s/yoke-XXXXXX", P_tmpdir);
    if (!mkdtemp(made->folder)) {
        const int why = errno;
        made->folder[0] = '\0';
        return yk_fail(err, YOKE_E_FILE, "no folder for a mesh in %s: %s",
                       P_tmpdir, strerror(why));
    }
    snprintf(made->geometry, sizeof made->geometry, "%s/mesh.geo",
             made->folder);
    snprintf(made->mesh, sizeof made->mesh, "%s/mesh.msh", made->folder);
    snprintf(made->message, sizeof made->message, "%s/message", made->folder);
    return YOKE_OK;
}

/* `geometry` begins with / or ./, so it is no option. */
static yoke_status run_gmsh(yk_mesh_made *made, char *geometry, yoke_err *err)
{
    char *word[] = { (char *)"gmsh",    (char *)"-2",    (char *)"-v",
                     (char *)"2",       (char *)"-nt",   (char *)"1",
                     (char *)"-format", (char *)"msh22", (char *)"-o",
                     made->mesh,        geometry,        NULL };
    const yoke_status status =
        yk_process_run("mesh generator", word, made->message, err);

    if (status != YOKE_OK)
        yk_suffix(err, "; it needs the program gmsh (package gmsh); without "
                       "it, give a .msh file");
    return status;
}

static yoke_status make_trusted(yk_mesh_made *made, const char *path,
                                yoke_err *err)
{
    char *name = NULL;

    if (access(path, R_OK) != 0)
        return yk_fail(err, YOKE_E_FILE, "cannot read \"%.300s\": %s", path,
                       strerror(errno));
    YK_TRY(open_folder(made, err));
    YK_TRY(yk_print(&name, err, "%s%s", path[0] == '/' ? "" : "./", path));
    const yoke_status status = run_gmsh(made, name, err);
    yk_free(name);
    return status;
}

static yoke_status make_scanned(yk_mesh_made *made, const char *path,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    char *text = NULL;
    size_t length = 0;

    YK_TRY(yk_geo_flatten(&text, &length, path, err));
    YK_GO(open_folder(made, err));
    YK_GO(write_copy(made->geometry, text, length, err));
    YK_GO(run_gmsh(made, made->geometry, err));
done:
    yk_free(text);
    return status;
}

yoke_status yk_mesh_geo_make(yk_mesh_made *made, const char *path, bool trust,
                             yoke_err *err)
{
    const yoke_status status =
        trust ? make_trusted(made, path, err) : make_scanned(made, path, err);

    if (status == YOKE_E_MISSING) yk_prefix(err, "%.300s", path);
    return status;
}
