/* tests/ssp/read_test.c -- what becomes of a package: each element, each
 * transformation, each parameter, as text. */
#define _XOPEN_SOURCE 700
#include "package.h"

#include "yoke/ssp.h"

/* The text of the system file that a package stands for. */
static char *text_of(place *p, const char *name, const char *variant,
                     char *warning)
{
    yk_ssp *ssp = NULL;
    char *text = NULL;

    CHECK_OK(yk_ssp_open(&ssp, in(p, name), variant, &p->err), &p->err);
    CHECK_OK(yk_ssp_text(ssp, &text, &p->err), &p->err);
    for (int i = 0; warning && i < ssp->warnings.count; i++)
        strcat(strcat(warning, ssp->warnings.item[i]), "\n");
    yk_ssp_close(ssp);
    return text;
}

static char *made(place *p, const char *ssd, const yk_archive_item *more)
{
    make_package(p, "x.ssp", ssd, more);
    return text_of(p, "x.ssp", NULL, NULL);
}

#define ALL                                                                    \
    CONNECTORS(                                                                \
        CONNECTOR("u", "input") CONNECTOR("w", "output") CONNECTOR(            \
            "T", "output") CONNECTOR("Tin", "input") CONNECTOR("on", "output") \
            CONNECTOR("enable", "input") CONNECTOR("gear", "output")           \
                CONNECTOR("state", "output") CONNECTOR("wish", "input")        \
                    CONNECTOR("stage", "input") CONNECTOR("a b", "output")     \
                        CONNECTOR("it's", "input") CONNECTOR("R", "parameter") \
                            CONNECTOR("n", "parameter")                        \
                                CONNECTOR("mode", "parameter")                 \
                                    CONNECTOR("flag", "parameter"))
#define TWO ELEMENTS(COMPONENT("a", PART, ALL) COMPONENT("b", PART, ALL))

static void a_transformation_is_a_factor_and_a_constant(void **state)
{
    place p;

    (void)state;
    place_make(&p);
    char *text =
        made(&p,
             SSD("1.0",
                 TWO CONNECTIONS(
                     CONNECT_BY(A("a", "w") B("b", "u"), LINEAR("2.5", "-4"))
                         CONNECT(A("b", "w") B("a", "u"))),
                 "<ssd:DefaultExperiment startTime=\"2\" stopTime=\"5.5\"/>"),
             NULL);
    CHECK_CONTAINS(text, "\"a.u = b.w\"");
    CHECK_CONTAINS(text, "\"b.u = 2.5*a.w - 4\"");
    CHECK_CONTAINS(text, "run: {start: 2, stop: 5.5}");
    CHECK_CONTAINS(text, "inputs: [\"u\"]");
    yk_free(text);
    place_remove(&p);
}

/* deg C -> K has an offset; the unit is converted before the transformation. */
static void units_are_converted_first(void **state)
{
#define UNITS                                                                  \
    "<ssd:Units><ssc:Unit name=\"degC\"><ssc:BaseUnit K=\"1\" "                \
    "offset=\"273.15\"/></ssc:Unit><ssc:Unit name=\"K\"><ssc:BaseUnit "        \
    "K=\"1\"/></ssc:Unit><ssc:Unit name=\"mK\"><ssc:BaseUnit K=\"1\" "         \
    "factor=\"0.001\"/></ssc:Unit></ssd:Units>"
    static const char system[] = SSD(
        "1.0",
        ELEMENTS(COMPONENT("a", PART, ALL) SYSTEM(
            "s", CONNECTORS(UNIT_CONNECTOR("in", "input", "mK") CONNECTOR(
                     "plain", "input")) ELEMENTS(COMPONENT("b", PART, ALL)
                                                     COMPONENT("c", PART, ALL))
                     CONNECTIONS(
                         CONNECT_BY(OWN_A("in") B("b", "Tin"), LINEAR("3", "1"))
                             CONNECT(OWN_A("plain") B("c", "Tin")))))
            CONNECTIONS(CONNECT(A("a", "T") B("s", "in"))
                            CONNECT(A("a", "T") B("s", "plain"))),
        UNITS);
    place p;

    (void)state;
    place_make(&p);
    char *text = made(&p, system, NULL);
    CHECK_CONTAINS(text, "\"s.b.Tin = 3*a.T + 1\"");
    CHECK_CONTAINS(text, "\"s.c.Tin = a.T\"");
    yk_free(text);
    place_remove(&p);
}

