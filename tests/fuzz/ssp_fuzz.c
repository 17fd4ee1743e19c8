/* tests/fuzz/ssp_fuzz.c -- readers of SSP take any bytes: they give the text of
 * a system file that is YAML, or a message.
 *
 * The first byte says what the others are: d a description, v a parameter set,
 * m a mapping, b a signal dictionary, z changes of a package: pairs of a place
 * and a byte.
 */
#define _XOPEN_SOURCE 700
#include "comp/fmu/archive.h"
#include "comp/fmu/ssp/ssp.h"
#include "file/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_ROUNDS 1500 /* each writes files */
#include "fuzz.h"

static char folder[] = "/tmp/yoke-fuzz-XXXXXX";
static char archive[8192];
static size_t archive_size;

static const char part[] =
    "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"p\" guid=\"1\">"
    "<CoSimulation modelIdentifier=\"p\"/><UnitDefinitions><Unit name=\"K\">"
    "<BaseUnit K=\"1\"/></Unit></UnitDefinitions><ModelVariables>"
    "<ScalarVariable name=\"u\" valueReference=\"1\" causality=\"input\">"
    "<Real start=\"0\" unit=\"K\"/></ScalarVariable>"
    "<ScalarVariable name=\"y\" valueReference=\"2\" causality=\"output\">"
    "<Real unit=\"K\"/></ScalarVariable>"
    "<ScalarVariable name=\"on\" valueReference=\"3\" causality=\"output\" "
    "variability=\"discrete\"><Boolean/></ScalarVariable>"
    "<ScalarVariable name=\"p\" valueReference=\"4\" causality=\"parameter\" "
    "variability=\"fixed\"><Real start=\"0\" unit=\"K\"/></ScalarVariable>"
    "<ScalarVariable name=\"s\" valueReference=\"5\" causality=\"parameter\" "
    "variability=\"fixed\"><String start=\"\"/></ScalarVariable>"
    "</ModelVariables><ModelStructure/></fmiModelDescription>";

/* Uses a set, a mapping and a dictionary in files. */
static const char whole[] =
    "<SystemStructureDescription version=\"2.0\" name=\"f\"><System "
    "name=\"r\"><ParameterBindings><ParameterBinding source=\"p.ssv\" "
    "prefix=\"x.\"><ParameterMapping source=\"m.ssm\"/></ParameterBinding>"
    "<ParameterBinding source=\"p.ssv\"/></ParameterBindings><Elements>"
    "<Component name=\"a\" source=\"part.fmu\"><Connectors><Connector "
    "name=\"u\" kind=\"input\"/><Connector name=\"y\" kind=\"output\"/>"
    "</Connectors></Component><SignalDictionaryReference name=\"r\" "
    "dictionary=\"bus\"><Connectors><Connector name=\"e\" kind=\"inout\"/>"
    "</Connectors></SignalDictionaryReference></Elements><Connections>"
    "<Connection startElement=\"a\" startConnector=\"y\" endElement=\"r\" "
    "endConnector=\"e\"/><Connection startElement=\"r\" startConnector=\"e\" "
    "endElement=\"a\" endConnector=\"u\"/></Connections><SignalDictionaries>"
    "<SignalDictionary name=\"bus\" source=\"b.ssb\"/></SignalDictionaries>"
    "</System></SystemStructureDescription>";
static const char set[] =
    "<ParameterSet version=\"1.0\" name=\"s\"><Parameters><Parameter "
    "name=\"a.p\"><Real value=\"1\" unit=\"K\"/></Parameter></Parameters>"
    "<Units><Unit name=\"K\"><BaseUnit K=\"1\"/></Unit></Units>"
    "</ParameterSet>";
static const char mapping[] =
    "<ParameterMapping version=\"1.0\"><MappingEntry source=\"x.a.p\" "
    "target=\"a.p\"><LinearTransformation factor=\"2\"/></MappingEntry>"
    "</ParameterMapping>";
static const char dictionary[] =
    "<SignalDictionary version=\"1.0\"><DictionaryEntry name=\"e\"><Real "
    "unit=\"K\"/></DictionaryEntry></SignalDictionary>";

static void check(int holds)
{
    if (!holds) abort();
}

static const char *in(const char *name)
{
    static char path[200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(in(name), "wb");

    check(file != NULL);
    check(fwrite(bytes, 1, size, file) == size);
    check(fclose(file) == 0);
}

static void clean(void)
{
    char *copy = NULL;

    if (yk_copy_text(&copy, folder, NULL) == YOKE_OK) yk_archive_remove(copy);
}

static void begin(void)
{
    const yk_archive_item fmu = { .name = "modelDescription.xml",
                                  .text = part };
    const yk_archive_item item[] = {
        { .name = "SystemStructure.ssd", .text = whole },
        { .name = "p.ssv", .text = set },
        { .name = "m.ssm", .text = mapping },
        { .name = "b.ssb", .text = dictionary },
    };
    FILE *file = NULL;

    check(mkdtemp(folder) != NULL);
    atexit(clean);
    check(setenv("TMPDIR", folder, 1) == 0);
    check(yk_archive_write(in("part.fmu"), 1, &fmu, NULL) == YOKE_OK);
    check(yk_archive_write(in("x.ssp"), 4, item, NULL) == YOKE_OK);
    file = fopen(in("x.ssp"), "rb");
    check(file != NULL);
    archive_size = fread(archive, 1, sizeof archive, file);
    check(archive_size > 0 && fclose(file) == 0);
}

static void put_all(const uint8_t *data, size_t size, char kind)
{
    static const struct {
        char kind;
        const char *name, *text;
    } file[] = {
        { 'd', "SystemStructure.ssd", whole },
        { 'v', "p.ssv", set },
        { 'm', "m.ssm", mapping },
        { 'b', "b.ssb", dictionary },
    };

    for (int i = 0; i < 4; i++) {
        const bool given = file[i].kind == kind;
        put(file[i].name, given ? (const void *)data : file[i].text,
            given ? size : strlen(file[i].text));
    }
}

static void put_archive(const uint8_t *data, size_t size)
{
    char copy[sizeof archive];

    memcpy(copy, archive, archive_size);
    for (size_t i = 0; i + 2 < size; i += 3)
        copy[(data[i] * 256u + data[i + 1]) % archive_size] = (char)data[i + 2];
    put("x.ssp", copy, archive_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    yoke_err err = { YOKE_OK, "" };
    yk_yaml_tree tree = { NULL, NULL };
    yk_ssp *ssp = NULL;
    char *text = NULL;

    if (size == 0) return 0;
    if (archive_size == 0) begin();
    const char kind = (char)data[0];
    if (kind == 'z')
        put_archive(data + 1, size - 1);
    else
        put_all(data + 1, size - 1, kind);
    yoke_status status = yk_ssp_open(
        &ssp, in(kind == 'z' ? "x.ssp" : "SystemStructure.ssd"), NULL, &err);
    if (status == YOKE_OK) status = yk_ssp_text(ssp, &text, &err);
    if (status == YOKE_OK) status = yk_ssp_about(ssp, &err);
    if (status == YOKE_OK)
        check(yk_yaml_parse(&tree, "f", text, strlen(text), &err) == YOKE_OK);
    else
        check(err.text[0] != '\0');
    yk_yaml_clear(&tree);
    yk_free(text);
    yk_ssp_close(ssp);
    return 0;
}

FUZZ_MAIN("ssp");
