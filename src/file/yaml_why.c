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

static bool judge(const line *before, const line *now, bool last,
                  yk_yaml_why *why)
{
    why->line = now->number;
    why->column = now->blanks + 1;
    if (now->tab) {
        why->column = now->tab;
        snprintf(why->text, sizeof why->text,
                 "a tab stands in the indentation; YAML takes blanks only: "
                 "replace it");
        return true;
    }
    if (before->number == 0) return false;
    if (is_entry(before) && !is_entry(now) && now->blanks == before->blanks) {
        snprintf(why->text, sizeof why->text,
                 "an entry of a list begins with a dash, as in line %d, and "
                 "this one has none: write \"- %.*s%s",
                 before->number, now->length > 30 ? 30 : now->length, now->text,
                 now->length > 30 ? "...\"" : "\"");
        return true;
    }
    if (last && now->blanks != before->blanks && is_complete(before) &&
        !is_entry(before)) {
        snprintf(why->text, sizeof why->text,
                 "this line is indented by %d, the one of line %d by %d; "
                 "entries of one map begin in the same column",
                 now->blanks, before->number, before->blanks);
        return true;
    }
    return false;
}

bool yk_yaml_explain(const char *text, size_t length, int first, int last,
                     yk_yaml_why *why)
{
    line before = { .number = 0 }, now = { .number = 0 };
    int number = 0;

    for (size_t at = 0; at < length && number < last;) {
        at = read_line(text, length, at, &now);
        now.number = ++number;
        if (is_blank(&now)) continue;
        const bool near = number >= first;
        if ((now.tab || near) && judge(&before, &now, near, why)) return true;
        before = now;
    }
    return false;
}
