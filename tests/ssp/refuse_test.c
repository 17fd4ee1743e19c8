/* tests/ssp/refuse_test.c -- what is wrong with a package, or not supported, is
 * said with its place; nothing crashes, nothing is left behind. */
#define _XOPEN_SOURCE 700
#include "package.h"

#include <dirent.h>

#define IN_OUT                                                                 \
    CONNECTORS(CONNECTOR("u", "input") CONNECTOR("w", "output")                \
                   CONNECTOR("Tin", "input") CONNECTOR("label", "parameter")   \
                       CONNECTOR("R", "parameter") CONNECTOR("on", "output")   \
                           CONNECTOR("stage", "input")                         \
                               CONNECTOR("gear", "output"))
#define TWO          ELEMENTS(COMPONENT("a", PART, IN_OUT) COMPONENT("b", PART, IN_OUT))
#define ONE(binding) ELEMENTS(COMPONENT("a", PART, IN_OUT BINDINGS(binding)))
#define VALUE(name, type, value)                                               \
    ONE(BINDING("", SET(PARAMETER(name, type, value)), ""))

typedef struct wrong {
    const char *ssd, *message;
} wrong;

static const wrong list[] = {
    { "", "SystemStructure.ssd:" },
    { "<a>", "SystemStructure.ssd:1:" },
    { "<a/>", "this is not a system structure description" },
    { "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "document type" },
    { SSD("3.0", TWO, ""), "SSP version \"3.0\"; Yoke reads 1.0 and 2.0" },
    { "<SystemStructureDescription version=\"1.0\"/>", "there is no system" },
    { SSD("1.0", "", ""), "there is no component in this system" },
    { SSD("1.0", ELEMENTS(""), ""), "there is no component in this system" },
    { SSD("1.0", ELEMENTS("<ssd:Component name=\"a\"/>"), ""),
      "SystemStructure.ssd:2: component \"a\" has no source" },
    { SSD("1.0", ELEMENTS(COMPONENT("", PART, "")), ""),
      "an element without a name" },
    { SSD("1.0", ELEMENTS("<ssd:Component source=\"x\"/>"), ""),
      "the attribute \"name\" is missing" },
    { SSD("1.0", ELEMENTS(COMPONENT("a", "resources/no.fmu", "")), ""),
      "there is no such file in the package" },
    { SSD("1.0", ELEMENTS(COMPONENT("a", "../part.fmu", "")), ""),
      "is not a file below the folder" },
    { SSD("1.0", ELEMENTS(COMPONENT("a", "%2e%2e/part.fmu", "")), ""),
      "is not a file below the folder" },
    { SSD("1.0", ELEMENTS(COMPONENT("a", "/etc/passwd", "")), ""),
      "is not a file below the folder" },
    { SSD("1.0", ELEMENTS(COMPONENT("a", "http://x/y.fmu", "")), ""),
      "is not a file below the folder" },
    { SSD("1.0", ELEMENTS(COMPONENT("a", "resources", "")), ""),
      "there is no such file" },
    { SSD("1.0", ELEMENTS(COMPONENT("a", "SystemStructure.ssd", "")), ""),
      "descriptions cannot contain themselves" },
    { SSD("1.0", ELEMENTS(COMPONENT("a", "#none", "")), ""),
      "no system has id=\"none\"" },
    { SSD("1.0",
          ELEMENTS(
              SYSTEM("s\" id=\"own", ELEMENTS(COMPONENT("a", "#own", "")))),
          ""),
      "\"s.a\" refers to the system that it is in" },
    { SSD("1.0", ELEMENTS(COMPONENT("a", PART "\" type=\"text/x-modelica", "")),
          ""),
      "is of the type text/x-modelica, which is not supported" },
    { SSD("1.0",
          ELEMENTS(COMPONENT("a", PART "\" implementation=\"ScheduledExecution",
                             "")),
          ""),
      "implementation=\"ScheduledExecution\" is not supported" },
    { SSD("1.0",
          ELEMENTS(
              COMPONENT("a", PART "\" implementation=\"ModelExchange", "")),
          ""),
      "part.fmu has no ModelExchange" },
    { SSD("1.0", ELEMENTS(COMPONENT("a", PART, "") COMPONENT("a", PART, "")),
          ""),
      "there are two elements named \"a\"" },
    { SSD("1.0",
          ELEMENTS(COMPONENT(
              "a", PART,
              CONNECTORS(CONNECTOR("u", "input") CONNECTOR("u", "input")))),
          ""),
      "a has two connectors named \"u\"" },
    { SSD("1.0",
          ELEMENTS(COMPONENT("a", PART, CONNECTORS(CONNECTOR("u", "sink")))),
          ""),
      "kind=\"sink\" is not a kind of connector" },
    { SSD("1.0", TWO CONNECTIONS(CONNECT(A("c", "w") B("b", "u"))), ""),
      "there is no element \"c\" in the system" },
    { SSD("1.0", TWO CONNECTIONS(CONNECT(A("a", "ww") B("b", "u"))), ""),
      "a has no connector \"ww\"; it has: u, w, Tin" },
    { SSD("1.0", TWO CONNECTIONS(CONNECT(OWN_A("w") B("b", "u"))), ""),
      "the system has no connector \"w\"" },
    { SSD("1.0", TWO CONNECTIONS(CONNECT(A("a", "u") B("b", "u"))), ""),
      "cannot be connected: none can feed the other" },
    { SSD("1.0", TWO CONNECTIONS(CONNECT(A("a", "w") B("b", "w"))), ""),
      "cannot be connected" },
    { SSD("1.0",
          TWO CONNECTIONS(CONNECT(A("a", "w") B("b", "u"))
                              CONNECT(A("b", "w") B("b", "u"))),
          ""),
      "\"u\" of b has a connection in line " },
    { SSD("1.0", TWO CONNECTIONS(CONNECT(A("a", "w") B("b", "Tin"))), ""),
      "rad/s cannot be converted into K: they measure different things; "
      "correct the units, or write suppressUnitConversion" },
    { SSD("1.0",
          ELEMENTS(COMPONENT("a", PART,
                             CONNECTORS(UNIT_CONNECTOR("u", "input", "K")
                                            CONNECTOR("w", "output"))))
              CONNECTIONS(CONNECT(A("a", "w") B("a", "u"))),
          ""),
      "connector \"u\" of a is in K, but the variable of the FMU in rad/s" },
    { SSD("1.0",
          ELEMENTS(COMPONENT(
              "a", PART,
              CONNECTORS(CONNECTOR("zz", "input") CONNECTOR("w", "output"))))
              CONNECTIONS(CONNECT(A("a", "w") B("a", "zz"))),
          ""),
      "has no variable \"zz\", which is a connector of a" },
    { SSD("1.0",
          ELEMENTS(COMPONENT(
              "a", PART,
              CONNECTORS(CONNECTOR("w", "input") CONNECTOR("T", "output"))))
              CONNECTIONS(CONNECT(A("a", "T") B("a", "w"))),
          ""),
      "connector \"w\" of a is of the kind input, which the variable" },
    { SSD("1.0", TWO CONNECTIONS(CONNECT(A("a", "w") B("b", "stage"))), ""),
      "a real number cannot feed a whole number" },
    { SSD("1.0", TWO CONNECTIONS(CONNECT(A("a", "gear") B("b", "R"))), ""),
      "the parameter \"R\" of b is computed by a: this is not supported" },
    { SSD("1.0",
          TWO CONNECTIONS(CONNECT(A("a", "w") B("b", "u") " endIndices=\"1\"")),
          ""),
      "endIndices is not supported" },
    { SSD("1.0",
          TWO CONNECTIONS(CONNECT_BY(
              A("a", "gear") B("b", "stage"),
              "<ssc:IntegerMappingTransformation><ssc:MapEntry source=\"2\" "
              "target=\"5\"/></ssc:IntegerMappingTransformation>")),
          ""),
      "the mapping of values into \"stage\" of b is not supported" },
    { SSD("1.0",
          TWO CONNECTIONS(
              CONNECT_BY(A("a", "w") B("b", "u"), LINEAR("two", "0"))),
          ""),
      "factor=\"two\" is not a number" },
    { SSD("1.0",
          TWO CONNECTIONS(CONNECT_BY(A("a", "w") B("b", "u"),
                                     LINEAR("2", "0") LINEAR("3", "0"))),
          ""),
      "two transformations of one value" },
    { SSD("1.0",
          CONNECTORS(CONNECTOR("x", "input") CONNECTOR("y", "output"))
              ELEMENTS(COMPONENT("b", PART, IN_OUT) SYSTEM(
                  "s",
                  CONNECTORS(CONNECTOR("i", "input") CONNECTOR("o", "output"))
                      CONNECTIONS(CONNECT(OWN_A("i") OWN_B("o")))))
                  CONNECTIONS(CONNECT(A("s", "o") B("s", "i"))
                                  CONNECT(A("s", "o") B("b", "u"))),
          ""),
      "is connected with itself in a circle" },
    { SSD("1.0", VALUE("R", "Real", "hot"), ""), "this is not a number" },
    { SSD("1.0", VALUE("n", "Real", "1.5"), ""), "not a whole number" },
    { SSD("1.0", VALUE("mode", "Enumeration", "up"), ""),
      "the enumeration of the FMU has no such item" },
    { SSD("1.0", VALUE("R", "String", "1"), ""), "a number is expected" },
    { SSD("1.0", VALUE("label", "Real", "1"), ""), "a text is expected" },
    { SSD("1.0", VALUE("flag", "Real", "2"), ""), "neither true nor false" },
    { SSD("1.0", VALUE("label", "Binary", "00"), ""),
      "binary values are not supported" },
    { SSD("1.0", VALUE("R", "Real", "1 2"), ""),
      "the number of values is another" },
    { SSD("1.0", VALUE("w", "Real", "1"), ""),
      "is computed by the FMU and cannot be given a value" },
    { SSD("1.0", ONE(BINDING("", SET("<ssv:Parameter name=\"R\"/>"), "")), ""),
      "parameter \"R\" has no type and value" },
    { SSD("1.0", ONE(BINDING("", "<ssv:ParameterSet version=\"9.0\"/>", "")),
          ""),
      "version \"9.0\"; Yoke reads 1.0 and 2.0" },
    { SSD("1.0", ONE(BINDING("", "", "")), ""),
      "there is no ParameterSet here" },
    { SSD("1.0",
          ONE("<ssd:ParameterBinding type=\"text/csv\" source=\"x.csv\"/>"),
          ""),
      "parameters of the type text/csv are not supported" },
    { SSD("1.0", ONE("<ssd:ParameterBinding source=\"x.ssv\"/>"), ""),
      "there is no such file" },
    { SSD("1.0",
          ONE("<ssd:ParameterBinding source=\"no.ssv\" "
              "sourceBase=\"component\"/>"),
          ""),
      "there is no no.ssv in it" },
    { SSD("1.0",
          ONE(BINDING(
              "", SET(PARAMETER("R", "Real", "1") PARAMETER("R", "Real", "2")),
              "")),
          ""),
      "there are two parameters named \"R\"" },
    { SSD("1.0",
          ONE(BINDING("", SET(PARAMETER("x", "Real", "1")),
                      MAPPING(ENTRY("x", "R", "") ENTRY("x", "R", "")))),
          ""),
      "two parameters are mapped to \"R\"" },
    { SSD("1.0",
          ONE(BINDING("",
                      "<ssv:ParameterSet version=\"1.0\"><ssv:Parameters>"
                      "<ssv:Parameter name=\"R\"><ssv:Real value=\"1\" "
                      "unit=\"kg\"/></ssv:Parameter></ssv:Parameters>"
                      "</ssv:ParameterSet>",
                      "")),
          ""),
      "kg cannot be converted into K" },
    { SSD("1.0", TWO,
          "<ssd:Units><ssc:Unit name=\"x\"><ssc:BaseUnit factor=\"0\"/>"
          "</ssc:Unit></ssd:Units>"),
      "unit \"x\" has the factor 0" },
    { SSD("1.0", TWO, "<ssd:DefaultExperiment stopTime=\"soon\"/>"),
      "stopTime=\"soon\" is not a number" },
    { SSD("1.0",
          ELEMENTS(COMPONENT("a", PART,
                             "") "<ssd:SignalDictionaryReference name=\"r\" "
                                 "dictionary=\"bus\"/>"),
          ""),
      "there is no signal dictionary \"bus\"" },
    { SSD("1.0",
          ELEMENTS(COMPONENT("a",
                             "SystemStructure.ssd\" "
                             "type=\"application/x-fmu-sharedlibrary",
                             "")),
          ""),
      "component \"a\"" },
};

/* Unpacked archives in the folder of the test. */
static int folders_left(const place *p)
{
    int count = 0;
    DIR *open = opendir(p->folder);

    assert_non_null(open);
    for (const struct dirent *e; (e = readdir(open));)
        count += strncmp(e->d_name, "yoke-", 5) == 0;
    closedir(open);
    return count;
}

static yoke_status read_package(place *p, const char *name)
{
    yk_ssp *ssp = NULL;
    char *text = NULL;
    yoke_status status;

    memset(&p->err, 0, sizeof p->err);
    status = yk_ssp_open(&ssp, in(p, name), NULL, &p->err);
    if (status == YOKE_OK) status = yk_ssp_text(ssp, &text, &p->err);
    yk_free(text);
    yk_ssp_close(ssp);
    return status;
}

static void every_mistake_has_its_sentence(void **state)
{
    place p;

    (void)state;
    place_make(&p);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        make_package(&p, "x.ssp", list[i].ssd, NULL);
        assert_true(read_package(&p, "x.ssp") < 0);
        CHECK_CONTAINS(p.err.text, list[i].message);
    }
    place_remove(&p);
}

