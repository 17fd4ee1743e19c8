/* file/yaml.h -- a YAML text as a tree in which every node knows its place.
 *
 * Texts, lists and maps with texts as keys.  What a system file has no use for
 * is refused by name: anchors and aliases, tags, several documents, a key that
 * occurs twice.
 */
#ifndef YK_YAML_H
#define YK_YAML_H

#include "base/base.h"

enum { YK_YAML_DEPTH = 100, YK_YAML_NODES = 1000000, YK_YAML_BYTES = 16 << 20 };

typedef enum yk_yaml_kind {
    YK_YAML_TEXT,
    YK_YAML_LIST,
    YK_YAML_MAP
} yk_yaml_kind;

typedef struct yk_yaml {
    yk_yaml_kind kind;
    int line, column; /* from 1; columns count characters */
    const char *key;  /* entry of a map */
    int key_line, key_column;
    const char *text; /* TEXT */
    bool plain;       /* TEXT: without quotes */
    bool verbatim;    /* TEXT: stands in the file letter by letter */
    int count;        /* LIST, MAP */
    const struct yk_yaml *first, *next; /* child; sibling */
} yk_yaml;

typedef struct yk_yaml_tree {
    const yk_yaml *root;
    void *memory;
} yk_yaml_tree;

/* `path` is for messages, which begin with path:line:column.  Clear the tree
 * also on failure. */
yoke_status yk_yaml_parse(yk_yaml_tree *out, const char *path, const char *text,
                          size_t length, yoke_err *err);
void yk_yaml_clear(yk_yaml_tree *tree);

/* The value of a key, or NULL. */
const yk_yaml *yk_yaml_find(const yk_yaml *map, const char *key);

/* True for `key:` with nothing behind it. */
bool yk_yaml_is_empty(const yk_yaml *node);

const char *yk_yaml_kind_text(const yk_yaml *node);

/* Line and column of byte `offset` of a text. */
void yk_yaml_place(const yk_yaml *node, size_t offset, int *line, int *column);

/* Adds path:line:column in front of a message. */
void yk_yaml_prefix(yoke_err *err, const char *path, int line, int column);

/* yaml_why.c: why the lines `first` to `last` of a text, counted from 1, are no
 * YAML; false where that is not seen. */
typedef struct yk_yaml_why {
    int line, column;
    char text[200];
} yk_yaml_why;
bool yk_yaml_explain(const char *text, size_t length, int first, int last,
                     yk_yaml_why *why);

#endif
