/* comp/netlist/read/line.c -- files to logical lines.
 *
 * A file is kept as one piece of memory and its lines are joined in place:
 * what is written never overtakes what is read.  Comments are cut, letters
 * become small except in names of files.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/bytes.h"
#include "base/seen.h"
#include "base/text.h"
#include "comp/netlist/read/read.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { LONGEST = 1 << 24, MOST_LINES = 200000000, MOST_FILES = 10000 };

/* A file being read, and those that include it. */
typedef struct source {
    const struct source *from;
    const char *path;    /* in the arena of the netlist */
    const char *section; /* NULL: all of it */
    yk_net_place at;     /* of the .include */
    dev_t device;
    ino_t inode;
    bool is_file;
    int depth;
    /* state */
    bool control;  /* between .control and .endc */
    bool skipping; /* in a part that is not wanted */
    bool found;    /* the section */
    bool ended;
    yk_net_place begun; /* of the .lib line of a section, file NULL: outside */
    yk_net_near near;
} source;

static yoke_status load(yk_net_reader *r, source *s, char *text, size_t length,
                        yoke_err *err);

static yoke_status add_line(yk_net_reader *r, char *text, yk_net_place at,
                            int column, yoke_err *err)
{
    if (r->lines >= MOST_LINES)
        return yk_net_fail(err, YOKE_E_ARG, at,
                           "more than %d lines with all included files",
                           MOST_LINES);
    if ((size_t)r->lines == r->line_room)
        YK_TRY(YK_GROW(&r->line, &r->line_room, r->lines + 1, err));
    r->line[r->lines++] = (yk_net_line){ text, at, column };
    return YOKE_OK;
}

/* ---- .include and .lib --------------------------------------------------- */

static yoke_status refuse_recursion(const source *s, const source *again,
                                    yoke_err *err)
{
    char chain[600] = "";

    for (const source *k = s; k; k = k->from) {
        yk_append(chain, sizeof chain, "%s%s", k == s ? "" : " <- ", k->path);
        if (k == again) break;
    }
    return yk_net_fail(err, YOKE_E_ARG, s->at,
                       "the file includes itself: %.500s", chain);
}

static bool same(const source *a, const source *b)
{
    if (!a->is_file || !b->is_file || a->device != b->device ||
        a->inode != b->inode)
        return false;
    if (!a->section || !b->section) return a->section == b->section;
    return strcmp(a->section, b->section) == 0;
}

static yoke_status check_chain(const source *s, yoke_err *err)
{
    for (const source *k = s->from; k; k = k->from)
        if (same(s, k)) return refuse_recursion(s, k, err);
    if (s->depth > YK_NET_DEPTH)
        return yk_net_fail(err, YOKE_E_ARG, s->at,
                           "files are included more than %d deep",
                           YK_NET_DEPTH);
    return YOKE_OK;
}

static yoke_status note_file(yk_net_reader *r, const source *s, yoke_err *err)
{
    yk_net_file *f = NULL;

    YK_TRY(YK_TAKE(&r->net->arena, &f, 1, err));
    YK_TRY(yk_net_copy(&r->net->arena, &f->path, s->path, (int)strlen(s->path),
                       err));
    f->next = r->net->files;
    r->net->files = f;
    return YOKE_OK;
}

/* Reads a whole file into memory that the reader frees. */
static yoke_status read_file(yk_net_reader *r, source *s, char **text,
                             size_t *length, yoke_err *err)
{
    FILE *file = fopen(s->path, "rb");
    struct stat info;
    char *buffer = NULL;
    const char *why = NULL;

    if (!file || fstat(fileno(file), &info) != 0)
        why = "cannot be opened";
    else if (!S_ISREG(info.st_mode))
        why = "is not a file";
    else if (info.st_size < 0 || info.st_size > INT_MAX)
        why = "is larger than 2 GiB";
    if (why) {
        if (file) fclose(file);
        if (s->from)
            yk_net_fail(err, YOKE_E_FILE, s->at, "\"%s\" %s", s->path, why);
        else
            yk_fail(err, YOKE_E_FILE, "\"%s\" %s", s->path, why);
        if (!file) yk_suggest_file(s->path, err);
        return YOKE_E_FILE;
    }
    yk_seen_tell(s->path);
    s->is_file = true;
    s->device = info.st_dev;
    s->inode = info.st_ino;
    yoke_status status = check_chain(s, err);
    if (status == YOKE_OK) status = note_file(r, s, err);
    if (status == YOKE_OK)
        status = yk_alloc((void **)&buffer, (size_t)info.st_size + 1, 1, err);
    if (status == YOKE_OK)
        status = yk_list_push(&r->scratch, &r->texts, buffer, err);
    if (status == YOKE_OK) {
        *length = fread(buffer, 1, (size_t)info.st_size, file);
        *text = buffer;
        if (ferror(file))
            status =
                yk_fail(err, YOKE_E_FILE, "\"%s\" cannot be read", s->path);
    } else {
        yk_free(buffer);
    }
    fclose(file);
    return status;
}

