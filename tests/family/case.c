/* family/case.c -- random numbers, texts, the files of a system. */
#include "family.h"

#include "base/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dice dice_of(unsigned long seed, unsigned long stream)
{
    dice d = { 0x9e3779b97f4a7c15ull * (seed + 1) ^
               0xbf58476d1ce4e5b9ull * (stream + 1) };

    if (!d.state) d.state = 1;
    for (int i = 0; i < 8; i++) yk_random(&d.state);
    return d;
}

double dice_between(dice *d, double least, double most)
{
    return least + (most - least) * yk_random(&d->state);
}

double dice_log(dice *d, double least, double most)
{
    return exp(dice_between(d, log(least), log(most)));
}

int dice_pick(dice *d, int count)
{
    return (int)(yk_random(&d->state) * count);
}

bool dice_chance(dice *d, double p)
{
    return yk_random(&d->state) < p;
}

void text_add(text *t, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    const int more = vsnprintf(NULL, 0, format, list);
    va_end(list);
    const size_t need = t->length + (size_t)more + 1;
    if (need > t->room) {
        char *bytes = realloc(t->bytes, 2 * need);
        if (!bytes) abort();
        t->bytes = bytes;
        t->room = 2 * need;
    }
    va_start(list, format);
    vsnprintf(t->bytes + t->length, (size_t)more + 1, format, list);
    va_end(list);
    t->length += (size_t)more;
}

void text_free(text *t)
{
    free(t->bytes);
    memset(t, 0, sizeof *t);
}

void case_free(family_case *c)
{
    for (int i = 0; i < c->readings; i++) {
        wave_free(c->reading[i].exact);
        wave_free(c->reading[i].moved[0]);
        wave_free(c->reading[i].moved[1]);
    }
    wave_free(c->swung);
    text_free(&c->parts);
    text_free(&c->couplings);
    text_free(&c->models);
    text_free(&c->circuit);
    text_free(&c->run);
    memset(c, 0, sizeof *c);
}

static double times(void *factor, double v)
{
    return *(const double *)factor * v;
}

void case_read(family_case *c, wave *exact, double least, const char *format,
               ...)
{
    va_list list;

    if (c->readings >= FAMILY_READINGS) abort();
    reading *r = &c->reading[c->readings++];
    va_start(list, format);
    vsnprintf(r->name, sizeof r->name, format, list);
    va_end(list);
    r->exact = exact;
    r->least = least;
    if (c->swung && strcmp(r->name, c->swung_port) == 0)
        r->moved[0] = wave_map(c->swung, times, &c->swung_size, 1);
}

void case_moved(family_case *c, int way, wave *moved, const char *format, ...)
{
    char name[sizeof c->reading[0].name];
    va_list list;

    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    for (int i = 0; i < c->readings; i++)
        if (strcmp(c->reading[i].name, name) == 0) {
            c->reading[i].moved[way] = moved;
            return;
        }
    wave_free(moved);
}

double case_atol(const family_case *c, double rtol)
{
    const double usual = 1e-9, fine = 1e-2 * rtol * c->small;

    return c->unit == 1.0 ? fmin(usual, fine) : fine;
}

void case_write(const family_case *c, double rtol, const char *mode, text *out)
{
    text_add(out, "yoke: 1\nrun: {stop: %.17g, rtol: %g, atol: %.3g%s%s}\n",
             c->stop, rtol, case_atol(c, rtol), mode,
             c->run.bytes ? c->run.bytes : "");
    text_add(out, "subsystems:\n%s", c->parts.bytes);
    if (c->couplings.length)
        text_add(out, "couplings:\n%s", c->couplings.bytes);
}

const char *case_stepper(dice *d)
{
    const int p = dice_pick(d, 100);

    return p < 80   ? ""
           : p < 90 ? ", stepper: trbdf2"
           : p < 95 ? ", stepper: ida"
                    : ", stepper: radau5";
}

static bool sound(const family_case *c)
{
    for (int i = 0; i < c->readings; i++)
        if (!c->reading[i].exact || c->reading[i].exact->bad) return false;
    return true;
}

const family_class *family_make(unsigned long seed, int number,
                                const char *only, family_case *c)
{
    dice d = dice_of(seed, (unsigned long)number);
    const family_class *chosen = NULL;
    int all = 0;

    for (const family_class *k = family_classes; k->name; k++) all += k->share;
    int p = dice_pick(&d, all);
    for (const family_class *k = family_classes; k->name; k++) {
        if (only ? strcmp(k->name, only) == 0 : p < k->share && !chosen)
            chosen = k;
        p -= k->share;
    }
    for (int attempt = 0; chosen && attempt < 1000; attempt++) {
        memset(c, 0, sizeof *c);
        if (chosen->draw(&d, c) && sound(c)) return chosen;
        case_free(c);
    }
    return NULL;
}
