/* comp/mesh/geo_scan.c -- a .geo file is read word by word before gmsh sees it.
 *
 * gmsh goes on after what it cannot parse, has commands that run programs and
 * write files, and may learn more of them.  So a file is not searched for bad
 * words: it is taken to pieces, and gmsh gets a new text made of the pieces
 * that are known.  Comments do not reach it, nor does the file's name.
 *
 *     word      of the list in geo_words.c, or a name that the file assigns
 *     a.b       an option of meshes or geometry, or an attribute of a field
 *     "text"    inside the brackets of a word that takes one, or the formula of
 *               a field: never behind a command or > (which writes a file)
 *     Include   with a file of the same folder, whose text stands here instead
 *
 * An assigned name stands for itself only: neither a text nor another word
 * follows it, so that it cannot be a command whose name we do not know (most
 * commands of gmsh are not reserved: SystemCall = 1 is a lawful assignment).
 */
#define _XOPEN_SOURCE 700
#include "comp/mesh/geo.h"

#include "base/bytes.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of one file and of all together; files inside one another; brackets;
 * a text (gmsh's own limit is 4096). */
enum {
    MOST_BYTES = 1 << 24,
    MOST_FILES = 16,
    MOST_DEPTH = 100,
    MOST_TEXT = 500
};

typedef enum kind { END, WORD, NUMBER, TEXT, MARK } kind;

typedef struct token {
    kind kind;
    const char *at;
    size_t length;
    int line;
} token;

typedef struct name {
    char *text;
    bool assigned;
    int line; /* where it is used first */
    char *path;
} name;

/* What is collected of all files. */
typedef struct scan {
    char *out;
    size_t length, room;
    name *name;
    size_t names, name_room;
    char folder[PATH_MAX]; /* of the first file */
    int depth;             /* files inside one another */
    size_t copied;         /* bytes read so far */
} scan;

/* One file. */
typedef struct text {
    scan *scan;
    const char *path, *at, *end;
    int line;
    bool inner; /* of an included file: it becomes one line */
    token last; /* the one before */
    char closer[MOST_DEPTH];
    bool texts[MOST_DEPTH]; /* permitted inside this bracket */
    bool final[MOST_DEPTH]; /* a ; follows this bracket */
    int depth;
    bool formula;  /* the statement sets the formula of a field */
    bool ending;   /* only ; may follow */
    bool declared; /* the token before is the name of a macro */
} text;

static yoke_status refuse(const text *t, int line, yoke_err *err,
                          const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static yoke_status refuse(const text *t, int line, yoke_err *err,
                          const char *format, ...)
{
    char message[400];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return yk_fail(err, YOKE_E_FILE, "%.300s:%d: %s", t->path, line, message);
}

static yoke_status put(scan *s, const char *at, size_t length, yoke_err *err)
{
    YK_TRY(yk_grow((void **)&s->out, &s->room, s->length + length + 1, 1, err));
    if (length > 0) memcpy(s->out + s->length, at, length);
    s->length += length;
    s->out[s->length] = '\0';
    return YOKE_OK;
}

static bool is(const token *k, const char *word)
{
    return k->length == strlen(word) && memcmp(k->at, word, k->length) == 0;
}

/* ---- Words --------------------------------------------------------------- */

/* Spaces and comments; line ends are kept so that lines keep their numbers. */
static yoke_status skip(text *t, yoke_err *err)
{
    while (t->at < t->end) {
        const char c = *t->at;
        if (c == '\n') {
            t->line++;
            t->at++;
            YK_TRY(put(t->scan, t->inner ? " " : "\n", 1, err));
        } else if (c == ' ' || c == '\t' || c == '\r') {
            t->at++;
            YK_TRY(put(t->scan, " ", 1, err));
        } else if (c == '/' && t->end - t->at > 1 && t->at[1] == '/') {
            while (t->at < t->end && *t->at != '\n') t->at++;
        } else if (c == '/' && t->end - t->at > 1 && t->at[1] == '*') {
            const int line = t->line;
            for (t->at += 2; t->end - t->at > 1; t->at++) {
                if (t->at[0] == '*' && t->at[1] == '/') break;
                if (*t->at != '\n') continue;
                t->line++;
                YK_TRY(put(t->scan, t->inner ? " " : "\n", 1, err));
            }
            if (t->end - t->at < 2)
                return refuse(t, line, err, "this comment does not end");
            t->at += 2;
            YK_TRY(put(t->scan, " ", 1, err));
        } else
            break;
    }
    return YOKE_OK;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t number_length(const char *at, const char *end)
{
    const char *p = at;

    while (p < end && (isdigit((unsigned char)*p) || *p == '.')) p++;
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *q = p + 1;
        if (q < end && (*q == '+' || *q == '-')) q++;
        if (q < end && isdigit((unsigned char)*q)) {
            while (q < end && isdigit((unsigned char)*q)) q++;
            p = q;
        }
    }
    return (size_t)(p - at);
}

/* What follows a % in a message. */
static bool is_number_format(const char *p, const char *end)
{
    while (p < end && (isdigit((unsigned char)*p) || *p == '.')) p++;
    return p < end && strchr("gfeGE", *p) && *p;
}

static yoke_status take_text(text *t, token *k, yoke_err *err)
{
    const char *p = t->at + 1;

    k->kind = TEXT;
    for (; p < t->end && *p != '"'; p++)
        if (iscntrl((unsigned char)*p) || *p == '\\' || p - t->at > MOST_TEXT ||
            (*p == '%' && !is_number_format(p + 1, t->end)))
            return refuse(t, t->line, err,
                          "a text ends on its line, has at most %d bytes, no "
                          "\\, and %% only for numbers",
                          MOST_TEXT);
    if (p == t->end) return refuse(t, t->line, err, "this text does not end");
    k->length = (size_t)(p + 1 - t->at);
    return YOKE_OK;
}

static yoke_status next(text *t, token *k, yoke_err *err)
{
    YK_TRY(skip(t, err));
    *k = (token){ END, t->at, 0, t->line };
    if (t->at == t->end) return YOKE_OK;
    const unsigned char c = (unsigned char)*t->at;
    if (isdigit(c) ||
        (c == '.' && t->end - t->at > 1 && isdigit((unsigned char)t->at[1]))) {
        k->kind = NUMBER;
        k->length = number_length(t->at, t->end);
        if (t->at + k->length < t->end && in_name(t->at[k->length]))
            return refuse(t, t->line, err, "\"%.*s...\" is not a number",
                          (int)k->length, k->at);
    } else if (isalpha(c) || c == '_') {
        k->kind = WORD;
        while (t->at + k->length < t->end && in_name(t->at[k->length]))
            k->length++;
    } else if (c == '"') {
        YK_TRY(take_text(t, k, err));
    } else if (c && strchr("(){}[],;:=+-*/%^<>!&|?~#.", c)) {
        k->kind = MARK;
        k->length = 1;
    } else
        return refuse(t, t->line, err,
                      isprint(c) ? "the character %c is not permitted here"
                                 : "a byte of value %d is not permitted here",
                      c);
    t->at += k->length;
    return YOKE_OK;
}

/* ---- Names --------------------------------------------------------------- */

static yoke_status note_name(text *t, const token *k, bool assigned,
                             yoke_err *err)
{
    scan *s = t->scan;

    for (size_t i = 0; i < s->names; i++)
        if (is(k, s->name[i].text)) {
            s->name[i].assigned = s->name[i].assigned || assigned;
            return YOKE_OK;
        }
    YK_TRY(YK_GROW(&s->name, &s->name_room, s->names + 1, err));
    name *n = &s->name[s->names];
    *n = (name){ NULL, assigned, k->line, NULL };
    s->names++;
    YK_TRY(yk_print(&n->text, err, "%.*s", (int)k->length, k->at));
    return yk_copy_text(&n->path, t->path, err);
}

/* Is the name before p assigned: name =, name[...] =, name(...) +=, ... */
static bool is_assigned(const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p)) p++;
    if (p < end && *p == '~') {
        for (p++; p < end && isspace((unsigned char)*p);) p++;
        if (p == end || *p != '{') return false;
        while (p < end && *p != '}') p++;
        for (p += p < end; p < end && isspace((unsigned char)*p);) p++;
    }
    if (p < end && (*p == '[' || *p == '(')) {
        int depth = 0;
        for (; p < end; p++) {
            if (*p == ';' || *p == '"') return false;
            depth += *p == '[' || *p == '(';
            depth -= *p == ']' || *p == ')';
            if (depth == 0) break;
        }
        for (p += p < end; p < end && isspace((unsigned char)*p);) p++;
    }
    if (p < end && strchr("+-*/", *p) && *p) p++;
    return p < end && *p == '=' && (p + 1 == end || p[1] != '=');
}

