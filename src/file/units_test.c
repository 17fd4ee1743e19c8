/* file/units_test.c */
#include "check.h"

#include "file/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double value(const char *text)
{
    yoke_err err = { YOKE_OK, "" };
    double out = NAN;
    size_t at = 0;

    CHECK_OK(yk_quantity_read(text, NULL, NULL, &out, &at, &err), &err);
    return out;
}

/* The message, and the byte at which it is. */
static const char *refused(const char *text, size_t place)
{
    static yoke_err err;
    double out = NAN;
    size_t at = 99;

    CHECK_STATUS(yk_quantity_read(text, NULL, NULL, &out, &at, &err),
                 YOKE_E_FILE, &err);
    if (at != place) print_error("%s: %s\n", text, err.text);
    assert_int_equal(at, place);
    return err.text;
}

static void numbers_are_read(void **state)
{
    (void)state;
    assert_true(value("0.1") == 0.1);
    assert_true(value("-2.5e-3") == -2.5e-3);
    assert_true(value(" 1E+6 ") == 1e6);
    assert_true(value(".5") == 0.5);
    assert_true(value("5.") == 5.0);
}

/* To the last bit as with the power of ten in the number. */
static void prefixes_scale_exactly(void **state)
{
    (void)state;
    assert_true(value("1.1 ms") == 1.1e-3);
    assert_true(value("10ms") == 0.01);
    assert_true(value("2.2 uF") == 2.2e-6);
    assert_true(value("2.2 \xc2\xb5"
                      "F") == 2.2e-6);
    assert_true(value("4.7 k\xce\xa9") == 4700.0);
    assert_true(value("3 kN") == 3000.0);
    assert_true(value("7 fs") == 7e-15);
    assert_true(value("1.5 GHz") == 1.5e9);
    assert_true(value("2 kg") == 2.0);
    assert_true(value("2 g") == 2e-3);
    assert_true(value("3 cm") == 0.03);
    assert_true(value("10 hPa") == 1000.0);
}

static void units_alone_go_before_prefixes(void **state)
{
    (void)state;
    assert_true(value("2 min") == 120.0);
    assert_true(value("1 h") == 3600.0);
    assert_true(value("1 m") == 1.0);
    assert_true(value("1 T") == 1.0);
    assert_true(value("1 mT") == 1e-3);
    assert_true(value("1 Pa") == 1.0);
    assert_true(value("1 mHz") == 1e-3);
    CHECK_NEAR(value("180 deg"), 3.14159265358979, 1e-14);
}

static void products_and_quotients(void **state)
{
    (void)state;
    assert_true(value("5 N/m") == 5.0);
    assert_true(value("5 kN/mm") == 5e6);
    assert_true(value("2 N.s/m") == 2.0);
    assert_true(value("9.81 m/s^2") == 9.81);
    assert_true(value("9.81 m/s2") == 9.81);
    assert_true(value("1 mm^2") == 1e-6);
    assert_true(value("1 s-1") == 1.0);
    assert_true(value("3 J/(kg.K)") == 3.0);
    assert_true(value("2 1/ms") == 2000.0);
    CHECK_NEAR(value("60 km/h"), 60000.0 / 3600.0, 1e-14);
}

static void arithmetic_before_the_unit(void **state)
{
    (void)state;
    CHECK_NEAR(value("4*pi^2 N/m"), 39.47841760435743, 1e-13);
    assert_true(value("(1 + 2) ms") == 3e-3);
    assert_true(value("1/4") == 0.25);
    assert_true(value("-2^2") == -4.0);
    assert_true(value("2^3^2") == 512.0);
    assert_true(value("sqrt(16) V") == 4.0);
    assert_true(value("max(1, 2) - min(1, 2)") == 1.0);
}