static void a_unit_may_be_suppressed(void **state)
{
    place p;

    (void)state;
    place_make(&p);
    char *text = made(&p,
                      SSD("2.0",
                          TWO CONNECTIONS(CONNECT(A("a", "w") B(
                              "b", "Tin") " suppressUnitConversion=\"true\"")),
                          ""),
                      NULL);
    CHECK_CONTAINS(text, "\"b.Tin = a.w\", units: ignore");
    yk_free(text);
    place_remove(&p);
}

/* not x = 1 - x; gears 1..3 to 11..13 are a shift. */
static void maps_on_a_line_are_signals(void **state)
{
    place p;

    (void)state;
    place_make(&p);
    char *text = made(
        &p,
        SSD("1.0",
            TWO CONNECTIONS(
                CONNECT_BY(A("a", "on") B("b", "enable"),
                           "<ssc:BooleanMappingTransformation>"
                           "<ssc:MapEntry source=\"true\" target=\"false\"/>"
                           "<ssc:MapEntry source=\"0\" target=\"1\"/>"
                           "</ssc:BooleanMappingTransformation>")
                    CONNECT_BY(A("a", "gear") B("b", "stage"),
                               "<ssc:IntegerMappingTransformation>"
                               "<ssc:MapEntry source=\"1\" target=\"11\"/>"
                               "<ssc:MapEntry source=\"2\" target=\"12\"/>"
                               "<ssc:MapEntry source=\"3\" target=\"13\"/>"
                               "</ssc:IntegerMappingTransformation>")
                        CONNECT_BY(A("a", "state") B("b", "wish"),
                                   "<ssc:EnumerationMappingTransformation>"
                                   "<ssc:MapEntry source=\"on\" "
                                   "target=\"go\"/>"
                                   "</ssc:EnumerationMappingTransformation>")),
            ""),
        NULL);
    CHECK_CONTAINS(text, "\"b.enable = -1*a.on + 1\"");
    CHECK_CONTAINS(text, "\"b.stage = a.gear + 10\"");
    CHECK_CONTAINS(text, "\"b.wish = 3*a.state + 4\"");
    yk_free(text);
    place_remove(&p);
}

static void names_of_any_spelling_stay_apart(void **state)
{
    place p;

    (void)state;
    place_make(&p);
    char *text = made(
        &p,
        SSD("1.0",
            ELEMENTS(COMPONENT("s.m", PART, ALL) SYSTEM(
                "s", CONNECTORS(CONNECTOR("y", "output"))
                         ELEMENTS(COMPONENT("m", PART, ALL))
                             CONNECTIONS(CONNECT(A("m", "a b") OWN_B("y"))))
                         COMPONENT("it's [1] \xc3\xb6", PART, ALL)
                             COMPONENT("run", PART, ""))
                CONNECTIONS(CONNECT(A("s", "y") B("s.m", "it's")) CONNECT(
                    A("s.m", "a b") B("it's [1] \xc3\xb6", "it's"))),
            ""),
        NULL);
    CHECK_CONTAINS(text, "  \"'s.m'\": {");
    CHECK_CONTAINS(text, "  \"'run'\": {");
    CHECK_CONTAINS(text, "  \"s.m\": {");
    CHECK_CONTAINS(text, "  \"'it''s [1] \xc3\xb6'\": {");
    CHECK_CONTAINS(text, "\"'s.m'.'it''s' = s.m.'a b'\"");
    CHECK_CONTAINS(text, "\"'it''s [1] \xc3\xb6'.'it''s' = 's.m'.'a b'\"");
    yk_free(text);
    place_remove(&p);
}

