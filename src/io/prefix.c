/* io/prefix.c -- prefixes of units.
 *
 * Between 0.1 and 10000 numbers are read as they are: 0.5 s, 400 V, 1500 W.
 * Otherwise the largest has one to three digits before the point.  Long times
 * are in hours, from three days on in days: nobody speaks of kiloseconds.  web/chart.js has the same list and
 * the same bounds.
 */
#include "io/prefix.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *const units[] = {
    "s", "V", "A", "W", "VA", "var", "Hz", "Ohm", "\xce\xa9", "F",   "H",
    "C", "S", "J", "N", "Pa", "T",   "Wb", "m",   "m/s",      "N.m",
};

static const struct {
    int power;
    const char *text;
} prefixes[] = { { -15, "f" }, { -12, "p" }, { -9, "n" }, { -6, "\xc2\xb5" },
                 { -3, "m" },  { 0, "" },    { 3, "k" },  { 6, "M" },
                 { 9, "G" },   { 12, "T" } };

/* Rows beside a peak of 1 mV have 0.9999 mV: that is no 999.9 uV. */
static const double nearly = 1.005;

static bool takes_prefixes(const char *unit)
{
    for (size_t k = 0; unit && k < sizeof units / sizeof *units; k++)
        if (strcmp(units[k], unit) == 0) return true;
    return false;
}

static const double hour = 3600.0, day = 86400.0;

yk_unit_prefix yk_unit_prefix_find(double size, const char *unit)
{
    const int count = (int)(sizeof prefixes / sizeof *prefixes);
    yk_unit_prefix out = { 1.0, "", NULL };

    if (!takes_prefixes(unit) || !(size > 0.0) || !isfinite(size) ||
        (size * nearly >= 0.1 && size < 1e4))
        return out;
    if (size >= 1.0 && strcmp(unit, "s") == 0)
        return size < 3.0 * day ? (yk_unit_prefix){ hour, "", "h" }
                                : (yk_unit_prefix){ day, "", "d" };
    const int power = 3 * (int)floor(log10(size * nearly) / 3.0);
    for (int k = 0; k < count; k++) {
        if (k > 0 && prefixes[k].power > power) break;
        out = (yk_unit_prefix){ pow(10.0, prefixes[k].power), prefixes[k].text,
                                NULL };
    }
    return out;
}