/* A name relative to the folder of the including file. */
static yoke_status join_path(yk_net_reader *r, const source *s,
                             const char *name, const char **out, yoke_err *err)
{
    const char *slash = strrchr(s->path, '/');
    const int folder =
        name[0] == '/' || !slash ? 0 : (int)(slash - s->path) + 1;

    return yk_arena_print(&r->net->arena, out, err, "%.*s%s", folder, s->path,
                          name);
}

static yoke_status include(yk_net_reader *r, const source *s, const char *name,
                           const char *section, yk_net_place at, yoke_err *err)
{
    source child = { .from = s,
                     .section = section,
                     .at = at,
                     .depth = s->depth + 1,
                     .near = { .wanted = section } };
    char *text = NULL;
    char near[100];
    size_t length = 0;

    if (!name[0]) return yk_net_fail(err, YOKE_E_ARG, at, "no name of a file");
    if (r->texts.count >= MOST_FILES)
        return yk_net_fail(err, YOKE_E_ARG, at, "more than %d included files",
                           MOST_FILES);
    YK_TRY(join_path(r, s, name, &child.path, err));
    YK_TRY(read_file(r, &child, &text, &length, err));
    YK_TRY(load(r, &child, text, length, err));
    if (section && !child.found)
        return yk_net_fail(
            err, YOKE_E_ARG, at, "\"%s\" has no section \"%s\"%s", child.path,
            section, yk_net_near_text(&child.near, near, sizeof near));
    return YOKE_OK;
}

yoke_status yk_net_read_data(yk_net_reader *r, const char *name,
                             yk_net_place at, char **text, yoke_err *err)
{
    const source here = { .path = at.file };
    source data = { .from = &here, .at = at };
    size_t length = 0;

    YK_TRY(join_path(r, &here, name, &data.path, err));
    YK_TRY(read_file(r, &data, text, &length, err));
    (*text)[length] = '\0';
    return YOKE_OK;
}

static void fold_up_to(char *text, const char *end)
{
    for (; *text && text != end; text++)
        if (*text >= 'A' && *text <= 'Z') *text = (char)(*text - 'A' + 'a');
}

static void fold(char *text)
{
    fold_up_to(text, NULL);
}

/* Small letters, but for the name of a file: `pwl file = Data.txt`. */
static void fold_element(char *text)
{
    char *name = strchr(text, '=');

    if (!strchr("vViI", *text)) name = NULL;
    for (; name; name = strchr(name + 1, '=')) {
        const char *word = name;
        while (word > text && isspace((unsigned char)word[-1])) word--;
        if (word - text > 4 && strncasecmp(word - 4, "file", 4) == 0) break;
    }
    if (!name) {
        fold(text);
        return;
    }
    name++;
    while (isspace((unsigned char)*name)) name++;
    fold_up_to(text, name);
    const char *const mark = strchr("\"'", *name) ? name++ : NULL;
    while (*name && (mark ? *name != *mark : !strchr(" \t,()", *name))) name++;
    fold(name);
}

static bool begins(const char *text, const char *word)
{
    for (; *word; text++, word++)
        if (tolower((unsigned char)*text) != *word) return false;
    return *text == '\0' || isspace((unsigned char)*text) || *text == '"' ||
           *text == '\'';
}

/* Cuts the next word, in quotes or not, out of *text. */
static char *cut_word(char **text)
{
    char *p = *text;

    while (isspace((unsigned char)*p)) p++;
    char *word = p;
    if (*p == '"' || *p == '\'') {
        const char mark = *p;
        word = ++p;
        while (*p && *p != mark) p++;
    } else {
        while (*p && !isspace((unsigned char)*p)) p++;
    }
    *text = *p ? p + 1 : p;
    *p = '\0';
    return word;
}