/* ---- parameters -------------------------------------------------------- */

#define CELSIUS                                                                \
    "<ssv:Units><ssc:Unit name=\"degC\"><ssc:BaseUnit K=\"1\" "                \
    "offset=\"273.15\"/></ssc:Unit></ssv:Units>"

static void a_set_is_mapped_with_its_prefix(void **state)
{
    static const char set[] =
        "<ssv:ParameterSet" SSD_SPACES
        " version=\"2.0\" name=\"set\"><ssv:Parameters>"
        "<ssv:Parameter name=\"temp\"><ssv:Real value=\"20\" unit=\"degC\"/>"
        "</ssv:Parameter>" PARAMETER("m", "Enumeration", "an")
            PARAMETER("left", "Real", "7") "</ssv:Parameters>" CELSIUS
                                           "</ssv:ParameterSet>";
    static const char mapping[] =
        "<ssm:ParameterMapping" SSD_SPACES
        " version=\"1.0\">" ENTRY("x.temp", "s.a.R", LINEAR("2", "1"))
            ENTRY("x.temp", "b.R", "")
                ENTRY("x.m", "b.mode",
                      "<ssc:EnumerationMappingTransformation>"
                      "<ssc:MapEntry source=\"an\" target=\"on\"/>"
                      "</ssc:EnumerationMappingTransformation>")
                    ENTRY("x.none", "b.n", "") "</ssm:ParameterMapping>";
    const yk_archive_item files[] = {
        { .name = "resources/p q.ssv", .text = set },
        { .name = "resources/map.ssm", .text = mapping },
        { .name = NULL },
    };
    char warning[1000] = "";
    place p;

    (void)state;
    place_make(&p);
    make_package(
        &p, "x.ssp",
        SSD("2.0",
            BINDINGS("<ssd:ParameterBinding source=\"resources/p%20q.ssv\" "
                     "prefix=\"x.\"><ssd:ParameterMapping "
                     "source=\"resources/map.ssm\"/></ssd:ParameterBinding>")
                ELEMENTS(SYSTEM("s", ELEMENTS(COMPONENT("a", PART, "")))
                             COMPONENT("b", PART, "")),
            ""),
        files);
    char *text = text_of(&p, "x.ssp", NULL, warning);
    CHECK_CONTAINS(text, "parameters: {\"R\": \"587.3\"}");
    CHECK_CONTAINS(text, "parameters: {\"R\": \"293.15\", \"mode\": \"2\"}");
    CHECK_CONTAINS(warning, "map.ssm:1: the parameter \"x.none\"");
    yk_free(text);
    place_remove(&p);
}

static void outer_and_later_bindings_win(void **state)
{
    char warning[1000] = "";
    place p;

    (void)state;
    place_make(&p);
    make_package(
        &p, "x.ssp",
        SSD("1.0",
            BINDINGS(BINDING("",
                             SET(PARAMETER("s.a.n", "Integer", "5")
                                     PARAMETER("gone", "Real", "1")),
                             "")
                         BINDING("prefix=\"s.\"",
                                 SET(PARAMETER("a.R", "Real", "9")), ""))
                ELEMENTS(SYSTEM(
                    "s",
                    BINDINGS(
                        BINDING("", SET(PARAMETER("a.n", "Integer", "4")), ""))
                        ELEMENTS(COMPONENT(
                            "a", PART,
                            BINDINGS(BINDING(
                                "",
                                SET(PARAMETER("n", "Integer", "3")
                                        PARAMETER("R", "Real", "1") PARAMETER(
                                            "label", "String", "a&quot;b\\")
                                            PARAMETER("flag", "Boolean", "1")),
                                "") BINDING("",
                                            SET(PARAMETER("R", "Real", "2")),
                                            "")))))),
            ""),
        NULL);
    char *text = text_of(&p, "x.ssp", NULL, warning);
    CHECK_CONTAINS(text, "\"R\": \"9\"");
    CHECK_CONTAINS(text, "\"n\": \"5\"");
    CHECK_CONTAINS(text, "\"label\": \"a\\\"b\\\\\"");
    CHECK_CONTAINS(text, "\"flag\": \"true\"");
    CHECK_CONTAINS(warning, "parameter \"gone\" fits nothing");
    yk_free(text);
    place_remove(&p);
}