static void names_are_taken_from_the_scope(void **state)
{
    yk_names names = { 0 };
    const double values[] = { 3.0, 4.0 };
    const yk_unit_scope scope = { &names, values };
    yoke_err err;
    double out = 0.0;
    size_t at = 0;
    (void)state;
    CHECK_OK(yk_names_add(&names, "k", 0, &err), &err);
    CHECK_OK(yk_names_add(&names, "k[2]", 1, &err), &err);
    CHECK_OK(yk_quantity_read("2*k + k[2] mm", &scope, NULL, &out, &at, &err),
             &err);
    CHECK_NEAR(out, 0.01, 1e-18);
    CHECK_STATUS(yk_quantity_read("k*q", &scope, NULL, &out, &at, &err),
                 YOKE_E_FILE, &err);
    assert_int_equal(at, 2);
    CHECK_CONTAINS(err.text, "\"q\" is neither");
    yk_names_clear(&names);
}

static void unknown_units_are_explained(void **state)
{
    (void)state;
    CHECK_CONTAINS(refused("3 msec", 2), "did you mean \"ms\"");
    CHECK_CONTAINS(refused("3 ohm", 2), "did you mean \"Ohm\"");
    CHECK_CONTAINS(refused("3 Kn", 2), "did you mean \"kN\"");
    CHECK_CONTAINS(refused("3 N/mmm", 4), "did you mean \"mm\"");
    CHECK_CONTAINS(refused("20 degC", 3), "273.15");
    CHECK_CONTAINS(refused("4 pi", 2), "2*pi");
    CHECK_CONTAINS(refused("1 parsecofthesky", 2), "use SI units");
    CHECK_CONTAINS(refused("1 kmin", 2), "did you mean \"min\"");
}

static void suffixes_of_spice_are_explained(void **state)
{
    (void)state;
    CHECK_CONTAINS(refused("1meg", 1), "SPICE");
    CHECK_CONTAINS(refused("1MEG", 1), "MOhm");
    CHECK_CONTAINS(refused("10u", 2), "1e-6");
    CHECK_CONTAINS(refused("10k", 2), "prefix without a unit");
    CHECK_CONTAINS(refused("10k", 2), "SPICE");
}

static void nonsense_is_refused_at_its_place(void **state)
{
    char deep[300] = "1 ";
    (void)state;
    refused("", 0);
    refused("volts", 0);
    refused("1 ms + 2 ms", 5);
    refused("1 m/", 4);
    refused("1 m^x", 3);
    refused("1 m^999", 3);
    refused("1 (m", 4);
    refused("1 m)", 3);
    refused("1 +", 3);
    refused("1 V V", 4);
    refused("1 abcdefghijklmnopqrstuvwxyz", 2);
    refused("(1", 2);
    refused("0x10", 1);
    refused("1e999", 0);
    refused("1/0", 0);
    refused("nan", 0);
    refused("2*time", 6);
    refused("1e300 Gm", 0);
    refused("1 Gm^99", 7);
    refused("1 Gm^30.Gm^30", 13);
    memset(deep + 2, '(', 200);
    assert_true(strlen(deep) == 202);
    CHECK_CONTAINS(refused(deep, 23), "nested too deep");
}

/* The message of a text where another dimension is expected. */
static const char *refused_as(const char *text, const char *expected)
{
    static yoke_err err;
    double out = NAN;
    size_t at = 99;

    CHECK_STATUS(yk_quantity_read(text, NULL, expected, &out, &at, &err),
                 YOKE_E_FILE, &err);
    return err.text;
}

static void accepted_as(const char *text, const char *expected, double value_)
{
    yoke_err err = { YOKE_OK, "" };
    double out = NAN;
    size_t at = 0;

    CHECK_OK(yk_quantity_read(text, NULL, expected, &out, &at, &err), &err);
    CHECK_NEAR(out, value_, 1e-15 * fabs(value_));
}

