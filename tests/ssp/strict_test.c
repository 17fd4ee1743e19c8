/* tests/ssp/strict_test.c -- what looks like ours and is not read would be another
 * system: second lists, truths that are none, transformations nobody knows. */
#define _XOPEN_SOURCE 700
#include "package.h"

#include <fcntl.h>
#include <unistd.h>

#define ALL                                                                    \
    CONNECTORS(CONNECTOR("u", "input") CONNECTOR("w", "output")                \
                   CONNECTOR("Tin", "input") CONNECTOR("on", "output")         \
                       CONNECTOR("enable", "input")                            \
                           CONNECTOR("gear", "output"))
#define TWO          ELEMENTS(COMPONENT("a", PART, ALL) COMPONENT("b", PART, ALL))
#define ONE(binding) ELEMENTS(COMPONENT("a", PART, ALL BINDINGS(binding)))
#define VALUE(type, value)                                                     \
    ONE(BINDING("", SET(PARAMETER("R", type, value)), ""))
#define WIRE        A("a", "w") B("b", "u")
#define BY(by)      SSD("1.0", TWO CONNECTIONS(CONNECT_BY(WIRE, by)), "")
#define UNITS(text) SSD("1.0", TWO, "<ssd:Units>" text "</ssd:Units>")
#define UNIT(name, base)                                                       \
    "<ssc:Unit name=\"" name "\"><ssc:BaseUnit " base "/></ssc:Unit>"
#define TRUTHS(a, b, c, d)                                                     \
    "<ssc:BooleanMappingTransformation><ssc:MapEntry source=\"" a              \
    "\" target=\"" b "\"/><ssc:MapEntry source=\"" c "\" target=\"" d          \
    "\"/></ssc:BooleanMappingTransformation>"
#define INTEGERS(a, b)                                                         \
    "<ssc:IntegerMappingTransformation><ssc:MapEntry source=\"" a              \
    "\" target=\"" b "\"/></ssc:IntegerMappingTransformation>"
#define TRUTH_WIRE A("a", "on") B("b", "enable")

static const struct {
    const char *ssd, *message;
} list[] = {
    { SSD("1.0", TWO CONNECTIONS("") CONNECTIONS(CONNECT(WIRE)), ""),
      "there is a second Connections here, after that in line" },
    { SSD("1.0", TWO TWO, ""), "there is a second Elements here" },
    { SSD("1.0", TWO, "<ssd:System name=\"x\"/>"),
      "there is a second system, beside that in line 2" },
    { SSD("1.0", TWO,
          "<ssd:DefaultExperiment stopTime=\"1\"/>"
          "<ssd:DefaultExperiment stopTime=\"2\"/>"),
      "there is a second DefaultExperiment here" },
    { BY("<ssc:CubicTransformation factor=\"2\"/>"),
      "CubicTransformation is not supported" },
    { BY("<ssc:LinearTransformation Factor=\"2\"/>"),
      "has factor and offset, and no \"Factor\"" },
    { SSD("1.0",
          TWO CONNECTIONS(CONNECT(WIRE " suppressUnitConversion=\"TRUE\"")),
          ""),
      "suppressUnitConversion=\"TRUE\" is neither true nor false" },
    { SSD("1.0",
          TWO CONNECTIONS(
              CONNECT_BY(TRUTH_WIRE, TRUTHS("True", "false", "no", "yes"))),
          ""),
      "\"True\" in a mapping is no Boolean" },
    { SSD("1.0",
          TWO CONNECTIONS(
              CONNECT_BY(TRUTH_WIRE, TRUTHS("true", "false", "1", "true"))),
          ""),
      "\"1\" is mapped twice" },
    { BY(TRUTHS("true", "false", "false", "true")),
      "\"w\" of a is a Float64, and this mapping is one of Booleans" },
    { BY(INTEGERS("1", "2")), "this mapping is one of whole numbers" },
    { BY(INTEGERS("one", "2")), "\"one\" in a mapping is no whole number" },
    { SSD("1.0", TWO CONNECTIONS(CONNECT(A("a", "gear") B("b", "enable"))), ""),
      "a number cannot feed a truth value" },
    { SSD("1.0",
          ELEMENTS(COMPONENT("a", PART,
                             CONNECTORS("<ssd:Connector name=\"w\" "
                                        "kind=\"output\"><ssc:Boolean/>"
                                        "</ssd:Connector>"))
                       COMPONENT("b", PART, ALL)) CONNECTIONS(CONNECT(WIRE)),
          ""),
      "is a Boolean, but the variable of the FMU a Float64" },
    { UNITS(UNIT("x", "factor=\"abc\"")), "factor=\"abc\" is not a number" },
    { UNITS(UNIT("x", "m=\"one\"")), "m=\"one\" is not a number" },
    { UNITS(UNIT("x", "m=\"0.5\"")),
      "the exponent 0.5 of m is no whole number" },
    { UNITS(UNIT("x", "m=\"1\"") UNIT("x", "m=\"1\" factor=\"2\"")),
      "unit \"x\" is defined twice" },
    { SSD("1.0", ELEMENTS(COMPONENT("a", PART "%00.x", "")), ""),
      "there is no such file" },
    { SSD("1.0", VALUE("Integer", "1.5"), ""), "this is not a whole number" },
    { SSD("1.0", VALUE("Boolean", "true"), ""), "a number is expected" },
    { SSD("1.0",
          ONE(BINDING("",
                      SET("<ssv:Parameter name=\"R\"><ssv:Real value=\"1\"/>"
                          "<ssv:Real value=\"2\"/></ssv:Parameter>"),
                      "")),
          ""),
      "parameter \"R\" has two values" },
    { SSD("1.0",
          ONE(BINDING("source=\"x.ssv\"", SET(PARAMETER("R", "Real", "1")),
                      "")),
          ""),
      "there are a source (\"x.ssv\") and a ParameterSet inside" },
    { SSD("1.0",
          ONE("<ssd:ParameterBinding source=\"x.ssv\" sourceBase=\"x\"/>"), ""),
      "sourceBase=\"x\" is neither SSD nor component" },
    { SSD("1.0",
          ELEMENTS(SYSTEM("s", ELEMENTS(COMPONENT("a", PART, "")))
                       COMPONENT("s.a", PART, ""))
              BINDINGS(BINDING("", SET(PARAMETER("s.a.R", "Real", "1")), "")),
          ""),
      "parameter \"s.a.R\" fits s and 's.a'" },
    { SSD("1.0",
          TWO "<ssd:SignalDictionaries><ssd:SignalDictionary name=\"d\">"
              "<ssb:SignalDictionary/></ssd:SignalDictionary>"
              "<ssd:SignalDictionary name=\"d\"><ssb:SignalDictionary/>"
              "</ssd:SignalDictionary></ssd:SignalDictionaries>",
          ""),
      "there are two signal dictionaries named \"d\"" },
};

