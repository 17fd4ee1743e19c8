/* file/yaml_why.c -- why a text is no YAML, in the words of who wrote it.
 *
 * libyaml tells the place where it stopped and the rule of its grammar.  Three
 * mistakes are behind most of that, and each can be seen in the text: a tab in
 * the indentation, an entry of a list without its dash, a line that is indented
 * other than the one it belongs to.
 */
#include "file/yaml.h"

#include <stdio.h>
#include <string.h>

/* A line: its indentation and what follows. */
typedef struct line {
    const char *text; /* behind the indentation */
    int number;       /* from 1 */
    int blanks;       /* letters of the indentation */
    int tab;          /* column of a tab in it, from 1; 0: none */
    int length;       /* of the text, without blanks at its end */
} line;

/* The line that begins at `from`; returns the begin of the next. */
static size_t read_line(const char *text, size_t length, size_t from, line *out)
{
    const char *end = memchr(text + from, '\n', length - from);
    const size_t stop = end ? (size_t)(end - text) : length;
    size_t at = from, last = stop;

    out->tab = 0;
    for (; at < stop && (text[at] == ' ' || text[at] == '\t'); at++)
        if (text[at] == '\t' && !out->tab) out->tab = (int)(at - from) + 1;
    while (last > at && strchr(" \t\r", text[last - 1])) last--;
    out->text = text + at;
    out->blanks = (int)(at - from);
    out->length = (int)(last - at);
    return stop + 1;
}

/* Where maps and lists that still go on begin: the first line of each. */
enum { DEEPEST = 50 };
typedef struct columns {
    int count;
    line at[DEEPEST];
} columns;

static bool is_entry(const line *l)
{
    return l->length > 0 && l->text[0] == '-' &&
           (l->length == 1 || l->text[1] == ' ');
}

static bool is_blank(const line *l)
{
    return l->length == 0 || l->text[0] == '#';
}

/* `key: value`, all of it in this line. */
static bool is_complete(const line *l)
{
    const char *colon = memchr(l->text, ':', (size_t)l->length);

    return colon && colon - l->text + 1 < l->length;
}

/* Does `now` end what stands deeper, and begin in a column where nothing began?
 * Then *beside is the line that it seems to belong to. */
static bool steps_aside(columns *open, const line *now, line *beside)
{
    bool ended = false;

    for (; open->count > 0 && open->at[open->count - 1].blanks > now->blanks;
         open->count--) {
        *beside = open->at[open->count - 1];
        ended = true;
    }
    if (open->count > 0 && open->at[open->count - 1].blanks == now->blanks)
        ended = false;
    else if (open->count < DEEPEST)
        open->at[open->count++] = *now;
    return ended;
}

static void indented(const line *now, const line *beside, yk_yaml_why *why)
{
    snprintf(why->text, sizeof why->text,
             "this line is indented by %d, the one of line %d by %d; "
             "entries of one %s begin in the same column",
             now->blanks, beside->number, beside->blanks,
             is_entry(now) && is_entry(beside) ? "list" : "map");
}

static bool judge(columns *open, const line *before, const line *now, bool last,
                  yk_yaml_why *why)
{
    line beside = *before;
    const bool aside = steps_aside(open, now, &beside);
    const int dash = now->length > 1 && now->text[0] == '-';

    why->line = now->number;
    why->column = now->blanks + 1;
    if (now->tab) {
        why->column = now->tab;
        snprintf(why->text, sizeof why->text,
                 "a tab stands in the indentation; YAML takes blanks only: "
                 "replace it");
        return true;
    }
    if (now->length > 1 && strncmp(now->text, "//", 2) == 0) {
        snprintf(why->text, sizeof why->text, "a comment begins with #");
        return true;
    }
    if (strncmp(now->text, "\xc2\xa0", 2) == 0) {
        snprintf(why->text, sizeof why->text,
                 "a blank that does not break (U+00A0) stands in the "
                 "indentation; replace it by a plain one");
        return true;
    }
    if (before->number == 0) return false;
    if (last && is_entry(before) && !is_entry(now) &&
        now->blanks == before->blanks) {
        snprintf(why->text, sizeof why->text,
                 "an entry of a list begins with a dash%s, as in line %d, and "
                 "this one has none: write \"- %.*s%s",
                 dash ? " and a blank" : "", before->number,
                 now->length > 30 ? 30 : now->length - dash, now->text + dash,
                 now->length > 30 ? "...\"" : "\"");
        return true;
    }
    if (!last ||
        !(aside || (now->blanks > before->blanks && is_complete(before) &&
                    (!is_entry(before) || is_entry(now)))))
        return false;
    indented(now, &beside, why);
    return true;
}

bool yk_yaml_explain(const char *text, size_t length, int first, int last,
                     yk_yaml_why *why)
{
    line before = { .number = 0 }, now = { .number = 0 };
    columns open = { .count = 0 };
    int number = 0;

    for (size_t at = 0; at < length && number < last;) {
        at = read_line(text, length, at, &now);
        now.number = ++number;
        if (is_blank(&now)) continue;
        const bool near = number >= first;
        if (judge(&open, &before, &now, near, why)) return true;
        before = now;
    }
    return false;
}
