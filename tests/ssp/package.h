/* tests/ssp/package.h -- packages for tests, from pieces of text. */
#ifndef YK_TESTS_SSP_PACKAGE_H
#define YK_TESTS_SSP_PACKAGE_H

#include "check.h"
#include "comp/fmu/archive.h"
#include "comp/fmu/ssp/ssp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A folder for the files of a test. */
typedef struct place {
    char folder[64];
    yoke_err err;
} place;

static inline void place_make(place *p)
{
    memset(p, 0, sizeof *p);
    snprintf(p->folder, sizeof p->folder, "/tmp/yoke-ssp-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
}

static inline void place_remove(place *p)
{
    char *copy = NULL;

    assert_int_equal(yk_copy_text(&copy, p->folder, NULL), YOKE_OK);
    yk_archive_remove(copy);
}

/* The path of a file there; good until the next but three calls. */
static inline const char *in(const place *p, const char *name)
{
    static char path[4][256];
    static int next;

    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", p->folder, name);
    return path[next];
}

#define SSD_SPACES                                                             \
    " xmlns:ssd=\"d\" xmlns:ssc=\"c\" xmlns:ssv=\"v\" xmlns:ssm=\"m\" "        \
    "xmlns:ssb=\"b\""

/* A description around elements and what follows the system. */
#define SSD(version, system, rest)                                             \
    "<ssd:SystemStructureDescription" SSD_SPACES " version=\"" version         \
    "\" name=\"test\">\n<ssd:System name=\"root\">" system                     \
    "</ssd:System>" rest "</ssd:SystemStructureDescription>"

#define ELEMENTS(text)    "<ssd:Elements>" text "</ssd:Elements>"
#define CONNECTORS(text)  "<ssd:Connectors>" text "</ssd:Connectors>"
#define CONNECTIONS(text) "<ssd:Connections>" text "</ssd:Connections>"
#define CONNECTOR(name, kind)                                                  \
    "<ssd:Connector name=\"" name "\" kind=\"" kind "\"/>\n"
#define UNIT_CONNECTOR(name, kind, unit)                                       \
    "<ssd:Connector name=\"" name "\" kind=\"" kind                            \
    "\"><ssc:Real unit=\"" unit "\"/></ssd:Connector>\n"
#define COMPONENT(name, source, inside)                                        \
    "<ssd:Component name=\"" name "\" source=\"" source "\">" inside           \
    "</ssd:Component>\n"
#define SYSTEM(name, inside)                                                   \
    "<ssd:System name=\"" name "\">" inside "</ssd:System>\n"
/* Attributes of both ends. */
#define A(element, connector)                                                  \
    " startElement=\"" element "\" startConnector=\"" connector "\""
#define B(element, connector)                                                  \
    " endElement=\"" element "\" endConnector=\"" connector "\""
#define OWN_A(connector)     " startConnector=\"" connector "\""
#define OWN_B(connector)     " endConnector=\"" connector "\""
#define CONNECT(ends)        "<ssd:Connection" ends "/>\n"
#define CONNECT_BY(ends, by) "<ssd:Connection" ends ">" by "</ssd:Connection>\n"
#define LINEAR(factor, offset)                                                 \
    "<ssc:LinearTransformation factor=\"" factor "\" offset=\"" offset "\"/>"
#define PARAMETER(name, type, value)                                           \
    "<ssv:Parameter name=\"" name "\"><ssv:" type " value=\"" value            \
    "\"/></ssv:Parameter>\n"
#define SET(text)                                                              \
    "<ssv:ParameterSet" SSD_SPACES                                             \
    " version=\"1.0\" name=\"set\"><ssv:Parameters>" text                      \
    "</ssv:Parameters></ssv:ParameterSet>"
#define BINDINGS(text) "<ssd:ParameterBindings>" text "</ssd:ParameterBindings>"
#define BINDING(attributes, set, mapping)                                      \
    "<ssd:ParameterBinding " attributes "><ssd:ParameterValues>" set           \
    "</ssd:ParameterValues>" mapping "</ssd:ParameterBinding>"
#define MAPPING(text)                                                          \
    "<ssd:ParameterMapping><ssm:ParameterMapping" SSD_SPACES                   \
    " version=\"1.0\">" text "</ssm:ParameterMapping></ssd:ParameterMapping>"
#define ENTRY(source, target, by)                                              \
    "<ssm:MappingEntry source=\"" source "\" target=\"" target "\">" by        \
    "</ssm:MappingEntry>"

/* The description of an FMU with variables of each kind, without a binary. */
static inline const char *part_fmu(void)
{
    static const char *const variable[][3] = {
        { "u", "input", "Real start=\"0\" unit=\"rad/s\"" },
        { "w", "output", "Real unit=\"rad/s\"" },
        { "T", "output", "Real unit=\"K\"" },
        { "Tin", "input", "Real start=\"0\" unit=\"K\"" },
        { "on", "output", "Boolean" },
        { "enable", "input", "Boolean start=\"false\"" },
        { "gear", "output", "Integer min=\"1\" max=\"3\"" },
        { "stage", "input", "Integer start=\"1\"" },
        { "state", "output", "Enumeration declaredType=\"Mode\"" },
        { "wish", "input", "Enumeration declaredType=\"Wish\" start=\"10\"" },
        { "a b", "output", "Real" },
        { "it's", "input", "Real start=\"0\"" },
        { "R", "parameter", "Real start=\"1\" unit=\"K\"" },
        { "n", "parameter", "Integer start=\"1\"" },
        { "mode", "parameter",
          "Enumeration declaredType=\"Mode\" start=\"1\"" },
        { "label", "parameter", "String start=\"\"" },
        { "flag", "parameter", "Boolean start=\"false\"" },
    };
    static char xml[6000];
    size_t used = 0;

    used += (size_t)snprintf(
        xml, sizeof xml,
        "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"part\" "
        "guid=\"1\"><CoSimulation modelIdentifier=\"part\"/>"
        "<UnitDefinitions>"
        "<Unit name=\"rad/s\"><BaseUnit s=\"-1\" rad=\"1\"/></Unit>"
        "<Unit name=\"K\"><BaseUnit K=\"1\"/></Unit></UnitDefinitions>"
        "<TypeDefinitions><SimpleType name=\"Mode\"><Enumeration>"
        "<Item name=\"off\" value=\"1\"/><Item name=\"on\" value=\"2\"/>"
        "</Enumeration></SimpleType><SimpleType name=\"Wish\"><Enumeration>"
        "<Item name=\"go\" value=\"10\"/><Item name=\"off\" value=\"7\"/>"
        "</Enumeration></SimpleType></TypeDefinitions><ModelVariables>");
    for (size_t i = 0; i < sizeof variable / sizeof variable[0]; i++) {
        const bool real = strncmp(variable[i][2], "Real", 4) == 0;

        used += (size_t)snprintf(
            xml + used, sizeof xml - used,
            "<ScalarVariable name=\"%s\" valueReference=\"%zu\" "
            "causality=\"%s\" variability=\"%s\"><%s/></ScalarVariable>",
            variable[i][0], i, variable[i][1],
            strcmp(variable[i][1], "parameter") == 0 ? "fixed"
            : real                                   ? "continuous"
                                                     : "discrete",
            variable[i][2]);
    }
    snprintf(xml + used, sizeof xml - used,
             "</ModelVariables><ModelStructure/></fmiModelDescription>");
    return xml;
}

/* part.fmu, and a package around a description; `more` ends with a NULL name.
 */
static inline void make_package(place *p, const char *name, const char *ssd,
                                const yk_archive_item *more)
{
    yk_archive_item item[12] = {
        { .name = "modelDescription.xml", .text = part_fmu() },
    };
    int count = 2;

    CHECK_OK(yk_archive_write(in(p, "part.fmu"), 1, item, &p->err), &p->err);
    char fmu[256];
    snprintf(fmu, sizeof fmu, "%s", in(p, "part.fmu"));
    item[0] = (yk_archive_item){ .name = "SystemStructure.ssd", .text = ssd };
    item[1] = (yk_archive_item){ .name = "resources/part.fmu", .file = fmu };
    for (; more && more->name && count < 12; more++) item[count++] = *more;
    CHECK_OK(yk_archive_write(in(p, name), count, item, &p->err), &p->err);
}

#define PART "resources/part.fmu"

#endif
