/* file/yaml.c -- from the events of libyaml to a tree.
 *
 * libyaml limits nothing but its own nesting; the limits here keep any file
 * within bounded memory and time.  It allocates by itself, so a failed request
 * inside it comes back as YAML_MEMORY_ERROR.
 */
#include "file/yaml.h"

#include "base/names.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <yaml.h>

/* ---- memory -------------------------------------------------------------- */

/* Nodes and texts live as long as the tree: blocks, freed together. */
enum { BLOCK = 16384, ALIGN = 16 };

typedef struct block {
    struct block *next;
    size_t used, room;
} block;

static const size_t head = (sizeof(block) + ALIGN - 1) / ALIGN * ALIGN;

static yoke_status add_block(block **list, size_t bytes, yoke_err *err)
{
    const size_t room = bytes > BLOCK ? bytes : BLOCK;
    block *b = NULL;

    YK_TRY(yk_alloc((void **)&b, 1, head + room, err));
    b->room = room;
    b->next = *list;
    *list = b;
    return YOKE_OK;
}

static yoke_status take(block **list, void **out, size_t bytes, yoke_err *err)
{
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (!*list || (*list)->room - (*list)->used < bytes)
        YK_TRY(add_block(list, bytes, err));
    *out = (char *)*list + head + (*list)->used;
    (*list)->used += bytes;
    return YOKE_OK;
}

void yk_yaml_clear(yk_yaml_tree *tree)
{
    for (block *b = tree->memory; b;) {
        block *next = b->next;
        yk_free(b);
        b = next;
    }
    *tree = (yk_yaml_tree){ NULL, NULL };
}

/* ---- events -------------------------------------------------------------- */

typedef struct reader {
    yaml_parser_t parser;
    yaml_event_t event;
    bool has_event;
    const char *path, *text;
    size_t length;
    block *memory;
    int nodes, depth;
} reader;

void yk_yaml_prefix(yoke_err *err, const char *path, int line, int column)
{
    yk_prefix(err, "%.300s:%d:%d", path, line, column);
}

static yoke_status fail_at(const reader *r, yaml_mark_t mark, const char *what,
                           yoke_err *err)
{
    yk_fail(err, YOKE_E_FILE, "%s", what);
    yk_yaml_prefix(err, r->path, (int)mark.line + 1, (int)mark.column + 1);
    return YOKE_E_FILE;
}

/* libyaml's reader gives a byte, not a mark. */
static yaml_mark_t mark_of_byte(const reader *r, size_t offset)
{
    yaml_mark_t mark = { offset, 0, 0 };

    for (size_t i = 0; i < offset && i < r->length; i++) {
        mark.column++;
        if (r->text[i] != '\n') continue;
        mark.line++;
        mark.column = 0;
    }
    return mark;
}

static yoke_status parser_failed(const reader *r, yoke_err *err)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "unreadable";
    char what[300];

    if (p->error == YAML_MEMORY_ERROR)
        return yk_fail(err, YOKE_E_MEMORY, "%s: out of memory", r->path);
    if (p->error == YAML_READER_ERROR) {
        snprintf(what, sizeof what, "%s; a system file is a text in UTF-8",
                 problem);
        return fail_at(r, mark_of_byte(r, p->problem_offset), what, err);
    }
    const int first =
        (int)(p->context && p->context_mark.line < p->problem_mark.line
                  ? p->context_mark.line
                  : p->problem_mark.line) +
        1;
    if (p->context &&
        strncmp(p->context, "while scanning a quoted scalar", 30) == 0)
        return fail_at(r, p->context_mark,
                       "the quoted text that opens here is not closed", err);
    const bool flow =
        p->context && strncmp(p->context, "while parsing a flow", 20) == 0;
    yk_yaml_why why;
    if (!flow && yk_yaml_explain(r->text, r->length, first,
                                 (int)p->problem_mark.line + 1, &why)) {
        yk_fail(err, YOKE_E_FILE, "%s", why.text);
        yk_yaml_prefix(err, r->path, why.line, why.column);
        return YOKE_E_FILE;
    }
    if (flow) {
        snprintf(what, sizeof what,
                 "the bracket that opens here is not closed by line %d, or a "
                 "comma is missing; a text that contains any of "
                 "\": # , [ ] { }\" needs quotes",
                 (int)p->problem_mark.line + 1);
        return fail_at(r, p->context_mark, what, err);
    }
    if (strcmp(problem, "mapping values are not allowed in this context") == 0)
        return fail_at(
            r, p->problem_mark,
            "YAML: mapping values are not allowed in this context: a second "
            "colon in one line; write KEY: {NAME: VALUE}, or "
            "quotes around a text with a colon",
            err);
    snprintf(what, sizeof what,
             "YAML: %s%s%s; a text that contains any of \": # , [ ] { }\" "
             "needs quotes",
             p->context ? p->context : "", p->context ? ", " : "", problem);
    return fail_at(r, p->problem_mark, what, err);
}

