/* file/yaml_test.c */
#include "check.h"

#include "file/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void parse(yk_yaml_tree *tree, const char *text)
{
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_yaml_parse(tree, "f", text, strlen(text), &err), &err);
}

static void refused(const char *text, const char *start, const char *message)
{
    yk_yaml_tree tree;
    yoke_err err = { YOKE_OK, "" };

    CHECK_STATUS(yk_yaml_parse(&tree, "f", text, strlen(text), &err),
                 YOKE_E_FILE, &err);
    assert_null(tree.root);
    if (strncmp(err.text, start, strlen(start)) != 0)
        fail_msg("\"%s\" does not begin with \"%s\"", err.text, start);
    CHECK_CONTAINS(err.text, message);
    yk_yaml_clear(&tree);
}

static void trees_know_their_places(void **state)
{
    yk_yaml_tree tree;
    (void)state;
    parse(&tree, "a: 1\nb:\n  - x\n  - {c: 'q r', d: [1, 2]}\n");
    assert_int_equal(tree.root->kind, YK_YAML_MAP);
    const yk_yaml *b = yk_yaml_find(tree.root, "b");
    assert_int_equal(b->kind, YK_YAML_LIST);
    assert_int_equal(b->count, 2);
    assert_int_equal(b->key_line, 2);
    const yk_yaml *c = yk_yaml_find(b->first->next, "c");
    assert_string_equal(c->text, "q r");
    assert_int_equal(c->line, 4);
    assert_int_equal(c->column, 9);
    assert_int_equal(c->key_column, 6);
    assert_int_equal(yk_yaml_find(b->first->next, "d")->count, 2);
    assert_null(yk_yaml_find(tree.root, "z"));
    assert_null(yk_yaml_find(b, "z"));
    yk_yaml_clear(&tree);
}

static void place(const char *text, size_t offset, int line, int column)
{
    yk_yaml_tree tree;
    int got_line = 0, got_column = 0;

    parse(&tree, text);
    yk_yaml_place(yk_yaml_find(tree.root, "k"), offset, &got_line, &got_column);
    assert_int_equal(got_line, line);
    assert_int_equal(got_column, column);
    yk_yaml_clear(&tree);
}

/* Exact where the text stands in the file letter by letter; otherwise where it
 * begins.  Columns count characters. */
static void places_inside_texts(void **state)
{
    (void)state;
    place("k: abcdef", 3, 1, 7);
    place("k: 'abcdef'", 3, 1, 8);
    place("k: \"abcdef\"", 3, 1, 8);
    place("k: \"a\\tbc\"", 3, 1, 4);
    place("k: a\xc3\xa4 b", 4, 1, 7);
    place("k: |\n  abc\n  def\n", 5, 1, 4);
    place("k: abc\n  def", 5, 1, 4);
}

static void emptiness_is_seen(void **state)
{
    yk_yaml_tree tree;
    (void)state;
    parse(&tree, "a:\nb: ''\nc: {}\n");
    const yk_yaml *a = yk_yaml_find(tree.root, "a");
    assert_true(yk_yaml_is_empty(a));
    assert_string_equal(yk_yaml_kind_text(a), "nothing");
    assert_false(yk_yaml_is_empty(yk_yaml_find(tree.root, "b")));
    assert_string_equal(yk_yaml_kind_text(yk_yaml_find(tree.root, "c")),
                        "a map");
    yk_yaml_clear(&tree);
}

static void what_is_not_used_is_refused_by_name(void **state)
{
    (void)state;
    refused("", "f:1:1: ", "empty");
    refused("# nothing\n", "f:2:1: ", "empty");
    refused("a: &x 1", "f:1:4: ", "anchors");
    refused("a: &x [1]", "f:1:4: ", "anchors");
    refused("a: &x {b: 1}", "f:1:4: ", "anchors");
    refused("a: *x", "f:1:4: ", "aliases");
    refused("a: !int 1", "f:1:4: ", "tags");
    refused("a: !!map {b: 1}", "f:1:4: ", "tags");
    refused("a: 1\n---\nb: 2\n", "f:2:1: ", "second document");
    refused("a: 1\nb: 2\na: 3\n", "f:3:1: ", "\"a\" is in line 1");
    refused("{[1]: 2}", "f:1:2: ", "a key is a text");
    refused("a: \"x\\0y\"", "f:1:4: ", "character 0");
}

static void syntax_errors_have_a_place(void **state)
{
    (void)state;
    refused("a: [1, 2\nb: 3", "f:1:4: ", "not closed by line 2");
    refused("a: 'x", "f:1:", "quoted");
    refused("a: b: c", "f:1:5: ", "YAML: mapping values");
    refused("a:\n\t- 1", "f:2:1: ", "a tab stands in the indentation");
    refused("a: 1\n  b: 2", "f:2:3: ", "indented by 2, the one of line 1 by 0");
    refused("a:\n  - b\n  c\n", "f:3:3: ", "begins with a dash");
    refused("ab\ncd \xff\xfe", "f:2:4: ", "UTF-8");
    refused("a: \x01", "f:1:4: ", "UTF-8");
}

static void deep_nesting_is_refused(void **state)
{
    static char text[200000];
    (void)state;
    memset(text, '[', sizeof text - 1);
    refused(text, "f:1:101: ", "100 deep");
    memset(text, '{', sizeof text - 1);
    refused(text, "f:1:", "a key is a text");
    for (size_t i = 0; i + 2 < sizeof text; i += 2) memcpy(text + i, "- ", 2);
    text[sizeof text - 2] = 'x';
    refused(text, "f:1:201: ", "100 deep");
}

static void huge_files_are_refused(void **state)
{
    const size_t size = (size_t)YK_YAML_BYTES + 1;
    char *text = malloc(size + 1);
    (void)state;
    memset(text, ' ', size);
    text[size] = '\0';
    refused(text, "f:1:1: ", "16 MiB");
    text[0] = '[';
    for (size_t i = 1; i < 3000000; i += 2) memcpy(text + i, "1,", 2);
    text[3000001] = ']';
    text[3000002] = '\0';
    refused(text, "f:1:", "1000000");
    free(text);
}

static void failed_allocations_leak_nothing(void **state)
{
    static const char text[] = "a: {b: [1, 2, {c: d}], e: f}\ng: h\n";
    (void)state;
    for (long n = 1;; n++) {
        yk_yaml_tree tree;
        yoke_err err;
        fault_allocator(n);
        const yoke_status status =
            yk_yaml_parse(&tree, "f", text, sizeof text - 1, &err);
        const bool reached = fault_requests() >= n;
        yk_yaml_clear(&tree);
        const long blocks = fault_blocks();
        fault_restore();
        assert_int_equal(blocks, 0);
        if (!reached) {
            CHECK_OK(status, &err);
            break;
        }
        CHECK_STATUS(status, YOKE_E_MEMORY, &err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_know_their_places),
        cmocka_unit_test(places_inside_texts),
        cmocka_unit_test(emptiness_is_seen),
        cmocka_unit_test(what_is_not_used_is_refused_by_name),
        cmocka_unit_test(syntax_errors_have_a_place),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(huge_files_are_refused),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
