/* io/profile.c -- reads the note "profiles" of a result.
 *
 * Lines with fields separated by tabs; the lines below `profile` belong to it:
 *
 *     profile  name  label  unit  along  unit of the coordinate
 *     point    coordinate  column                  no column: zero
 *     mark     name  coordinate  speed  column
 *     tie      coordinate  name of the other profile
 */
#define _POSIX_C_SOURCE 200809L
#include "io/format.h"
#include "io/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 6 };

/* The profiles and what they point into. */
typedef struct book {
    yoke_profiles profiles; /* first: it is what the user sees */
    char *text;
    double *at;
    const char **variable;
    yoke_mark *mark;
    yoke_tie *tie;
} book;

typedef struct line {
    int number, fields;
    char *field[MOST_FIELDS];
} line;

void yoke_profiles_free(yoke_profiles *profiles)
{
    book *b = (book *)(void *)profiles;

    if (!b) return;
    YK_FREE(b->profiles.profile, b->text, b->at, b->variable, b->mark, b->tie,
            b);
}

static yoke_status bad(const line *l, const char *text, yoke_err *err)
{
    return yk_fail(err, YOKE_E_FILE, "note \"profiles\", line %d: %s",
                   l->number, text);
}

/* Cuts the next line off *text; false at the end.  Further fields stay in the
 * last. */
static bool next_line(char **text, line *l)
{
    char *at = *text;

    if (!*at) return false;
    *text += strcspn(at, "\n");
    if (**text) *(*text)++ = '\0';
    l->number++;
    l->fields = 0;
    while (l->fields < MOST_FIELDS) {
        l->field[l->fields++] = at;
        at += strcspn(at, "\t");
        if (!*at || l->fields == MOST_FIELDS) break;
        *at++ = '\0';
    }
    return true;
}

static yoke_status read_number(const line *l, int field, double *out,
                               yoke_err *err)
{
    char *end = NULL;

    *out = strtod(l->field[field], &end);
    if (end == l->field[field] || *end || !isfinite(*out))
        return bad(l, "a coordinate or speed is not a number", err);
    return YOKE_OK;
}

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

static yoke_status end_profile(const book *b, const line *l, yoke_err *err)
{
    if (b->profiles.count == 0) return YOKE_OK;
    const yoke_profile *p = &b->profiles.profile[b->profiles.count - 1];
    return p->points >= 2
               ? YOKE_OK
               : bad(l, "the profile above has less than 2 points", err);
}

static yoke_status read_profile(book *b, const line *l, yoke_err *err)
{
    yoke_profile *const p = &b->profiles.profile[b->profiles.count];

    YK_TRY(end_profile(b, l, err));
    *p = (yoke_profile){
        .name = l->field[1],
        .label = l->field[2],
        .unit = l->field[3],
        .along = l->field[4],
        .along_unit = l->field[5],
        .at = b->at,
        .variable = b->variable,
        .mark = b->mark,
        .tie = b->tie,
    };
    if (b->profiles.count++ == 0) return YOKE_OK;
    p->at = p[-1].at + p[-1].points;
    p->variable = p[-1].variable + p[-1].points;
    p->mark = p[-1].mark + p[-1].marks;
    p->tie = p[-1].tie + p[-1].ties;
    return YOKE_OK;
}

/* The arrays of the last profile grow where the next ones will begin. */
static yoke_status read_point(yoke_profile *p, const line *l, yoke_err *err)
{
    const int k = p->points;
    double *const at = (double *)(size_t)p->at;
    const char **const variable = (const char **)(size_t)p->variable;

    YK_TRY(read_number(l, 1, &at[k], err));
    if (k > 0 && !(at[k] > at[k - 1]))
        return bad(l, "the coordinates do not increase", err);
    variable[k] = or_null(l->field[2]);
    p->points++;
    return YOKE_OK;
}

static yoke_status read_mark(yoke_profile *p, const line *l, yoke_err *err)
{
    yoke_mark *const m = (yoke_mark *)(size_t)p->mark + p->marks;

    m->name = l->field[1];
    m->variable = or_null(l->field[4]);
    YK_TRY(read_number(l, 2, &m->at, err));
    YK_TRY(read_number(l, 3, &m->speed, err));
    p->marks++;
    return YOKE_OK;
}

static yoke_status read_tie(yoke_profile *p, const line *l, yoke_err *err)
{
    yoke_tie *const t = (yoke_tie *)(size_t)p->tie + p->ties;

    t->to = l->field[2];
    YK_TRY(read_number(l, 1, &t->at, err));
    p->ties++;
    return YOKE_OK;
}

/* Words, fields with the word. */
enum { PROFILE, POINT, MARK, TIE, KINDS };
static const struct {
    const char *word;
    int fields;
} kinds[KINDS] = {
    { "profile", 6 }, { "point", 3 }, { "mark", 5 }, { "tie", 3 }
};

static int kind_of(const line *l)
{
    for (int k = 0; k < KINDS; k++)
        if (strcmp(l->field[0], kinds[k].word) == 0) return k;
    return KINDS;
}

static yoke_status read_line(book *b, const line *l, yoke_err *err)
{
    const int kind = kind_of(l), count = b->profiles.count;

    if (kind == KINDS) return YOKE_OK; /* something newer */
    if (l->fields != kinds[kind].fields)
        return bad(l, "fields are missing or too many", err);
    if (kind == PROFILE) return read_profile(b, l, err);
    if (count == 0) return bad(l, "there is no profile above", err);
    yoke_profile *p = &b->profiles.profile[count - 1];
    return kind == POINT  ? read_point(p, l, err)
           : kind == MARK ? read_mark(p, l, err)
                          : read_tie(p, l, err);
}

/* Lines that begin like one of each kind. */
static void count_lines(const char *text, size_t count[KINDS])
{
    for (; *text; text += *text == '\n') {
        for (int k = 0; k < KINDS; k++)
            count[k] +=
                strncmp(text, kinds[k].word, strlen(kinds[k].word)) == 0;
        text += strcspn(text, "\n");
    }
}

static yoke_status read_book(book *b, const char *note, yoke_err *err)
{
    size_t count[KINDS] = { 0 };
    line l = { 0, 0, { NULL } };

    count_lines(note, count);
    YK_TRY(yk_copy_text(&b->text, note, err));
    YK_TRY(YK_NEW(&b->profiles.profile, count[PROFILE], err));
    YK_TRY(yk_doubles(&b->at, count[POINT], err));
    YK_TRY(YK_NEW(&b->variable, count[POINT], err));
    YK_TRY(YK_NEW(&b->mark, count[MARK], err));
    YK_TRY(YK_NEW(&b->tie, count[TIE], err));
    for (char *text = b->text; next_line(&text, &l);)
        YK_TRY(read_line(b, &l, err));
    return end_profile(b, &l, err);
}

yoke_status yoke_profiles_read(yoke_profiles **out, const yoke_notes *notes,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const char *note = yoke_notes_find(notes, "profiles");
    book *b = NULL;
    YK_POINT;

    YK_TRY(YK_NEW(&b, 1, err));
    if (note) YK_GO(read_book(b, note, err));
    *out = &b->profiles;
    b = NULL;
done:
    yoke_profiles_free(b ? &b->profiles : NULL);
    return status;
}
