/* comp/fmu/xml.c -- XML through libxml2, the only file that knows it. */
#include "comp/fmu/xml.h"

#include "base/lazy.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef YOKE_LAZY_XML
#include <pthread.h>

/* Written once, by `load`. */
static struct {
    xmlDoc *(*read)(const char *, int, const char *, const char *, int);
    void (*free_document)(xmlDoc *);
    xmlNode *(*root)(const xmlDoc *);
    __typeof__(xmlGetLastError) *error;
    long (*line)(const xmlNode *);
    xmlChar *(*property)(const xmlNode *, const xmlChar *);
    int (*equal)(const xmlChar *, const xmlChar *);
    xmlFreeFunc *release; /* a variable */
} x;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static yoke_err missing;

static void load_once(void)
{
    const yk_lazy_name list[] = {
        { "xmlReadMemory", &x.read },        { "xmlFreeDoc", &x.free_document },
        { "xmlDocGetRootElement", &x.root }, { "xmlGetLastError", &x.error },
        { "xmlGetLineNo", &x.line },         { "xmlGetProp", &x.property },
        { "xmlStrEqual", &x.equal },         { "xmlFree", &x.release },
    };

    missing.status = yk_lazy_load(YOKE_LAZY_XML, list,
                                  (int)(sizeof list / sizeof *list), &missing);
}

static yoke_status load(yoke_err *err)
{
    pthread_once(&once, load_once);
    if (missing.status != YOKE_OK && err) *err = missing;
    return missing.status;
}

#undef xmlFree
#define xmlReadMemory        x.read
#define xmlFreeDoc           x.free_document
#define xmlDocGetRootElement x.root
#define xmlGetLastError      x.error
#define xmlGetLineNo         x.line
#define xmlGetProp           x.property
#define xmlStrEqual          x.equal
#define xmlFree              (*x.release)
#else
static yoke_status load(yoke_err *err)
{
    (void)err;
    return YOKE_OK;
}
#endif

static yoke_status tell_error(const char *path, yoke_err *err)
{
    const xmlError *e = xmlGetLastError();
    const char *text = e && e->message ? e->message : "not readable\n";

    return yk_fail(err, YOKE_E_FILE, "%s:%d: %.*s", path, e ? e->line : 0,
                   (int)strcspn(text, "\n"), text);
}

yoke_status yk_xml_parse(yk_xml_document **out, const char *path,
                         const char *text, size_t length, yoke_err *err)
{
    const int options = XML_PARSE_NONET | XML_PARSE_NOERROR |
                        XML_PARSE_NOWARNING | XML_PARSE_NOCDATA;

    YK_TRY(load(err));
    if (length > INT_MAX)
        return yk_fail(err, YOKE_E_FILE, "%s: too long", path);
    xmlDoc *document = xmlReadMemory(text, (int)length, path, NULL, options);
    if (!document) return tell_error(path, err);
    if (document->intSubset) {
        xmlFreeDoc(document);
        return yk_fail(err, YOKE_E_FILE,
                       "%s: a document type (<!DOCTYPE>) is not permitted",
                       path);
    }
    *out = document;
    return YOKE_OK;
}

void yk_xml_free(yk_xml_document *document)
{
    if (document) xmlFreeDoc(document);
}

const yk_xml *yk_xml_root(yk_xml_document *document)
{
    return xmlDocGetRootElement(document);
}

static const yk_xml *element(const yk_xml *at)
{
    while (at && at->type != XML_ELEMENT_NODE) at = at->next;
    return at;
}

const yk_xml *yk_xml_first(const yk_xml *at)
{
    return at ? element(at->children) : NULL;
}

const yk_xml *yk_xml_next(const yk_xml *at)
{
    return at ? element(at->next) : NULL;
}

bool yk_xml_named(const yk_xml *at, const char *name)
{
    return at && xmlStrEqual(at->name, (const xmlChar *)name);
}

const yk_xml *yk_xml_child(const yk_xml *at, const char *name)
{
    for (at = yk_xml_first(at); at; at = yk_xml_next(at))
        if (yk_xml_named(at, name)) return at;
    return NULL;
}

int yk_xml_line(const yk_xml *at)
{
    return at ? (int)xmlGetLineNo(at) : 0;
}

char *yk_xml_text(const yk_xml *at, const char *name)
{
    return at ? (char *)xmlGetProp(at, (const xmlChar *)name) : NULL;
}

void yk_xml_free_text(char *text)
{
    if (text) xmlFree(text);
}

yoke_status yk_xml_copy(yk_arena *arena, const yk_xml *at, const char *name,
                        const char **out, yoke_err *err)
{
    char *text = yk_xml_text(at, name);

    if (!text) return YOKE_OK;
    const yoke_status status = yk_arena_print(arena, out, err, "%s", text);
    yk_xml_free_text(text);
    return status;
}

bool yk_xml_is(const yk_xml *at, const char *name)
{
    char *text = yk_xml_text(at, name);
    const bool is =
        text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);

    yk_xml_free_text(text);
    return is;
}

bool yk_xml_is_number(const char *text, double *out)
{
    char *end = NULL;

    *out = strtod(text, &end);
    if (end == text || end[strspn(end, " \t\r\n")]) return false;
    if (strpbrk(text, "xX")) return false; /* no number of XML */
    return isfinite(*out) || !strpbrk(text, "0123456789");
}

const char *yk_xml_name(const yk_xml *at)
{
    return (const char *)at->name;
}

const char *yk_xml_odd_attribute(const yk_xml *at, const char *const *known)
{
    for (const xmlAttr *a = at->properties; a; a = a->next) {
        const char *name = (const char *)a->name;
        int k = 0;

        while (known[k] && strcmp(known[k], name) != 0) k++;
        if (!known[k] && !a->ns) return name;
    }
    return NULL;
}

double yk_xml_number(const yk_xml *at, const char *name, double preset)
{
    char *text = yk_xml_text(at, name);
    double value = 0.0;

    if (text && yk_xml_is_number(text, &value)) preset = value;
    yk_xml_free_text(text);
    return preset;
}