static yoke_status not_permitted(const text *t, int line, const char *word,
                                 size_t length, yoke_err *err)
{
    return refuse(t, line, err,
                  "\"%.*s\" is not permitted: it is neither geometry nor a "
                  "name that the file assigns, and gmsh can run programs and "
                  "write files; if you trust the file, say --trust",
                  (int)(length > 60 ? 60 : length), word);
}

static yoke_status take_option(text *t, const token *group, const token *word,
                               yoke_err *err)
{
    const size_t length = group->kind == WORD ? group->length : 0;

    t->formula = length == 0 && is(word, "F");
    if (yk_geo_option(group->at, length, word->at, word->length))
        return YOKE_OK;
    return not_permitted(
        t, word->line, group->kind == WORD ? group->at : word->at,
        length ? length + 1 + word->length : word->length, err);
}

/* A word that stands alone, not in a.b. */
static yoke_status take_word(text *t, const token *word, yoke_err *err)
{
    bool takes_text = false;
    const bool is_group = t->at < t->end && *t->at == '.';

    if (t->last.kind == WORD && !t->declared && !is(word, "In") &&
        !yk_geo_word(t->last.at, t->last.length, &takes_text))
        return not_permitted(t, t->last.line, t->last.at, t->last.length, err);
    if (is_group) return YOKE_OK; /* judged with what follows the dot */
    if (yk_geo_word(word->at, word->length, &takes_text)) return YOKE_OK;
    if (yk_geo_command(word->at, word->length))
        return not_permitted(t, word->line, word->at, word->length, err);
    const bool of_macro = t->last.kind == WORD &&
                          (is(&t->last, "Macro") || is(&t->last, "Function"));
    const bool of_loop = t->last.kind == WORD && is(&t->last, "For");
    t->declared = of_macro;
    return note_name(t, word, of_macro || of_loop || is_assigned(t->at, t->end),
                     err);
}