/* "" for none. */
static const char *refused_in(const char *text, const char *unit)
{
    static yoke_err err;
    double out = NAN;
    size_t at = 0;

    err = (yoke_err){ YOKE_OK, "" };
    yk_quantity_read_in(text, NULL, unit, &out, &at, &err);
    return err.text;
}

static void nothing_is_converted_to_an_unknown_unit(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    double out = NAN;
    size_t at = 0;
    (void)state;

    CHECK_OK(yk_quantity_read_in("2*10.5 degC", NULL, "degC", &out, &at, &err),
             &err);
    CHECK_NEAR(out, 21.0, 1e-15);
    CHECK_OK(yk_quantity_read_in("3", NULL, "bar", &out, &at, &err), &err);
    CHECK_NEAR(out, 3.0, 1e-15);
    CHECK_OK(yk_quantity_read_in("2 m", NULL, "", &out, &at, &err), &err);
    CHECK_NEAR(out, 2.0, 1e-15);
    CHECK_CONTAINS(refused_in("294.15 K", "degC"),
                   "write the number without a unit, in degC");
    CHECK_CONTAINS(refused_in("1e5 Pa", "bar"), "in bar");
    CHECK_CONTAINS(refused_in("90 deg", "rev"), "in rev");
    CHECK_CONTAINS(refused_as("2 d", "s"), "a day is 24 h");
}

static void other_dimensions_are_refused(void **state)
{
    (void)state;
    CHECK_CONTAINS(refused_as("100m", "s"), "\"m\" is the metre here");
    CHECK_CONTAINS(refused_as("100m", "s"), "did you mean \"ms\"");
    CHECK_CONTAINS(refused_as("1 T", "s"), "the tesla");
    CHECK_CONTAINS(refused_as("3 V", "s"), "\"s\" is expected");
    CHECK_CONTAINS(refused_as("1m", "1"), "1e-3");
    CHECK_CONTAINS(refused_as("5 V", "A"), "like \"A\"");
    CHECK_CONTAINS(refused_as("5 m", "kg"), "did you mean \"mg\"");
    CHECK_CONTAINS(refused_as("5 N", "N/m"), "like \"N/m\"");
    CHECK_CONTAINS(refused_as("5 1/s", "s"), "like \"s\"");
    accepted_as("100 ms", "s", 0.1);
    accepted_as("100", "s", 100.0);
    accepted_as("2 h", "s", 7200.0);
    accepted_as("1 kHz", "1/s", 1000.0);
    accepted_as("3 kg.m/s^2", "N", 3.0);
    accepted_as("3 J/m", "N", 3.0);
    accepted_as("2 V.A", "W", 2.0);
    accepted_as("2 V/A", "Ohm", 2.0);
    accepted_as("2 A.s/V", "F", 2.0);
    accepted_as("2 V.s/A", "H", 2.0);
    accepted_as("2 Wb/m^2", "T", 2.0);
    accepted_as("2 1/Ohm", "S", 2.0);
    accepted_as("2 N.m/rad", "N.m", 2.0);
}

/* A model may declare units that are not ours. */
static void unknown_expectations_permit_everything(void **state)
{
    (void)state;
    accepted_as("3 V", "degC", 3.0);
    accepted_as("3 V", "", 3.0);
    accepted_as("3 V", NULL, 3.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(prefixes_scale_exactly),
        cmocka_unit_test(units_alone_go_before_prefixes),
        cmocka_unit_test(products_and_quotients),
        cmocka_unit_test(arithmetic_before_the_unit),
        cmocka_unit_test(names_are_taken_from_the_scope),
        cmocka_unit_test(unknown_units_are_explained),
        cmocka_unit_test(suffixes_of_spice_are_explained),
        cmocka_unit_test(nonsense_is_refused_at_its_place),
        cmocka_unit_test(nothing_is_converted_to_an_unknown_unit),
        cmocka_unit_test(other_dimensions_are_refused),
        cmocka_unit_test(unknown_expectations_permit_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