/* A parameter, and an input that nothing feeds, of the whole system. */
static void values_of_systems_go_where_they_are_connected(void **state)
{
    place p;

    (void)state;
    place_make(&p);
    char *text = made(
        &p,
        SSD("1.0",
            CONNECTORS(CONNECTOR("gain", "parameter") CONNECTOR("load", "input")
                           CONNECTOR("speed", "output"))
                BINDINGS(BINDING("",
                                 SET(PARAMETER("gain", "Real", "4")
                                         PARAMETER("load", "Real", "3")),
                                 "")) ELEMENTS(COMPONENT("a", PART, ALL))
                    CONNECTIONS(
                        CONNECT_BY(OWN_A("gain") B("a", "R"), LINEAR("10", "0"))
                            CONNECT(OWN_A("load") B("a", "u"))
                                CONNECT(A("a", "w") OWN_B("speed"))),
            ""),
        NULL);
    CHECK_CONTAINS(text, "inputs: [],\n    parameters: {\"u\": \"3\", \"R\": "
                         "\"40\"}");
    yk_free(text);
    place_remove(&p);
}

/* ---- nested descriptions, variants, dictionaries ------------------------- */

static void descriptions_and_packages_may_be_components(void **state)
{
    static const char inner[] =
        SSD("1.0",
            CONNECTORS(CONNECTOR("out", "output"))
                ELEMENTS(COMPONENT("m", "part.fmu", ALL))
                    CONNECTIONS(CONNECT(A("m", "w") OWN_B("out"))),
            "");
    static const char outer[] = SSD(
        "2.0",
        ELEMENTS(
            COMPONENT("one", "resources/inner.ssd",
                      CONNECTORS(CONNECTOR("out", "output")) BINDINGS(BINDING(
                          "", SET(PARAMETER("m.n", "Integer", "6")), "")))
                COMPONENT("two", "resources/inner.ssp#B.ssd",
                          CONNECTORS(CONNECTOR("out", "output")))
                    COMPONENT("three", "#twice", "")
                        SYSTEM("s\" id=\"twice",
                               CONNECTORS(CONNECTOR("z", "output"))
                                   ELEMENTS(COMPONENT("m", PART, ALL))))
            CONNECTIONS(""),
        "");
    place p;

    (void)state;
    place_make(&p);
    char *ignored = made(&p, SSD("1.0", TWO, ""), NULL); /* makes part.fmu */
    char fmu[256], package[256];
    snprintf(fmu, sizeof fmu, "%s", in(&p, "part.fmu"));
    snprintf(package, sizeof package, "%s", in(&p, "inner.ssp"));
    const yk_archive_item nested[] = {
        { .name = "SystemStructure.ssd", .text = "<nonsense/>" },
        { .name = "B.ssd", .text = inner },
        { .name = "part.fmu", .file = fmu },
    };
    CHECK_OK(yk_archive_write(package, 3, nested, &p.err), &p.err);
    const yk_archive_item more[] = {
        { .name = "resources/inner.ssd", .text = inner },
        { .name = "resources/inner.ssp", .file = package },
        { .name = NULL },
    };
    char *text = made(&p, outer, more);
    CHECK_CONTAINS(text, "\"one.m\": {");
    CHECK_CONTAINS(text, "\"n\": \"6\"");
    CHECK_CONTAINS(text, "\"two.m\": {");
    CHECK_CONTAINS(text, "\"three.m\": {");
    CHECK_CONTAINS(text, "\"s.m\": {");
    yk_free(ignored);
    yk_free(text);
    place_remove(&p);
}

