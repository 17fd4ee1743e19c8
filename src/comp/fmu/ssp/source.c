/* comp/fmu/ssp/source.c -- files of a package: where they are, what they are.
 *
 * Sources are relative names below the folder of the description that mentions
 * them.  Nothing else is opened: no other folder, no network.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "comp/fmu/ssp/ssp.h"

#include "comp/fmu/archive.h"
#include "comp/fmu/ssp/policy.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH = 4096 };

/* ---- help -------------------------------------------------------------- */

yoke_status yk_ssp_fail(const yk_ssp_file *file, int line, yoke_err *err,
                        const char *format, ...)
{
    char text[YOKE_ERR_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return yk_fail(err, YOKE_E_FILE, "%s:%d: %s", file->path, line, text);
}

yoke_status yk_ssp_say(yk_ssp *ssp, yk_list *to, yoke_err *err,
                       const char *format, ...)
{
    char text[YOKE_ERR_SIZE];
    const char *copy = NULL;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    YK_TRY(yk_ssp_copy(ssp, text, &copy, err));
    return yk_list_push(&ssp->arena, to, (void *)(size_t)copy, err);
}

yoke_status yk_ssp_copy(yk_ssp *ssp, const char *text, const char **out,
                        yoke_err *err)
{
    char *copy = NULL;

    YK_TRY(YK_TAKE(&ssp->arena, &copy, strlen(text) + 1, err));
    *out = strcpy(copy, text);
    return YOKE_OK;
}

yoke_status yk_ssp_need(yk_ssp *ssp, const yk_ssp_file *file, const yk_xml *at,
                        const char *name, const char **out, yoke_err *err)
{
    YK_TRY(yk_xml_copy(&ssp->arena, at, name, out, err));
    if (*out) return YOKE_OK;
    return yk_ssp_fail(file, yk_xml_line(at), err,
                       "the attribute \"%s\" is missing", name);
}

/* ---- names ------------------------------------------------------------- */

static int hex(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* %20 and the like. */
static void decode(char *text)
{
    char *to = text;

    for (const char *p = text; *p; p++) {
        const int high = *p == '%' ? hex(p[1]) : -1;
        const int low = high >= 0 ? hex(p[2]) : -1;

        const int byte = low >= 0 ? 16 * high + low : 0;

        /* %00 stays: a name does not end there. */
        *to++ = byte > 0 ? (char)byte : *p;
        if (byte > 0) p += 2;
    }
    *to = '\0';
}

/* Below the folder, and no address like http:... */
static bool is_inside(const char *name)
{
    return yk_archive_is_inside(name) && name[strcspn(name, ":/")] != ':';
}

/* An FMU may be a folder, not packed. */
static bool is_fmu_folder(const char *path)
{
    struct stat about;
    char inside[PATH + 24];

    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) return false;
    snprintf(inside, sizeof inside, "%.4095s/modelDescription.xml", path);
    return stat(inside, &about) == 0 && S_ISREG(about.st_mode);
}

/* One file of an FMU. */
static yoke_status read_inside(const char *fmu, const char *name, char **text,
                               size_t *length, yoke_err *err)
{
    if (is_fmu_folder(fmu))
        return yk_archive_read(text, length, fmu, name, YK_SSP_MOST_BYTES, err);
    return yk_archive_entry(text, length, fmu, name, YK_SSP_MOST_BYTES, err);
}

/* The path from the root: others read it from another folder. */
static yoke_status complete(yk_ssp *ssp, const char *path, const char **out,
                            yoke_err *err)
{
    char *real = realpath(path, NULL);
    const yoke_status status =
        yk_arena_print(&ssp->arena, out, err, "%s", real ? real : path);

    free(real);
    return status;
}

/* The file that a source names; a fragment behind # is cut off, into *fragment
 * if that is asked for. */
static yoke_status find_file(yk_ssp *ssp, const yk_ssp_file *beside, int line,
                             const char *source, const char **path,
                             const char **name, const char **fragment,
                             yoke_err *err)
{
    struct stat about;
    const char *plain = strncmp(source, "./", 2) ? source : source + 2;
    const char *whole = NULL;
    char *own = NULL;

    YK_TRY(YK_TAKE(&ssp->arena, &own, strlen(plain) + 1, err));
    strcpy(own, plain);
    char *mark = fragment ? strchr(own, '#') : NULL;
    if (mark) {
        *mark = '\0';
        decode(mark + 1);
        *fragment = mark + 1;
    }
    decode(own);
    if (!is_inside(own))
        return yk_ssp_fail(beside, line, err,
                           "source=\"%.200s\" is not a file below the folder "
                           "of this description; put it there and name it "
                           "without \"..\", scheme or leading /",
                           source);
    YK_TRY(
        yk_arena_print(&ssp->arena, &whole, err, "%s/%s", beside->folder, own));
    if (!is_fmu_folder(whole) &&
        (stat(whole, &about) != 0 || !S_ISREG(about.st_mode)))
        return yk_ssp_fail(beside, line, err,
                           "source=\"%.200s\": there is no such file in the %s",
                           source,
                           ssp->folders.count > 0 ? "package" : "folder");
    *name = own;
    return complete(ssp, whole, path, err);
}

/* ---- XML files --------------------------------------------------------- */

/* drive.ssp/SystemStructure.ssd and resources/p.ssv give
 * drive.ssp/resources/p.ssv. */
static yoke_status show_path(yk_ssp *ssp, const yk_ssp_file *beside,
                             const char *name, const char **out, yoke_err *err)
{
    const char *slash = strrchr(beside->path, '/');
    const int head = slash ? (int)(slash - beside->path) + 1 : 0;

    return yk_arena_print(&ssp->arena, out, err, "%.*s%s", head, beside->path,
                          name);
}

/* The folder of a file is that of its own sources. */
static yoke_status split_path(yk_ssp *ssp, yk_ssp_file *file, const char *path,
                              yoke_err *err)
{
    const char *slash = strrchr(path, '/');
    const int length = slash ? (int)(slash - path) : 1;

    YK_TRY(yk_arena_print(&ssp->arena, &file->folder, err, "%.*s", length,
                          slash ? path : "."));
    return yk_ssp_copy(ssp, slash ? slash + 1 : path, &file->name, err);
}

static yoke_status parse_file(yk_ssp *ssp, yk_ssp_file *file, const char *text,
                              size_t length, yoke_err *err)
{
    YK_TRY(yk_list_push(&ssp->arena, &ssp->files, file, err));
    YK_TRY(yk_xml_parse(&file->document, file->path, text, length, err));
    return yk_ssp_read_units(ssp, file, yk_xml_root(file->document), err);
}

static yoke_status read_bytes(yk_ssp *ssp, yk_ssp_file *file, yoke_err *err)
{
    char *text = NULL;
    size_t length = 0;
    yoke_status status = yk_archive_read(&text, &length, file->folder,
                                         file->name, YK_SSP_MOST_BYTES, err);

    if (status == YOKE_OK)
        status = parse_file(ssp, file, text, length, err);
    else
        yk_prefix(err, "%s", file->path);
    yk_free(text);
    return status;
}

yoke_status yk_ssp_open_file(yk_ssp *ssp, const yk_ssp_file *beside,
                             const yk_ssp_fmu *fmu, int line,
                             const char *source, yk_ssp_file **out,
                             yoke_err *err)
{
    const char *path = NULL, *name = NULL;
    yk_ssp_file *file = NULL;
    char *text = NULL;
    size_t length = 0;

    YK_TRY(YK_TAKE(&ssp->arena, &file, 1, err));
    file->parent = beside;
    *out = file;
    if (!fmu) {
        YK_TRY(find_file(ssp, beside, line, source, &path, &name, NULL, err));
        YK_TRY(show_path(ssp, beside, name, &file->path, err));
        YK_TRY(split_path(ssp, file, path, err));
        return read_bytes(ssp, file, err);
    }
    if (!is_inside(source))
        return yk_ssp_fail(beside, line, err,
                           "source=\"%.200s\" is not a file inside of the FMU",
                           source);
    file->path = fmu->shown;
    file->folder = "/nonexistent"; /* nothing refers further from there */
    file->name = "";
    yoke_status status = read_inside(fmu->path, source, &text, &length, err);
    if (status == YOKE_OK)
        status = parse_file(ssp, file, text, length, err);
    else
        yk_prefix(err, "%s:%d: %s", beside->path, line, fmu->shown);
    yk_free(text);
    return status;
}

/* ---- components -------------------------------------------------------- */

static yoke_status read_fmu(yk_ssp_fmu *f, yoke_err *err)
{
    char *text = NULL;
    size_t length = 0;
    yoke_status status;

    YK_GO(read_inside(f->path, "modelDescription.xml", &text, &length, err));
    YK_GO(yk_fmu_describe(&f->description, f->shown, text, length, err));
done:
    yk_free(text);
    return status;
}

/* A message that begins with the path on the disk. */
static void show_name(yoke_err *err, const char *path, const char *shown)
{
    const size_t length = strlen(path);
    char rest[YOKE_ERR_SIZE];

    if (!err || strncmp(err->text, path, length) != 0) return;
    snprintf(rest, sizeof rest, "%s", err->text + length);
    snprintf(err->text, sizeof err->text, "%.400s%.*s", shown,
             (int)sizeof err->text - 401, rest);
}

/* An FMU that several components use is read once. */
static yoke_status find_fmu(yk_ssp *ssp, const yk_ssp_element *e,
                            const char *path, const char *name,
                            const yk_ssp_fmu **out, yoke_err *err)
{
    yk_ssp_fmu *f = NULL;

    for (int i = 0; i < ssp->fmus.count; i++) {
        const yk_ssp_fmu *other = ssp->fmus.item[i];
        if (strcmp(other->path, path) == 0) {
            *out = other;
            return YOKE_OK;
        }
    }
    YK_TRY(YK_TAKE(&ssp->arena, &f, 1, err));
    f->path = path;
    YK_TRY(show_path(ssp, e->file, name, &f->shown, err));
    YK_TRY(yk_list_push(&ssp->arena, &ssp->fmus, f, err));
    const yoke_status status = read_fmu(f, err);
    if (status != YOKE_OK) show_name(err, f->path, f->shown);
    if (status != YOKE_OK)
        yk_prefix(err, "%s:%d: component \"%s\"", e->file->path, e->line,
                  e->path);
    *out = f;
    return status;
}

static yoke_status check_implementation(yk_ssp_element *e, const char *text,
                                        yoke_err *err)
{
    const yk_fmu_description *d = e->fmu->description;

    if (!text || strcmp(text, "any") == 0) return YOKE_OK;
    if (strcmp(text, "CoSimulation") == 0) e->implementation = "cs";
    if (strcmp(text, "ModelExchange") == 0) e->implementation = "me";
    if (!e->implementation)
        return yk_ssp_fail(e->file, e->line, err,
                           "component \"%s\": implementation=\"%.100s\" is not "
                           "supported; CoSimulation and ModelExchange are",
                           e->path, text);
    if (e->implementation[0] == 'c' ? d->simulation.present
                                    : d->exchange.present)
        return YOKE_OK;
    return yk_ssp_fail(e->file, e->line, err, "component \"%s\": %s has no %s",
                       e->path, e->fmu->shown, text);
}

static yoke_status take_fmu(yk_ssp *ssp, const yk_xml *at, yk_ssp_element *e,
                            const char *source, yoke_err *err)
{
    const char *path = NULL, *name = NULL, *text = NULL;

    YK_TRY(find_file(ssp, e->file, e->line, source, &path, &name, NULL, err));
    YK_TRY(find_fmu(ssp, e, path, name, &e->fmu, err));
    YK_TRY(yk_xml_copy(&ssp->arena, at, "implementation", &text, err));
    YK_TRY(check_implementation(e, text, err));
    YK_TRY(YK_TAKE(&ssp->arena, &e->value, e->fmu->description->variables + 1,
                   err));
    return yk_list_push(&ssp->arena, &ssp->components, e, err);
}

static yoke_status check_circle(const yk_ssp_element *e,
                                const yk_ssp_file *file, yoke_err *err)
{
    for (const yk_ssp_file *p = file->parent; p; p = p->parent)
        if (strcmp(p->folder, file->folder) == 0 &&
            strcmp(p->name, file->name) == 0)
            return yk_ssp_fail(e->file, e->line, err,
                               "component \"%s\" refers to %s, which refers "
                               "to it: descriptions cannot contain themselves",
                               e->path, file->path);
    return YOKE_OK;
}

static yoke_status take_description(yk_ssp *ssp, yk_ssp_element *e,
                                    const char *source, yoke_err *err)
{
    yk_ssp_file *file = NULL;

    YK_TRY(yk_ssp_open_file(ssp, e->file, NULL, e->line, source, &file, err));
    YK_TRY(check_circle(e, file, err));
    return yk_ssp_read(ssp, file, e, err);
}

/* Unpacks a package; `file` becomes its description of this name. */
static yoke_status unpack(yk_ssp *ssp, const char *path, const char *shown,
                          const char *variant, yk_ssp_file *file, yoke_err *err)
{
    char *folder = NULL;

    if (++ssp->packages > YK_SSP_MOST_PACKAGES)
        return yk_fail(err, YOKE_E_FILE,
                       "%s: more than %d packages, those in packages included",
                       shown, YK_SSP_MOST_PACKAGES);
    YK_TRY(yk_archive_unpack(&folder, path, err));
    const yoke_status status =
        yk_list_push(&ssp->arena, &ssp->folders, folder, err);
    if (status != YOKE_OK) {
        yk_archive_remove(folder);
        return status;
    }
    YK_TRY(yk_list_push(&ssp->arena, &ssp->shown, (void *)(size_t)shown, err));
    file->folder = folder;
    file->name = variant;
    return yk_arena_print(&ssp->arena, &file->path, err, "%s/%s", shown,
                          variant);
}

static yoke_status take_package(yk_ssp *ssp, yk_ssp_element *e,
                                const char *source, yoke_err *err)
{
    const char *path = NULL, *name = NULL, *shown = NULL;
    const char *variant = "SystemStructure.ssd";
    yk_ssp_file *file = NULL;

    YK_TRY(
        find_file(ssp, e->file, e->line, source, &path, &name, &variant, err));
    YK_TRY(show_path(ssp, e->file, name, &shown, err));
    YK_TRY(YK_TAKE(&ssp->arena, &file, 1, err));
    file->parent = e->file;
    if (!is_inside(variant))
        return yk_ssp_fail(e->file, e->line, err,
                           "\"%.200s\" is not a description in a package",
                           source);
    YK_TRY(unpack(ssp, path, shown, variant, file, err));
    YK_TRY(read_bytes(ssp, file, err));
    return yk_ssp_read(ssp, file, e, err);
}

/* The system with this id in the same file. */
static const yk_xml *find_id(const yk_xml *at, const char *id)
{
    for (const yk_xml *c = yk_xml_first(at); c; c = yk_xml_next(c)) {
        char *own = yk_xml_named(c, "System") ? yk_xml_text(c, "id") : NULL;
        const yk_xml *found = own && strcmp(own, id) == 0 ? c : find_id(c, id);

        yk_xml_free_text(own);
        if (found) return found;
    }
    return NULL;
}

static yoke_status take_same(yk_ssp *ssp, yk_ssp_element *e, const char *source,
                             yoke_err *err)
{
    const yk_xml *system = find_id(yk_xml_root(e->file->document), source + 1);

    if (!system)
        return yk_ssp_fail(e->file, e->line, err,
                           "component \"%s\": no system has id=\"%.100s\"",
                           e->path, source + 1);
    return yk_ssp_read_inside(ssp, e->file, system, e, err);
}

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strcspn(text, "#"), tail = strlen(end);

    return length > tail && strncmp(text + length - tail, end, tail) == 0;
}

