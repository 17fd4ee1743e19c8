/* comp/fmu/xml.h -- an XML text as a tree, as much as FMUs and SSP need. */
#ifndef YK_FMU_XML_H
#define YK_FMU_XML_H

#include "comp/fmu/description.h"

typedef struct _xmlDoc yk_xml_document;
typedef struct _xmlNode yk_xml;

/* Nothing but the text is opened; a document type is refused. */
yoke_status yk_xml_parse(yk_xml_document **out, const char *path,
                         const char *text, size_t length, yoke_err *err);
void yk_xml_free(yk_xml_document *document); /* accepts NULL */

/* Elements; all accept NULL and return NULL then. */
const yk_xml *yk_xml_root(yk_xml_document *document);
const yk_xml *yk_xml_first(const yk_xml *at);
const yk_xml *yk_xml_next(const yk_xml *at);
const yk_xml *yk_xml_child(const yk_xml *at, const char *name);
bool yk_xml_named(const yk_xml *at, const char *name);
int yk_xml_line(const yk_xml *at);

/* Attributes: to be freed by yk_xml_free_text, NULL if there is none; copied
 * into an arena; true or 1; a number, or `preset` if there is none. */
char *yk_xml_text(const yk_xml *at, const char *name);
void yk_xml_free_text(char *text);
yoke_status yk_xml_copy(yk_arena *arena, const yk_xml *at, const char *name,
                        const char **out, yoke_err *err);
bool yk_xml_is(const yk_xml *at, const char *name);
double yk_xml_number(const yk_xml *at, const char *name, double preset);

/* Is the whole text a number? */
bool yk_xml_is_number(const char *text, double *out);
const char *yk_xml_name(const yk_xml *at); /* of an element, borrowed */
/* An attribute without a prefix that is not in the list, which ends with NULL;
 * or NULL.  Borrowed. */
const char *yk_xml_odd_attribute(const yk_xml *at, const char *const *known);

#endif