static void variants_are_chosen_by_name(void **state)
{
    const yk_archive_item more[] = {
        { .name = "Other.ssd",
          .text = "<ssd:SystemStructureDescription xmlns:ssd=\"d\" "
                  "version=\"1.0\" name=\"the other one\"><ssd:System "
                  "name=\"r\"><ssd:Elements><ssd:Component name=\"z\" "
                  "source=\"resources/part.fmu\"/></ssd:Elements></ssd:System>"
                  "</ssd:SystemStructureDescription>" },
        { .name = NULL },
    };
    static const char *const names[] = { "Other.ssd", "Other",
                                         "the other one" };
    yk_ssp *ssp = NULL;
    place p;

    (void)state;
    place_make(&p);
    char *text = made(&p, SSD("1.0", TWO, ""), more);
    CHECK_CONTAINS(text, "  \"a\": {");
    yk_free(text);
    for (int i = 0; i < 3; i++) {
        text = text_of(&p, "x.ssp", names[i], NULL);
        CHECK_CONTAINS(text, "  \"z\": {");
        yk_free(text);
    }
    assert_int_equal(yk_ssp_open(&ssp, in(&p, "x.ssp"), "third", &p.err),
                     YOKE_E_ARG);
    CHECK_CONTAINS(p.err.text, "no variant \"third\" in it; it has Other.ssd, "
                               "SystemStructure.ssd");
    place_remove(&p);
}

static void a_signal_dictionary_joins_its_references(void **state)
{
#define REFERENCE(name, text)                                                  \
    "<ssd:SignalDictionaryReference name=\"" name                              \
    "\" dictionary=\"bus\">" CONNECTORS(                                       \
        text) "</ssd:SignalDictionaryReference>"
    static const char system[] = SSD(
        "1.0",
        ELEMENTS(COMPONENT("a", PART,
                           ALL) REFERENCE("r1", CONNECTOR("speed", "inout"))
                     SYSTEM("s", ELEMENTS(COMPONENT("b", PART, ALL) REFERENCE(
                                     "r2", CONNECTOR("speed", "inout")))
                                     CONNECTIONS(CONNECT(A("r2", "speed")
                                                             B("b", "u")))))
            CONNECTIONS(CONNECT_BY(
                A("a", "w") B("r1", "speed"),
                LINEAR("2",
                       "0"))) "<ssd:SignalDictionaries><ssd:SignalDictionary "
                              "name=\"bus\" "
                              "source=\"bus.ssb\"/></ssd:SignalDictionaries>",
        "");
    const yk_archive_item more[] = {
        { .name = "bus.ssb",
          .text = "<ssb:SignalDictionary" SSD_SPACES
                  " version=\"1.0\"><ssb:DictionaryEntry name=\"speed\">"
                  "<ssc:Real unit=\"krad/s\"/></ssb:DictionaryEntry><ssb:Units>"
                  "<ssc:Unit name=\"krad/s\"><ssc:BaseUnit s=\"-1\" rad=\"1\" "
                  "factor=\"1000\"/></ssc:Unit></ssb:Units>"
                  "</ssb:SignalDictionary>" },
        { .name = NULL },
    };
    place p;

    (void)state;
    place_make(&p);
    char *text = made(&p, system, more);
    CHECK_CONTAINS(text, "\"s.b.u = 2*a.w\"");
    yk_free(text);
    place_remove(&p);
}