static yoke_status include_line(yk_net_reader *r, const source *s, char *text,
                                yk_net_place at, yoke_err *err)
{
    cut_word(&text);
    return include(r, s, cut_word(&text), NULL, at, err);
}

static bool is_standard(const char *path)
{
    static const char *const names[] = { "nom.lib",       "standard.dio",
                                         "standard.bjt",  "standard.mos",
                                         "standard.jft",  "standard.cap",
                                         "standard.ind",  "standard.res",
                                         "standard.bead", "ltc.lib" };
    const char *name = path;

    for (const char *c = path; *c; c++)
        if (*c == '/' || *c == '\\') name = c + 1;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcasecmp(name, names[k]) == 0) return true;
    return false;
}

/* `.lib file`, as PSpice and LTspice have it: .include. */
static yoke_status lib_alone(yk_net_reader *r, const source *s,
                             const char *name, yk_net_place at, yoke_err *err)
{
    const yoke_status status = include(r, s, name, NULL, at, err);

    /* The libraries that PSpice and LTspice come with: a model that is missing
     * then has a message of its own. */
    if (status == YOKE_E_FILE && is_standard(name)) {
        if (err) *err = (yoke_err){ YOKE_OK, "" };
        return yk_net_warn(r->net, err, at,
                           "%.100s, a library that PSpice or LTspice comes "
                           "with, is not there and left out",
                           name);
    }
    if (status == YOKE_E_FILE)
        yk_suffix(err,
                  " (a section, from .lib %.60s to .endl, is read by .lib "
                  "with a file and its name)",
                  name);
    return status;
}

/* `.lib file section`, `.lib file`, or the beginning of a section. */
static yoke_status lib_line(yk_net_reader *r, source *s, char *text,
                            yk_net_place at, yoke_err *err)
{
    char *rest = text + 4;
    char *first = cut_word(&rest);
    char *second = cut_word(&rest);
    const char *section = NULL;

    if (!first[0])
        return yk_net_fail(err, YOKE_E_ARG, at,
                           ".lib needs a file and a section, or the name of "
                           "the section that begins");
    if (second[0]) {
        if (s->skipping) return YOKE_OK;
        fold(second);
        YK_TRY(yk_net_copy(&r->scratch, &section, second, (int)strlen(second),
                           err));
        return include(r, s, first, section, at, err);
    }
    if (!s->section && !s->begun.file) return lib_alone(r, s, first, at, err);
    if (s->begun.file)
        return yk_net_fail(err, YOKE_E_ARG, at,
                           "section \"%.80s\" begins inside the one of line "
                           "%d, which has no .endl",
                           first, s->begun.line);
    fold(first);
    s->begun = at;
    s->skipping = true;
    if (strcmp(first, s->section) == 0) {
        s->found = true;
        s->skipping = false;
    } else {
        yk_net_near_try(&s->near, first);
    }
    return YOKE_OK;
}

static yoke_status endl_line(source *s, yk_net_place at, yoke_err *err)
{
    if (!s->begun.file)
        return yk_net_fail(err, YOKE_E_ARG, at, ".endl without .lib");
    s->begun = (yk_net_place){ NULL, 0, 0 };
    s->skipping = s->section != NULL;
    return YOKE_OK;
}

/* ---- one logical line ---------------------------------------------------- */

static yoke_status emit(yk_net_reader *r, source *s, char *text,
                        yk_net_place at, int column, yoke_err *err)
{
    if (!s->control) YK_TRY(yk_net_plain_letters(text, at, err));
    if (begins(text, ".lib")) return lib_line(r, s, text, at, err);
    if (begins(text, ".endl")) return endl_line(s, at, err);
    if (s->skipping) return YOKE_OK;
    if (begins(text, ".include") || begins(text, ".inc"))
        return include_line(r, s, text, at, err);
    fold_element(text);
    if (begins(text, ".control")) s->control = true;
    if (begins(text, ".endc")) s->control = false;
    if (begins(text, ".end")) {
        s->ended = s->from == NULL;
        return YOKE_OK;
    }
    return add_line(r, text, at, column, err);
}

/* ---- physical lines ------------------------------------------------------ */

/* Cuts what follows `;`, `//`, or `$` after a blank or comma.  Between
 * .control and .endc `$` begins a variable unless a blank follows. */