static void what_is_no_package_is_refused(void **state)
{
    static const char *const content[] = { "", "PK\x03\x04 cut off",
                                           "no archive at all" };
    place p;

    (void)state;
    place_make(&p);
    for (int i = 0; i < 3; i++) {
        FILE *file = fopen(in(&p, "x.ssp"), "w");
        assert_non_null(file);
        fputs(content[i], file);
        fclose(file);
        assert_true(read_package(&p, "x.ssp") < 0);
        CHECK_CONTAINS(p.err.text, "x.ssp");
    }
    assert_true(read_package(&p, "none.ssp") < 0);
    assert_true(read_package(&p, "none.ssd") < 0);
    const yk_archive_item none = { .name = "a.txt", .text = "x" };
    CHECK_OK(yk_archive_write(in(&p, "x.ssp"), 1, &none, &p.err), &p.err);
    assert_true(read_package(&p, "x.ssp") < 0);
    CHECK_CONTAINS(p.err.text, "there is no SystemStructure.ssd in it");
    const yk_archive_item out = { .name = "../x", .text = "x" };
    CHECK_OK(yk_archive_write(in(&p, "x.ssp"), 1, &out, &p.err), &p.err);
    assert_true(read_package(&p, "x.ssp") < 0);
    CHECK_CONTAINS(p.err.text, "is not permitted");
    place_remove(&p);
}