/* FMI 3: arrays are connected element by element. */
static void arrays_are_connected_as_wholes(void **state)
{
    static const yk_archive_item description = {
        .name = "modelDescription.xml",
        .text =
            "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"arrays\" "
            "instantiationToken=\"1\"><CoSimulation "
            "modelIdentifier=\"arrays\"/><ModelVariables>"
            "<Float64 name=\"u\" valueReference=\"1\" causality=\"input\" "
            "start=\"0 0\"><Dimension start=\"2\"/></Float64>"
            "<Float64 name=\"y\" valueReference=\"2\" causality=\"output\">"
            "<Dimension start=\"2\"/></Float64>"
            "<Float64 name=\"p\" valueReference=\"3\" causality=\"parameter\" "
            "variability=\"fixed\" start=\"0 0\"><Dimension start=\"2\"/>"
            "</Float64></ModelVariables><ModelStructure/>"
            "</fmiModelDescription>",
    };
    static const char system[] = SSD(
        "2.0",
        ELEMENTS(COMPONENT(
            "a", "resources/arrays.fmu",
            CONNECTORS("<ssd:Connector name=\"u\" kind=\"input\"><ssc:Float64/>"
                       "<ssc:Dimension size=\"2\"/></ssd:Connector>" CONNECTOR(
                           "y", "output"))
                BINDINGS(BINDING("", SET(PARAMETER("p", "Float64", " 1.5  2 ")),
                                 ""))))
            CONNECTIONS(CONNECT_BY(A("a", "y") B("a", "u"), LINEAR("-1", "0"))),
        "");
    place p;

    (void)state;
    place_make(&p);
    CHECK_OK(yk_archive_write(in(&p, "arrays.fmu"), 1, &description, &p.err),
             &p.err);
    char fmu[256];
    snprintf(fmu, sizeof fmu, "%s", in(&p, "arrays.fmu"));
    const yk_archive_item more[] = {
        { .name = "resources/arrays.fmu", .file = fmu }, { .name = NULL }
    };
    char *text = made(&p, system, more);
    CHECK_CONTAINS(text, "\"a.'u[1]' = -1*a.'y[1]'\"");
    CHECK_CONTAINS(text, "\"a.'u[2]' = -1*a.'y[2]'\"");
    CHECK_CONTAINS(text, "\"p\": \"1.5 2\"");
    yk_free(text);
    place_remove(&p);
}

/* A description on the disk, without a package. */
static void a_description_is_read_beside_its_files(void **state)
{
    place p;

    (void)state;
    place_make(&p);
    char *text = made(&p, SSD("1.0", TWO, ""), NULL); /* makes part.fmu */
    yk_free(text);
    FILE *file = fopen(in(&p, "SystemStructure.ssd"), "w");
    assert_non_null(file);
    fputs(SSD("1.0", ELEMENTS(COMPONENT("here", "part.fmu", "")), ""), file);
    fclose(file);
    text = text_of(&p, "SystemStructure.ssd", NULL, NULL);
    CHECK_CONTAINS(text, "  \"here\": {fmu: \"");
    yk_free(text);
    place_remove(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_transformation_is_a_factor_and_a_constant),
        cmocka_unit_test(units_are_converted_first),
        cmocka_unit_test(a_unit_may_be_suppressed),
        cmocka_unit_test(maps_on_a_line_are_signals),
        cmocka_unit_test(names_of_any_spelling_stay_apart),
        cmocka_unit_test(a_set_is_mapped_with_its_prefix),
        cmocka_unit_test(outer_and_later_bindings_win),
        cmocka_unit_test(values_of_systems_go_where_they_are_connected),
        cmocka_unit_test(descriptions_and_packages_may_be_components),
        cmocka_unit_test(variants_are_chosen_by_name),
        cmocka_unit_test(a_signal_dictionary_joins_its_references),
        cmocka_unit_test(arrays_are_connected_as_wholes),
        cmocka_unit_test(a_description_is_read_beside_its_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
