#include "line.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* The mode whose rate is nearest to `rate`. */
static void choose_mode(rc_line *s, int i, double rate, double start)
{
    const double m = round(asin(sqrt(rate / (4.0 * s->g))) * 2.0 * s->n / pi);
    const double half = 0.5 * m * pi / s->n;

    s->angle[i] = 2.0 * half;
    s->rate[i] = 4.0 * s->g * sin(half) * sin(half);
    s->start[i] = start;
}

static double shape(const rc_line *s, int i, int k)
{
    return cos((k + 0.5) * s->angle[i]);
}

rc_line line_create(int n)
{
    rc_line s = {
        .n = n, .g = 1e4, .offset = 4.0, .omega = 2.0 * pi, .force = 10.0
    };

    choose_mode(&s, 0, 0.1, 1.0);
    choose_mode(&s, 1, 1.0, 0.5);
    choose_mode(&s, 2, 10.0, 0.3);
    choose_mode(&s, 3, 100.0, 0.2);
    choose_mode(&s, 4, 1000.0, 0.1);
    choose_mode(&s, 5, 3.0, 0.0);
    return s;
}

double line_exact(const rc_line *s, int k, double t)
{
    const double r = s->rate[LINE_MODES - 1], w = s->omega;
    const double scale = s->force / (r * r + w * w);
    double sum = s->offset;

    for (int i = 0; i < LINE_MODES - 1; i++)
        sum += s->start[i] * exp(-s->rate[i] * t) * shape(s, i, k);
    return sum + scale * (r * sin(w * t) - w * cos(w * t) + w * exp(-r * t)) *
                     shape(s, LINE_MODES - 1, k);
}

chain *line_block(const rc_line *s, int first, int n)
{
    chain *block = chain_create(n);

    block->c = 1.0;
    block->g = s->g;
    block->has_left = first > 0;
    block->has_right = first + n < s->n;
    block->g_left = block->has_left ? s->g : 0.0;
    block->g_right = block->has_right ? s->g : 0.0;
    block->omega = s->omega;
    for (int k = 0; k < n; k++)
        block->a[k] = s->force * shape(s, LINE_MODES - 1, first + k);
    return block;
}