/* ---- Marks and texts ----------------------------------------------------- */

static yoke_status open_bracket(text *t, const token *k, yoke_err *err)
{
    bool takes_text = false;

    if (t->depth == MOST_DEPTH)
        return refuse(t, k->line, err, "more than %d brackets are open",
                      MOST_DEPTH);
    const bool owned = t->last.kind == WORD;
    if (owned) (void)yk_geo_word(t->last.at, t->last.length, &takes_text);
    t->final[t->depth] =
        owned && (is(&t->last, "Printf") || is(&t->last, "Error") ||
                  is(&t->last, "Warning"));
    if (!owned && t->depth > 0) takes_text = t->texts[t->depth - 1];
    t->texts[t->depth] = takes_text;
    t->closer[t->depth++] = *k->at == '(' ? ')' : *k->at == '[' ? ']' : '}';
    return YOKE_OK;
}

static yoke_status take_mark(text *t, const token *k, yoke_err *err)
{
    const char c = *k->at;

    if (c == '(' || c == '[' || c == '{') return open_bracket(t, k, err);
    if (c == ')' || c == ']' || c == '}') {
        if (t->depth == 0 || t->closer[t->depth - 1] != c)
            return refuse(t, k->line, err, "this %c closes nothing", c);
        t->depth--;
        t->ending = t->final[t->depth];
    }
    if (c == ';') t->formula = false;
    return YOKE_OK;
}

static yoke_status take_string(const text *t, const token *k, yoke_err *err)
{
    const bool assigned = t->depth == 0 && t->formula && t->last.kind == MARK &&
                          *t->last.at == '=';
    const bool inside = t->depth > 0 && t->texts[t->depth - 1] &&
                        (t->last.kind == MARK || is(&t->last, "Name") ||
                         is(&t->last, "Label") || is(&t->last, "Help") ||
                         is(&t->last, "Units") || is(&t->last, "Highlight"));

    if (assigned || inside) return YOKE_OK;
    return refuse(t, k->line, err,
                  "a text is not permitted here: it could be the name of a "
                  "file or a command; if you trust the file, say --trust");
}

/* ---- Files --------------------------------------------------------------- */

static yoke_status read_file(scan *s, const char *path, yoke_err *err);

static yoke_status outside(const text *t, const token *k, yoke_err *err)
{
    return refuse(t, k->line, err,
                  "%.*s is not in the folder of the mesh; if you trust the "
                  "file, say --trust",
                  (int)(k->length > 200 ? 200 : k->length), k->at);
}

/* Include "file"; its path relative to the file that says so. */
static yoke_status include(text *t, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    char *path = NULL, *real = NULL;
    token k = { END, NULL, 0, 0 };
    const size_t before = t->scan->length;

    YK_TRY(next(t, &k, err));
    if (k.kind != TEXT) return refuse(t, k.line, err, "a text follows Include");
    if (k.at[1] == '/') return outside(t, &k, err);
    const char *slash = strrchr(t->path, '/');
    YK_TRY(yk_print(&path, err, "%.*s%.*s",
                    slash ? (int)(slash + 1 - t->path) : 0, t->path,
                    (int)k.length - 2, k.at + 1));
    real = realpath(path, NULL);
    if (!real)
        YK_GO(refuse(t, k.line, err, "cannot read \"%.200s\": %s", path,
                     strerror(errno)));
    const size_t size = strlen(t->scan->folder);
    if (strncmp(real, t->scan->folder, size) != 0 || real[size] != '/')
        YK_GO(outside(t, &k, err));
    YK_GO(next(t, &k, err));
    if (k.kind != END && !is(&k, ";"))
        YK_GO(refuse(t, k.line, err, "a ; follows Include \"file\""));
    t->scan->length = before;
    YK_GO(read_file(t->scan, path, err));
done:
    free(real);
    yk_free(path);
    return status;
}

