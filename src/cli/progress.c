/* cli/progress.c -- how far a run is: a bar where standard error is a terminal,
 * as wide as that permits, and otherwise a line every ten seconds. */
#define _DEFAULT_SOURCE
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30, LINE = 200 };
static const double often = 0.1;   /* s, on a terminal */
static const double seldom = 10.0; /* s, elsewhere: into files */
static const double waited = 2.0;  /* s without a window: say what lasts */

double cli_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *cli_duration(double seconds, char text[CLI_DURATION])
{
    static const struct {
        double below, unit;
        const char *name;
    } list[] = { { 100.0, 1.0, "s" },
                 { 100.0 * 60.0, 60.0, "min" },
                 { 48.0 * 3600.0, 3600.0, "h" },
                 { INFINITY, 24.0 * 3600.0, "days" } };
    int k = 0;

    while (k < 3 && seconds >= list[k].below) k++;
    snprintf(text, CLI_DURATION, "%.0f %s", seconds / list[k].unit,
             list[k].name);
    return text;
}

/* Columns of the terminal, asked each time: it may change. */
static int width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

static void write_text(const cli_progress *p, double t,
                       const yoke_iterate_result *r, char *text)
{
    const double part = (t - p->start) / (p->stop - p->start);
    const double spent = cli_clock() - p->began;
    const double left = part > 0.0 ? spent * (1.0 - part) / part : 0.0;
    char duration[CLI_DURATION];
    int used = snprintf(text, LINE, "t = %.4g  %.0f %%  %s left", t,
                        100.0 * part, cli_duration(left, duration));

    if (p->plain || r->windows == 0) return;
    used += snprintf(
        text + used, (size_t)(LINE - used), "  %d window%s  %.1f sweeps",
        r->windows, r->windows == 1 ? "" : "s", (double)r->sweeps / r->windows);
    if (r->rate > 0.0)
        snprintf(text + used, (size_t)(LINE - used), "  rate %.2g", r->rate);
}

/* Letters of `text` in `room`, whole items where one fits. */
static int shortened(const char *text, int room)
{
    int cut = room;

    if (room <= 0 || (int)strlen(text) <= room) return room > 0 ? room : 0;
    while (cut > 0 && strncmp(text + cut, "  ", 2) != 0) cut--;
    return cut > 0 ? cut : room;
}

/* One line that does not wrap: the bar is left out first, then the end. */
static void draw(cli_progress *p, double t, const char *text)
{
    const int room = width() - 1, length = (int)strlen(text);
    const int full = (int)((t - p->start) / (p->stop - p->start) * BAR);

    fputc('\r', stderr);
    if (room >= BAR + 3 + length) {
        fputc('[', stderr);
        for (int i = 0; i < BAR; i++) fputc(i < full ? '#' : '.', stderr);
        fprintf(stderr, "] %s", text);
    } else {
        fprintf(stderr, "%.*s", shortened(text, room), text);
    }
    fputs("\033[K", stderr); /* the rest of an older line goes */
    fflush(stderr);
    p->open = true;
}

void cli_progress_begin(cli_progress *p, double start, double stop, bool on,
                        bool plain)
{
    *p = (cli_progress){ .start = start,
                         .stop = stop,
                         .began = cli_clock(),
                         .on = on,
                         .plain = plain,
                         .terminal = isatty(STDERR_FILENO) };
    p->shown = p->ended = p->began;
    p->t = start;
}

static void tell(cli_progress *p, const char *text)
{
    if (p->terminal)
        draw(p, p->t, text);
    else
        fprintf(stderr, "yoke: %s\n", text);
}

/* A step takes a microsecond or more, the clock 25 ns. */
void cli_progress_wait(cli_progress *p)
{
    char text[LINE];

    if (!p->on || ++p->asked % 16 != 0) return;
    const double time = cli_clock(), since = time - p->ended;
    if (since <= waited) return;
    if (time - p->shown <= (p->terminal ? 1.0 : seldom)) return;
    p->shown = time;
    char duration[CLI_DURATION];
    snprintf(text, LINE, "t = %.4g  %.0f %%  %s %s so far", p->t,
             100.0 * (p->t - p->start) / (p->stop - p->start),
             p->t >= p->stop ? "the checks take"
             : p->plain      ? "the next steps take"
                             : "the next window takes",
             cli_duration(since, duration));
    tell(p, text);
}

void cli_progress_show(cli_progress *p, double t, const yoke_iterate_result *r)
{
    char text[LINE];
    const double time = cli_clock();
    const bool ends = t >= p->stop;

    if (!p->on) return;
    p->t = t;
    p->ended = time;
    if (time - p->shown <= (p->terminal ? often : seldom) &&
        !(ends && p->terminal))
        return;
    p->shown = time;
    write_text(p, t, r, text);
    tell(p, text);
    if (ends) cli_progress_break(p);
}

void cli_progress_break(cli_progress *p)
{
    if (p->open) fputc('\n', stderr);
    p->open = false;
}