static yoke_status next_event(reader *r, yoke_err *err)
{
    if (r->has_event) yaml_event_delete(&r->event);
    r->has_event = yaml_parser_parse(&r->parser, &r->event) != 0;
    return r->has_event ? YOKE_OK : parser_failed(r, err);
}

/* ---- tree ---------------------------------------------------------------- */

static yoke_status refuse_extras(const reader *r, const yaml_char_t *anchor,
                                 const yaml_char_t *tag, yoke_err *err)
{
    const yaml_mark_t at = r->event.start_mark;

    if (anchor)
        return fail_at(r, at,
                       "anchors (&name) are not used in system files; "
                       "write the text out",
                       err);
    if (tag)
        return fail_at(r, at,
                       "tags (!name) are not used in system files; "
                       "leave it out",
                       err);
    return YOKE_OK;
}

static yoke_status new_node(reader *r, yk_yaml_kind kind, yk_yaml **out,
                            yoke_err *err)
{
    const yaml_mark_t at = r->event.start_mark;
    void *memory = NULL;

    if (++r->nodes > YK_YAML_NODES)
        return fail_at(r, at,
                       "more than 1000000 texts, lists and maps are "
                       "too many for a system file",
                       err);
    YK_TRY(take(&r->memory, &memory, sizeof **out, err));
    *out = memory;
    (*out)->kind = kind;
    (*out)->line = (int)at.line + 1;
    (*out)->column = (int)at.column + 1;
    return YOKE_OK;
}

/* The scalar of the event as a text of the tree. */
static yoke_status copy_scalar(reader *r, const char **out, yoke_err *err)
{
    const size_t length = r->event.data.scalar.length;
    void *memory = NULL;

    YK_TRY(refuse_extras(r, r->event.data.scalar.anchor,
                         r->event.data.scalar.tag, err));
    if (memchr(r->event.data.scalar.value, 0, length))
        return fail_at(r, r->event.start_mark,
                       "a text must not contain the character 0", err);
    YK_TRY(take(&r->memory, &memory, length + 1, err));
    memcpy(memory, r->event.data.scalar.value, length);
    ((char *)memory)[length] = '\0';
    *out = memory;
    return YOKE_OK;
}