static yoke_status refuse_type(const yk_ssp_element *e, const char *type,
                               yoke_err *err)
{
    return yk_ssp_fail(e->file, e->line, err,
                       "component \"%s\" is of the type %.100s, which is not "
                       "supported; FMUs (application/x-fmu-sharedlibrary), "
                       "descriptions (application/x-ssp-definition) and "
                       "packages (application/x-ssp-package) are: export it as "
                       "an FMU",
                       e->path, type);
}

yoke_status yk_ssp_source(yk_ssp *ssp, const yk_xml *at, yk_ssp_element *e,
                          yoke_err *err)
{
    const char *source = NULL, *type = NULL;

    YK_TRY(yk_xml_copy(&ssp->arena, at, "source", &source, err));
    YK_TRY(yk_xml_copy(&ssp->arena, at, "type", &type, err));
    if (!source)
        return yk_ssp_fail(e->file, e->line, err,
                           "component \"%s\" has no source: nothing says what "
                           "it does; add an FMU",
                           e->path);
    if (source[0] == '#') return take_same(ssp, e, source, err);
    const bool package = type ? strcmp(type, "application/x-ssp-package") == 0
                              : ends_in(source, ".ssp");
    const bool description =
        type ? strcmp(type, "application/x-ssp-definition") == 0
             : ends_in(source, ".ssd");
    if (package) return take_package(ssp, e, source, err);
    if (description) return take_description(ssp, e, source, err);
    if (type && strcmp(type, "application/x-fmu-sharedlibrary") != 0)
        return refuse_type(e, type, err);
    return take_fmu(ssp, at, e, source, err);
}