static char *cut_comment(char *begin, char *end, bool control)
{
    const bool include = begins(begin, ".include") || begins(begin, ".inc") ||
                         begins(begin, ".lib");

    for (char *p = begin; p < end; p++) {
        if (*p == ';') return p;
        if (*p == '/' && p + 1 < end && p[1] == '/' && !include) return p;
        if (*p != '$') continue;
        const bool after =
            p > begin && (isspace((unsigned char)p[-1]) || p[-1] == ',');
        const bool before = p + 1 == end || isspace((unsigned char)p[1]);
        if (after && (!control || before)) return p;
    }
    return end;
}

static char *trim(char *begin, char *end)
{
    while (end > begin && isspace((unsigned char)end[-1])) end--;
    return end;
}

/* The text after `* yoke:`, or NULL. */
static char *hint_text(char *p, char *end)
{
    for (p++; p < end && isspace((unsigned char)*p); p++) continue;
    for (const char *want = "yoke:"; *want; want++, p++)
        if (p >= end || tolower((unsigned char)*p) != *want) return NULL;
    return p;
}

/* The line under construction. */
typedef struct pending {
    char *begin, *end;
    yk_net_place at;
    int column; /* of its begin */
    int joints; /* lines of the file in it, but for the first */
} pending;

static yoke_status flush(yk_net_reader *r, source *s, pending *line,
                         yoke_err *err)
{
    char *text = line->begin;

    if (!text) return YOKE_OK;
    line->begin = NULL;
    *line->end = '\0';
    const bool control = s->control;
    yoke_err why = { YOKE_OK, "" };
    const yoke_status status = emit(r, s, text, line->at, line->column, &why);
    return yk_net_problem(r, &(yk_net_line){ text, line->at, line->column },
                          control, status, &why, err);
}

/* `+ ...` at `plus`.  What is written never overtakes what is read: each line of
 * the file, comments too, had an end of its own. */
static yoke_status continue_line(const source *s, pending *line, char *start,
                                 char *plus, char *end, yk_net_place at,
                                 yoke_err *err)
{
    if (!line->begin)
        return yk_net_fail(err, YOKE_E_ARG, at,
                           "a line that begins with + has none before it to "
                           "continue");
    end = trim(plus + 1, cut_comment(plus + 1, end, s->control));
    *plus = ' ';
    for (; line->joints < at.line - line->at.line; line->joints++)
        *line->end++ = YK_NET_JOINT;
    memmove(line->end, start, (size_t)(end - start));
    line->end += end - start;
    return YOKE_OK;
}

static yoke_status hint_line(yk_net_reader *r, source *s, pending *line,
                             char *begin, char *end, yk_net_place at,
                             yoke_err *err)
{
    char *text = hint_text(begin, end);

    if (!text || s->skipping) return YOKE_OK;
    YK_TRY(flush(r, s, line, err));
    if (s->ended) return YOKE_OK;
    *end = '\0';
    YK_TRY(yk_net_plain_letters(text, at, err));
    fold(text);
    text[-1] = '*'; /* in place of the colon: marks the kind of line */
    return add_line(r, text - 1, at, 0, err);
}

static yoke_status physical(yk_net_reader *r, source *s, pending *line,
                            char *begin, char *end, yk_net_place at,
                            yoke_err *err)
{
    if (end - begin > LONGEST)
        return yk_net_fail(err, YOKE_E_ARG, at,
                           "the line has more than %d letters", LONGEST);
    if (memchr(begin, '\0', (size_t)(end - begin)))
        return yk_net_fail(err, YOKE_E_ARG, at,
                           "the line has a NUL byte: this is not text, or "
                           "UTF-16; save it as UTF-8");
    char *const start = begin;
    while (begin < end && isspace((unsigned char)*begin)) begin++;
    end = trim(begin, end);
    if (begin == end) return YOKE_OK;
    if (*begin == '*') return hint_line(r, s, line, begin, end, at, err);
    if (*begin == '+')
        return continue_line(s, line, start, begin, end, at, err);
    end = trim(begin, cut_comment(begin, end, s->control));
    if (begin == end || *begin == '$' || *begin == '#') return YOKE_OK;
    if (end - begin == 1 && *begin == ')') return YOKE_OK; /* of a .model */
    YK_TRY(flush(r, s, line, err));
    if (s->ended) return YOKE_OK;
    *line = (pending){ begin, end, at, (int)(begin - start) + 1, 0 };
    return YOKE_OK;
}

static bool is_number(const char *word)
{
    int used = 0;

    yk_net_number(word, (int)strlen(word), &used);
    return used > 0 && word[used] == '\0';
}