static yoke_status read_package(place *p, const char *name, char **text)
{
    yk_ssp *ssp = NULL;

    memset(&p->err, 0, sizeof p->err);
    yoke_status status = yk_ssp_open(&ssp, in(p, name), NULL, &p->err);
    if (status == YOKE_OK) status = yk_ssp_text(ssp, text, &p->err);
    yk_ssp_close(ssp);
    return status;
}

static void what_would_not_be_read_is_refused(void **state)
{
    place p;

    (void)state;
    place_make(&p);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char *text = NULL;

        make_package(&p, "x.ssp", list[i].ssd, NULL);
        if (read_package(&p, "x.ssp", &text) >= 0)
            print_error("accepted: %s\n", list[i].message);
        assert_null(text);
        CHECK_CONTAINS(p.err.text, "x.ssp/SystemStructure.ssd:");
        CHECK_CONTAINS(p.err.text, list[i].message);
    }
    place_remove(&p);
}

/* Its units are read once, with the file. */
static void a_dictionary_has_many_units(void **state)
{
#define SPEED(name, factor)                                                    \
    UNIT(name, "s=\"-1\" rad=\"1\" factor=\"" factor "\"")
    static const char system[] =
        SSD("1.0",
            ELEMENTS(COMPONENT("a", PART, ALL) COMPONENT(
                "b", PART,
                ALL) "<ssd:SignalDictionaryReference name=\"r\" "
                     "dictionary=\"bus\">" CONNECTORS(CONNECTOR(
                         "speed", "inout")) "</ssd:SignalDictionaryReference>")
                CONNECTIONS(CONNECT(A("a", "w") B("r", "speed")) CONNECT(
                    A("r", "speed")
                        B("b", "u"))) "<ssd:SignalDictionaries>"
                                      "<ssd:SignalDictionary name=\"bus\" "
                                      "source=\"bus.ssb\"/>"
                                      "</ssd:SignalDictionaries>",
            "");
    const yk_archive_item more[] = {
        { .name = "bus.ssb",
          .text =
              "<ssb:SignalDictionary" SSD_SPACES
              " version=\"1.0\"><ssb:DictionaryEntry name=\"speed\">"
              "<ssc:Real unit=\"c\"/></ssb:DictionaryEntry><ssb:Units>" SPEED(
                  "a", "2") SPEED("b", "3") SPEED("c", "4") SPEED("d", "5")
                  SPEED("e", "6") "</ssb:Units></ssb:SignalDictionary>" },
        { .name = NULL },
    };
    char *text = NULL;
    place p;

    (void)state;
    place_make(&p);
    make_package(&p, "x.ssp", system, more);
    CHECK_OK(read_package(&p, "x.ssp", &text), &p.err);
    CHECK_CONTAINS(text, "\"b.u = a.w\"");
    yk_free(text);
    place_remove(&p);
}