/* ---- life -------------------------------------------------------------- */

/* All descriptions at the root of a package. */
static yoke_status list_variants(yk_ssp *ssp, const char *folder, yoke_err *err)
{
    char **name = NULL;
    int count = 0;
    yoke_status status = yk_archive_list(&name, &count, folder, ".ssd", err);

    for (int i = 0; i < count; i++) {
        const char *copy = NULL;

        if (status == YOKE_OK) status = yk_ssp_copy(ssp, name[i], &copy, err);
        if (status == YOKE_OK)
            status = yk_list_push(&ssp->arena, &ssp->variants,
                                  (void *)(size_t)copy, err);
        yk_free(name[i]);
    }
    yk_free(name);
    return status;
}

/* Has the description of this file this name? */
static yoke_status has_name(yk_ssp *ssp, const yk_ssp_file *beside,
                            const char *name, const char *wanted, bool *has,
                            yoke_err *err)
{
    yk_ssp_file *file = NULL;
    const char *own = NULL;

    YK_TRY(yk_ssp_open_file(ssp, beside, NULL, 1, name, &file, err));
    YK_TRY(yk_xml_copy(&ssp->arena, yk_xml_root(file->document), "name", &own,
                       err));
    *has = own && strcmp(own, wanted) == 0;
    return YOKE_OK;
}