static yoke_status take(text *t, const token *k, yoke_err *err)
{
    const bool behind_dot = t->last.kind == MARK && *t->last.at == '.';

    if (t->ending && !is(k, ";"))
        return refuse(t, k->line, err,
                      "only a ; may follow a message: > would write a file");
    t->ending = false;
    const bool declared = t->declared;
    if (k->kind == WORD && !behind_dot) YK_TRY(take_word(t, k, err));
    if (declared) t->declared = false;
    if (k->kind == MARK) YK_TRY(take_mark(t, k, err));
    if (k->kind == TEXT) YK_TRY(take_string(t, k, err));
    return put(t->scan, k->at, k->length, err);
}

static yoke_status read_tokens(text *t, yoke_err *err)
{
    token k = { END, NULL, 0, 0 }, group = { END, NULL, 0, 0 };

    for (;;) {
        YK_TRY(next(t, &k, err));
        if (k.kind == END) break;
        if (k.kind == WORD && is(&k, "Include")) {
            YK_TRY(include(t, err));
            k = (token){ MARK, ";", 1, k.line };
            YK_TRY(put(t->scan, " ", 1, err));
        } else {
            const bool behind_dot = t->last.kind == MARK && *t->last.at == '.';
            if (behind_dot && k.kind != WORD)
                return refuse(t, k.line, err, "a name follows the dot");
            if (behind_dot) YK_TRY(take_option(t, &group, &k, err));
            YK_TRY(take(t, &k, err));
            if (is(&k, ".")) group = t->last;
        }
        t->last = k;
    }
    if (t->depth > 0) return refuse(t, t->line, err, "a bracket is not closed");
    return YOKE_OK;
}

static yoke_status read_file(scan *s, const char *path, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    char *bytes = NULL;
    size_t length = 0;
    text *t = NULL;

    if (s->depth == MOST_FILES)
        return yk_fail(err, YOKE_E_FILE,
                       "%.300s: more than %d files include one another", path,
                       MOST_FILES);
    YK_TRY(yk_bytes_read(&bytes, &length, path, MOST_BYTES >> 20, err));
    s->copied += length;
    if (s->copied > MOST_BYTES)
        YK_GO(yk_fail(err, YOKE_E_FILE,
                      "%.300s: with the files it includes it has more than 16 "
                      "MiB",
                      path));
    YK_GO(YK_NEW(&t, 1, err));
    *t = (text){ .scan = s,
                 .path = path,
                 .at = bytes,
                 .end = bytes + length,
                 .line = 1,
                 .inner = s->depth > 0 };
    s->depth++;
    status = read_tokens(t, err);
    s->depth--;
done:
    YK_FREE(t, bytes);
    return status;
}

static yoke_status find_folder(scan *s, const char *path, yoke_err *err)
{
    char *real = realpath(path, NULL);

    if (!real)
        return yk_fail(err, YOKE_E_FILE, "cannot read \"%.300s\": %s", path,
                       strerror(errno));
    snprintf(s->folder, sizeof s->folder, "%s", real);
    char *slash = strrchr(s->folder, '/');
    if (slash) *slash = '\0';
    free(real);
    return YOKE_OK;
}

yoke_status yk_geo_flatten(char **out, size_t *length, const char *path,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    scan *s = NULL;

    YK_GO(YK_NEW(&s, 1, err));
    YK_GO(find_folder(s, path, err));
    YK_GO(put(s, "", 0, err));
    YK_GO(read_file(s, path, err));
    for (size_t i = 0; i < s->names; i++)
        if (!s->name[i].assigned) {
            const text t = { .path = s->name[i].path };
            YK_GO(not_permitted(&t, s->name[i].line, s->name[i].text,
                                strlen(s->name[i].text), err));
        }
    *out = s->out;
    *length = s->length;
    s->out = NULL;
done:
    for (size_t i = 0; s && i < s->names; i++)
        YK_FREE(s->name[i].text, s->name[i].path);
    if (s) {
        YK_FREE(s->name, s->out);
    }
    yk_free(s);
    return status;
}