/* Systems that refer to each other in other ways than directly. */
static void circles_end_with_a_sentence(void **state)
{
    static const char left[] =
        SSD("1.0", ELEMENTS(COMPONENT("b", "right.ssd", "")), "");
    static const char right[] =
        SSD("1.0", ELEMENTS(COMPONENT("a", "left.ssd", "")), "");
    const yk_archive_item more[] = {
        { .name = "left.ssd", .text = left },
        { .name = "right.ssd", .text = right },
        { .name = NULL },
    };
    place p;

    (void)state;
    place_make(&p);
    make_package(&p, "x.ssp",
                 SSD("1.0", ELEMENTS(COMPONENT("l", "left.ssd", "")), ""),
                 more);
    assert_true(read_package(&p, "x.ssp") < 0);
    CHECK_CONTAINS(p.err.text, "descriptions cannot contain themselves");
    place_remove(&p);
}

static void systems_are_not_nested_for_ever(void **state)
{
    enum { DEEP = 60 };
    char ssd[20000];
    size_t used = 0;
    place p;

    (void)state;
    place_make(&p);
    used += (size_t)snprintf(ssd, sizeof ssd,
                             "<SystemStructureDescription version=\"1.0\" "
                             "name=\"x\"><System name=\"r\">");
    for (int i = 0; i < DEEP; i++)
        used += (size_t)snprintf(ssd + used, sizeof ssd - used,
                                 "<Elements><System name=\"s\">");
    for (int i = 0; i < DEEP; i++)
        used += (size_t)snprintf(ssd + used, sizeof ssd - used,
                                 "</System></Elements>");
    snprintf(ssd + used, sizeof ssd - used,
             "</System></SystemStructureDescription>");
    make_package(&p, "x.ssp", ssd, NULL);
    assert_true(read_package(&p, "x.ssp") < 0);
    CHECK_CONTAINS(p.err.text, "nested more than 40 deep");
    place_remove(&p);
}