static yoke_status refuse_variant(const yk_ssp *ssp, const char *variant,
                                  yoke_err *err)
{
    yk_fail(err, YOKE_E_ARG, "%s: there is no variant \"%.100s\" in it; it has",
            ssp->path, variant);
    for (int i = 0; i < ssp->variants.count && i < 10; i++)
        yk_suffix(err, "%s %s", i > 0 ? "," : "",
                  (const char *)ssp->variants.item[i]);
    return YOKE_E_ARG;
}

/* By file name, with or without .ssd, or by the name in it. */
static yoke_status choose_variant(yk_ssp *ssp, yk_ssp_file *file,
                                  const char *variant, yoke_err *err)
{
    const size_t length = strlen(variant);
    bool has = false;

    for (int i = 0; i < ssp->variants.count; i++) {
        const char *name = ssp->variants.item[i];

        if (strncmp(name, variant, length) == 0 &&
            (!name[length] || strcmp(name + length, ".ssd") == 0))
            return yk_ssp_copy(ssp, name, &file->name, err);
    }
    for (int i = 0; i < ssp->variants.count; i++) {
        YK_TRY(has_name(ssp, file, ssp->variants.item[i], variant, &has, err));
        if (has)
            return yk_ssp_copy(ssp, ssp->variants.item[i], &file->name, err);
    }
    return refuse_variant(ssp, variant, err);
}