static size_t characters(const char *text, size_t bytes)
{
    size_t count = 0;

    for (size_t i = 0; i < bytes && text[i]; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

static yoke_status read_text(reader *r, yk_yaml **out, yoke_err *err)
{
    const char *text = NULL;
    yk_yaml *node = NULL;

    YK_TRY(new_node(r, YK_YAML_TEXT, &node, err));
    YK_TRY(copy_scalar(r, &text, err));
    const yaml_mark_t from = r->event.start_mark, to = r->event.end_mark;
    const size_t quotes =
        r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 2;
    node->text = text;
    node->plain = quotes == 0;
    node->verbatim =
        from.line == to.line &&
        to.index - from.index == characters(text, SIZE_MAX) + quotes;
    *out = node;
    return YOKE_OK;
}

static yoke_status read_node(reader *r, yk_yaml **out, yoke_err *err);

static yoke_status read_list(reader *r, yk_yaml **out, yoke_err *err)
{
    const yk_yaml **tail;
    yk_yaml *list = NULL, *item = NULL;

    YK_TRY(refuse_extras(r, r->event.data.sequence_start.anchor,
                         r->event.data.sequence_start.tag, err));
    YK_TRY(new_node(r, YK_YAML_LIST, &list, err));
    tail = &list->first;
    for (;; tail = &item->next) {
        YK_TRY(next_event(r, err));
        if (r->event.type == YAML_SEQUENCE_END_EVENT) break;
        YK_TRY(read_node(r, &item, err));
        *tail = item;
        list->count++;
    }
    *out = list;
    return YOKE_OK;
}

/* The key of an entry; `known` holds the line of each key before it. */
static yoke_status read_key(reader *r, yk_names *known, const char **key,
                            yoke_err *err)
{
    const yaml_mark_t at = r->event.start_mark;
    char what[300];

    if (r->event.type != YAML_SCALAR_EVENT)
        return fail_at(r, at,
                       "a key is a text, not a list or a map; a text "
                       "in { } or [ ] needs quotes",
                       err);
    YK_TRY(copy_scalar(r, key, err));
    if ((*key)[0] == '-' && isalpha((unsigned char)(*key)[1])) {
        snprintf(what, sizeof what,
                 "a blank is missing behind the dash: write \"- %.100s: ...\"",
                 *key + 1);
        return fail_at(r, at, what, err);
    }
    const int line = yk_names_find(known, *key);
    if (line < 0) return yk_names_add(known, *key, (int)at.line + 1, err);
    snprintf(what, sizeof what,
             "the key \"%.100s\" is in line %d already; remove one of the "
             "two, or begin each entry of a list with \"- \"",
             *key, line);
    return fail_at(r, at, what, err);
}

static yoke_status read_entries(reader *r, yk_yaml *map, yk_names *known,
                                yoke_err *err)
{
    const yk_yaml **tail = &map->first;

    for (;;) {
        const char *key = NULL;
        yk_yaml *value = NULL;
        YK_TRY(next_event(r, err));
        if (r->event.type == YAML_MAPPING_END_EVENT) return YOKE_OK;
        const yaml_mark_t at = r->event.start_mark;
        YK_TRY(read_key(r, known, &key, err));
        YK_TRY(next_event(r, err));
        YK_TRY(read_node(r, &value, err));
        value->key = key;
        value->key_line = (int)at.line + 1;
        value->key_column = (int)at.column + 1;
        *tail = value;
        tail = &value->next;
        map->count++;
    }
}

static yoke_status read_map(reader *r, yk_yaml **out, yoke_err *err)
{
    yk_names known = { 0 };
    yk_yaml *map = NULL;

    YK_TRY(refuse_extras(r, r->event.data.mapping_start.anchor,
                         r->event.data.mapping_start.tag, err));
    YK_TRY(new_node(r, YK_YAML_MAP, &map, err));
    const yoke_status status = read_entries(r, map, &known, err);
    yk_names_clear(&known);
    if (status == YOKE_OK) *out = map;
    return status;
}

static yoke_status read_node(reader *r, yk_yaml **out, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    if (r->depth >= YK_YAML_DEPTH)
        return fail_at(r, r->event.start_mark,
                       "lists and maps are nested more than 100 deep", err);
    r->depth++;
    switch (r->event.type) {
    case YAML_SCALAR_EVENT:
        status = read_text(r, out, err);
        break;
    case YAML_SEQUENCE_START_EVENT:
        status = read_list(r, out, err);
        break;
    case YAML_MAPPING_START_EVENT:
        status = read_map(r, out, err);
        break;
    default: /* nothing else begins a node */
        status = fail_at(r, r->event.start_mark,
                         "aliases (*name) are not used in system files; write "
                         "the text out, in quotes if it begins with \"*\"",
                         err);
    }
    r->depth--;
    return status;
}

static yoke_status read_document(reader *r, yk_yaml **root, yoke_err *err)
{
    YK_TRY(next_event(r, err)); /* start of the stream */
    YK_TRY(next_event(r, err));
    if (r->event.type == YAML_STREAM_END_EVENT)
        return fail_at(r, r->event.start_mark,
                       "the file is empty; a system file begins with "
                       "\"yoke: 1\"",
                       err);
    YK_TRY(next_event(r, err));
    YK_TRY(read_node(r, root, err));
    YK_TRY(next_event(r, err)); /* end of the document */
    YK_TRY(next_event(r, err));
    if (r->event.type != YAML_STREAM_END_EVENT)
        return fail_at(r, r->event.start_mark,
                       "a second document begins here; a system file has one",
                       err);
    return YOKE_OK;
}

static yoke_status start(reader *r, yoke_err *err)
{
    if (r->length > YK_YAML_BYTES)
        return fail_at(r, (yaml_mark_t){ 0, 0, 0 },
                       "the file has more than 16 MiB, too much for a system "
                       "file",
                       err);
    if (!yaml_parser_initialize(&r->parser))
        return yk_fail(err, YOKE_E_MEMORY, "%s: out of memory", r->path);
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)r->text,
                                 r->length);
    return YOKE_OK;
}

yoke_status yk_yaml_parse(yk_yaml_tree *out, const char *path, const char *text,
                          size_t length, yoke_err *err)
{
    reader r = { .path = path, .text = text, .length = length };
    yk_yaml *root = NULL;

    *out = (yk_yaml_tree){ NULL, NULL };
    YK_TRY(start(&r, err));
    const yoke_status status = read_document(&r, &root, err);
    if (r.has_event) yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    out->memory = r.memory;
    if (status == YOKE_OK) out->root = root;
    return status;
}

/* ---- questions ----------------------------------------------------------- */

const yk_yaml *yk_yaml_find(const yk_yaml *map, const char *key)
{
    if (!map || map->kind != YK_YAML_MAP) return NULL;
    for (const yk_yaml *e = map->first; e; e = e->next)
        if (strcmp(e->key, key) == 0) return e;
    return NULL;
}

bool yk_yaml_is_empty(const yk_yaml *node)
{
    return node->kind == YK_YAML_TEXT && node->plain && !node->text[0];
}

const char *yk_yaml_kind_text(const yk_yaml *node)
{
    static const char *const text[] = { "a text", "a list", "a map" };

    return yk_yaml_is_empty(node) ? "nothing" : text[node->kind];
}

void yk_yaml_place(const yk_yaml *node, size_t offset, int *line, int *column)
{
    *line = node->line;
    *column = node->column;
    if (node->kind == YK_YAML_TEXT && node->verbatim)
        *column += (int)characters(node->text, offset) + (node->plain ? 0 : 1);
}