static void long_names_are_refused(void **state)
{
    char ssd[2000], name[400];
    place p;

    (void)state;
    place_make(&p);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(ssd, sizeof ssd,
             "<SystemStructureDescription version=\"1.0\"><System name=\"r\">"
             "<Elements><Component name=\"%s\" source=\"resources/part.fmu\"/>"
             "</Elements></System></SystemStructureDescription>",
             name);
    make_package(&p, "x.ssp", ssd, NULL);
    assert_true(read_package(&p, "x.ssp") < 0);
    CHECK_CONTAINS(p.err.text, "at most 250 bytes");
    place_remove(&p);
}

static void nothing_is_left_behind(void **state)
{
    place p;

    (void)state;
    place_make(&p);
    assert_int_equal(setenv("TMPDIR", p.folder, 1), 0);
    make_package(&p, "x.ssp", list[6].ssd, NULL);
    assert_true(read_package(&p, "x.ssp") < 0);
    make_package(&p, "x.ssp", SSD("1.0", TWO, ""), NULL);
    assert_int_equal(read_package(&p, "x.ssp"), YOKE_OK);
    assert_int_equal(folders_left(&p), 0);
    unsetenv("TMPDIR");
    place_remove(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_has_its_sentence),
        cmocka_unit_test(what_is_no_package_is_refused),
        cmocka_unit_test(circles_end_with_a_sentence),
        cmocka_unit_test(systems_are_not_nested_for_ever),
        cmocka_unit_test(long_names_are_refused),
        cmocka_unit_test(nothing_is_left_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