static yoke_status open_package(yk_ssp *ssp, yk_ssp_file *file,
                                const char *variant, yoke_err *err)
{
    static const char preset[] = "SystemStructure.ssd";
    const char *slash = strrchr(ssp->path, '/');
    const char *shown = slash ? slash + 1 : ssp->path;
    bool has = false;

    YK_TRY(unpack(ssp, ssp->path, shown, preset, file, err));
    YK_TRY(list_variants(ssp, file->folder, err));
    if (variant) YK_TRY(choose_variant(ssp, file, variant, err));
    for (int i = 0; i < ssp->variants.count; i++)
        has = has || strcmp(ssp->variants.item[i], file->name) == 0;
    if (!has)
        return yk_fail(err, YOKE_E_FILE,
                       "%s: there is no %s in it; this is not an SSP package",
                       ssp->path, file->name);
    ssp->variant = file->name;
    return yk_arena_print(&ssp->arena, &file->path, err, "%s/%s", shown,
                          file->name);
}

static yoke_status open_all(yk_ssp *ssp, const char *path, const char *variant,
                            yoke_err *err)
{
    yk_ssp_file *file = NULL;

    ssp->start = ssp->stop = NAN;
    YK_TRY(yk_ssp_copy(ssp, path, &ssp->path, err));
    YK_TRY(YK_TAKE(&ssp->arena, &file, 1, err));
    YK_TRY(YK_TAKE(&ssp->arena, &ssp->root, 1, err));
    if (ends_in(path, ".ssp"))
        YK_TRY(open_package(ssp, file, variant, err));
    else if (variant)
        return yk_fail(err, YOKE_E_ARG,
                       "%s: variants are chosen in packages (.ssp); name the "
                       "description itself",
                       path);
    else {
        file->path = ssp->path;
        YK_TRY(split_path(ssp, file, path, err));
    }
    YK_TRY(read_bytes(ssp, file, err));
    YK_TRY(yk_ssp_read(ssp, file, NULL, err));
    if (ssp->components.count == 0)
        return yk_fail(err, YOKE_E_FILE,
                       "%s: there is no component in this system", file->path);
    return yk_ssp_apply(ssp, err);
}

yoke_status yk_ssp_open(yk_ssp **out, const char *path, const char *variant,
                        yoke_err *err)
{
    yk_ssp *ssp = NULL;

    YK_TRY(YK_NEW(&ssp, 1, err));
    const yoke_status status = open_all(ssp, path, variant, err);
    if (status == YOKE_OK)
        *out = ssp;
    else
        yk_ssp_close(ssp);
    return status;
}

void yk_ssp_close(yk_ssp *ssp)
{
    if (!ssp) return;
    for (int i = 0; i < ssp->files.count; i++)
        yk_xml_free(((yk_ssp_file *)ssp->files.item[i])->document);
    for (int i = 0; i < ssp->fmus.count; i++)
        yk_fmu_description_free(((yk_ssp_fmu *)ssp->fmus.item[i])->description);
    for (int i = 0; i < ssp->folders.count; i++)
        yk_archive_remove(ssp->folders.item[i]);
    for (int i = 0; i < ssp->tables.count; i++)
        yk_names_clear(ssp->tables.item[i]);
    yk_arena_clear(&ssp->arena);
    yk_free(ssp);
}