/* Names are found without comparing all of them. */
static void large_sets_are_read(void **state)
{
    enum { MANY = 100000, EACH = 70 };
    char *ssd = NULL, *text = NULL;
    const size_t room = (size_t)MANY * 2 * EACH + 4000;
    size_t used = 0;
    place p;

    (void)state;
    place_make(&p);
    assert_int_equal(YK_NEW(&ssd, room, NULL), YOKE_OK);
    used += (size_t)snprintf(ssd, room,
                             "<SystemStructureDescription version=\"1.0\" "
                             "name=\"t\"><System name=\"r\"><Connectors>");
    for (int i = 0; i < MANY; i++)
        used += (size_t)snprintf(ssd + used, room - used,
                                 "<Connector name=\"c%d\" kind=\"input\"/>", i);
    used += (size_t)snprintf(ssd + used, room - used,
                             "</Connectors><Elements><Component name=\"a\" "
                             "source=\"" PART "\"/></Elements>"
                             "<ParameterBindings><ParameterBinding>"
                             "<ParameterValues><ParameterSet version=\"1.0\" "
                             "name=\"s\"><Parameters>");
    for (int i = 0; i < MANY; i++)
        used += (size_t)snprintf(ssd + used, room - used,
                                 "<Parameter name=\"c%d\"><Real value=\"1\"/>"
                                 "</Parameter>",
                                 i);
    used += (size_t)snprintf(ssd + used, room - used,
                             "<Parameter name=\"a.R\"><Real value=\"7\"/>"
                             "</Parameter></Parameters></ParameterSet>"
                             "</ParameterValues></ParameterBinding>"
                             "</ParameterBindings></System>"
                             "</SystemStructureDescription>");
    assert_true(used < room);
    make_package(&p, "x.ssp", ssd, NULL);
    CHECK_OK(read_package(&p, "x.ssp", &text), &p.err);
    CHECK_CONTAINS(text, "\"R\": \"7\"");
    YK_FREE(ssd, text);
    place_remove(&p);
}

/* Two entries of one name; nobody says which is meant. */
static void a_name_is_in_a_package_once(void **state)
{
    const yk_archive_item item[] = { { .name = "x1.txt", .text = "x" },
                                     { .name = "x2.txt", .text = "x" } };
    char bytes[2000], *folder = NULL;
    place p;

    (void)state;
    place_make(&p);
    CHECK_OK(yk_archive_write(in(&p, "x.ssp"), 2, item, &p.err), &p.err);
    FILE *file = fopen(in(&p, "x.ssp"), "r+b");
    assert_non_null(file);
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    for (size_t i = 0; i + 6 <= length; i++)
        if (memcmp(bytes + i, "x2.txt", 6) == 0) bytes[i + 1] = '1';
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
    CHECK_STATUS(yk_archive_unpack(&folder, in(&p, "x.ssp"), &p.err),
                 YOKE_E_FILE, &p.err);
    CHECK_CONTAINS(p.err.text, "x.ssp: \"x1.txt\" is in it twice");
    place_remove(&p);
}

/* Zeros are packed to a thousandth. */
static void bombs_are_not_unpacked(void **state)
{
    yk_archive_item item = { .name = "zeros" };
    char *folder = NULL;
    place p;

    (void)state;
    place_make(&p);
    const int zeros = open(in(&p, "zeros"), O_WRONLY | O_CREAT, 0600);
    assert_true(zeros >= 0);
    assert_int_equal(ftruncate(zeros, 100 << 20), 0);
    close(zeros);
    item.file = in(&p, "zeros");
    CHECK_OK(yk_archive_write(in(&p, "x.ssp"), 1, &item, &p.err), &p.err);
    CHECK_STATUS(yk_archive_unpack(&folder, in(&p, "x.ssp"), &p.err),
                 YOKE_E_FILE, &p.err);
    CHECK_CONTAINS(p.err.text, "more than 200 times its size when unpacked");
    place_remove(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_would_not_be_read_is_refused),
        cmocka_unit_test(a_dictionary_has_many_units),
        cmocka_unit_test(large_sets_are_read),
        cmocka_unit_test(a_name_is_in_a_package_once),
        cmocka_unit_test(bombs_are_not_unpacked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