/* What a source may have behind its nodes: `sin(0`, or `dc` and a number. */
static bool is_waveform(const char *word, const char *next)
{
    static const char *const shape[] = { "sin(", "pulse(", "pwl(", "exp(",
                                         "sffm(" };

    if (strcmp(word, "dc") == 0 || strcmp(word, "ac") == 0)
        return is_number(next);
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++)
        if (strncmp(word, shape[k], strlen(shape[k])) == 0) return true;
    return false;
}

/* Does the first line look like an element, `r1 a b 1k`, or a command? */
static bool is_no_title(const char *text)
{
    char word[5][80] = { "" };

    const int words = sscanf(text, "%79s %79s %79s %79s %79s", word[0], word[1],
                             word[2], word[3], word[4]);
    for (int k = 0; k < 5; k++)
        for (char *p = word[k]; *p; p++) *p = (char)tolower((unsigned char)*p);
    if (words > 1 && word[0][0] == '.')
        return strchr("abcdefghijklmnopqrsuvwxyz", word[0][1]) ||
               strcmp(word[0], ".tran") == 0 || strcmp(word[0], ".temp") == 0;
    if (words < 4 || !strchr("rclvi", word[0][0])) return false;
    const bool named =
        strpbrk(word[0], "0123456789") || strcmp(word[2], "0") == 0;
    return named && isalnum((unsigned char)word[0][1]) &&
           (is_number(word[3]) ||
            (strchr("vi", word[0][0]) && is_waveform(word[3], word[4])));
}

/* The first line of the first file. */
static yoke_status take_title(yk_net_reader *r, char *begin, char *end,
                              yk_net_place at, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };
    const int length = (int)(trim(begin, end) - begin);

    YK_TRY(yk_net_copy(&r->net->arena, &r->net->title, begin, length, err));
    if (!is_no_title(r->net->title)) return YOKE_OK;
    yk_net_fail(&why, YOKE_E_ARG, at,
                "the first line of a netlist is its title and not read, but "
                "this is part of the circuit: \"%.60s\"; put a line with a "
                "title before it",
                r->net->title);
    return yk_net_problem(r, &(yk_net_line){ begin, at, 0 }, false, YOKE_E_ARG,
                          &why, err);
}

/* `text` has one more byte than `length`, which is 0. */
static yoke_status load(yk_net_reader *r, source *s, char *text, size_t length,
                        yoke_err *err)
{
    char *const last = text + length;
    pending line = { 0 };
    yk_net_place at = { s->path, 0, 0 };

    s->skipping = s->section != NULL;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    if (!memchr(text, '\n', (size_t)(last - text))) /* of an old Macintosh */
        for (char *p = text; p < last; p++)
            if (*p == '\r') *p = '\n';
    for (char *begin = text; begin < last && !s->ended;) {
        char *end = memchr(begin, '\n', (size_t)(last - begin));
        if (!end) end = last;
        at.line++;
        if (!s->from && at.line == 1)
            YK_TRY(take_title(r, begin, end, at, err));
        else
            YK_TRY(physical(r, s, &line, begin, end, at, err));
        begin = end + 1;
    }
    YK_TRY(flush(r, s, &line, err));
    if (s->begun.file && (!s->section || !s->skipping))
        return yk_net_fail(err, YOKE_E_ARG, s->begun,
                           "the section has no .endl");
    return YOKE_OK;
}

yoke_status yk_net_load(yk_net_reader *r, const char *path, const char *text,
                        size_t length, yoke_err *err)
{
    source s = { .at = { NULL, 0, 0 } };
    char *copy = NULL;

    YK_TRY(yk_net_copy(&r->net->arena, &s.path, path, (int)strlen(path), err));
    r->net->path = s.path;
    if (text) {
        if (length > INT_MAX)
            return yk_fail(err, YOKE_E_ARG, "%s: larger than 2 GiB", path);
        YK_TRY(yk_alloc((void **)&copy, length + 1, 1, err));
        if (length) memcpy(copy, text, length);
        const yoke_status status =
            yk_list_push(&r->scratch, &r->texts, copy, err);
        if (status != YOKE_OK) yk_free(copy);
        YK_TRY(status);
    } else {
        YK_TRY(read_file(r, &s, &copy, &length, err));
    }
    YK_TRY(load(r, &s, copy, length, err));
    if (!r->net->title)
        return yk_net_fail(err, YOKE_E_ARG, (yk_net_place){ s.path, 1, 0 },
                           "the file is empty");
    return YOKE_OK;
}
