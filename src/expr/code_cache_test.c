/* expr/code_cache_test.c -- keys and seals; tests/golden/cache.sh
 * tries the folders with the program. */
#define _XOPEN_SOURCE 700

#include "check.h"

#include "expr/code_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/yoke-test-XXXXXX";
static char file[sizeof folder + 16];

static yk_code_key key_of(const char *compiler, const char *word,
                          const char *source)
{
    char *words[] = { (char *)word, NULL };
    yk_code_key key;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(
        yk_code_make_key(&key, compiler, words, source, strlen(source), &err),
        &err);
    return key;
}

static bool same(yk_code_key a, yk_code_key b)
{
    return memcmp(a.digest, b.digest, sizeof a.digest) == 0;
}

static void write_file(const char *bytes, size_t length)
{
    FILE *out = fopen(file, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

static size_t read_file(char *bytes, size_t room)
{
    FILE *in = fopen(file, "rb");

    assert_non_null(in);
    const size_t length = fread(bytes, 1, room, in);
    fclose(in);
    return length;
}

static void a_key_depends_on_everything(void **state)
{
    const yk_code_key key = key_of("/bin/sh", "-O2", "int x;");
    (void)state;

    assert_true(same(key, key_of("/bin/sh", "-O2", "int x;")));
    assert_false(same(key, key_of("/bin/sh", "-O2", "int y;")));
    assert_false(same(key, key_of("/bin/sh", "-O1", "int x;")));
    assert_false(same(key, key_of("/bin/ls", "-O2", "int x;")));
    assert_false(same(key, key_of("/bin/sh", "-O2i", "nt x;")));
}

static void a_key_sees_a_new_compiler(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    yk_code_key old, key;
    (void)state;

    write_file("one", 3);
    old = key_of(file, "-O2", "int x;");
    write_file("three", 5); /* another size */
    assert_false(same(old, key_of(file, "-O2", "int x;")));
    unlink(file);
    CHECK_STATUS(yk_code_make_key(&key, file, (char *[]){ NULL }, "", 0, &err),
                 YOKE_E_MISSING, &err);
}

static void compilers_are_found(void **state)
{
    char path[YK_CODE_PATH];
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    CHECK_OK(yk_code_find_compiler("  sh -c x", path, &err), &err);
    assert_int_equal(path[0], '/');
    assert_int_equal(access(path, X_OK), 0);
    CHECK_OK(yk_code_find_compiler("/bin/sh -x", path, &err), &err);
    assert_string_equal(path, "/bin/sh");
    CHECK_STATUS(yk_code_find_compiler("  ", path, &err), YOKE_E_MISSING, &err);
    CHECK_STATUS(yk_code_find_compiler("/tmp", path, &err), YOKE_E_MISSING,
                 &err);
    CHECK_STATUS(yk_code_find_compiler("no-such-thing -x", path, &err),
                 YOKE_E_MISSING, &err);
    assert_string_equal(err.text,
                        "there is no C compiler \"no-such-thing\" in the PATH");
}

/* Every byte, every length, and every other key. */
static void a_seal_finds_every_change(void **state)
{
    const yk_code_key key = key_of("/bin/sh", "-O2", "int x;");
    const yk_code_key other = key_of("/bin/sh", "-O2", "int y;");
    char whole[400], bytes[401];
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    for (size_t k = 0; k < 200; k++) bytes[k] = (char)(7 * k);
    write_file(bytes, 200);
    assert_false(yk_code_is_sealed(file, &key));
    CHECK_OK(yk_code_seal(file, &key, &err), &err);
    assert_true(yk_code_is_sealed(file, &key));
    assert_false(yk_code_is_sealed(file, &other));
    const size_t length = read_file(whole, sizeof whole);
    assert_int_equal(length, 200 + 8 + 2 * YK_DIGEST_SIZE);
    assert_memory_equal(whole, bytes, 200);

    for (size_t k = 0; k < length; k++) {
        write_file(whole, k);
        assert_false(yk_code_is_sealed(file, &key));
        memcpy(bytes, whole, length);
        bytes[k] ^= 1;
        write_file(bytes, length);
        assert_false(yk_code_is_sealed(file, &key));
    }
    memcpy(bytes, whole, length);
    write_file(bytes, length + 1);
    assert_false(yk_code_is_sealed(file, &key));
    write_file(whole, length);
    assert_true(yk_code_is_sealed(file, &key));
    assert_int_equal(chmod(file, 0660), 0);
    assert_false(yk_code_is_sealed(file, &key));
    unlink(file);
    assert_false(yk_code_is_sealed(file, &key));
    CHECK_STATUS(yk_code_seal(file, &key, &err), YOKE_E_MISSING, &err);
    assert_false(yk_code_is_sealed("/dev/zero", &key));
    assert_false(yk_code_is_sealed(folder, &key));
}

static void names_have_limits(void **state)
{
    const yk_code_key key = { { 0 } };
    char path[YK_CODE_PATH], name[2 * YK_CODE_PATH];
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    for (size_t length = 1; length < sizeof name; length++) {
        memset(name, 'x', length);
        name[0] = '/';
        name[length] = '\0';
        const yoke_status status = yk_code_path(path, name, &key, &err);
        assert_true(status == YOKE_OK ? strlen(path) == length + 73
                                      : status == YOKE_E_MISSING &&
                                            length + 73 >= YK_CODE_PATH);
        if (length + 200 > YK_CODE_PATH)
            CHECK_STATUS(yk_code_open_cache(name, &err), YOKE_E_MISSING, &err);
    }
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(file);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_depends_on_everything),
        cmocka_unit_test(a_key_sees_a_new_compiler),
        cmocka_unit_test(compilers_are_found),
        cmocka_unit_test(a_seal_finds_every_change),
        cmocka_unit_test(names_have_limits),
    };
    if (!mkdtemp(folder)) return 1;
    snprintf(file, sizeof file, "%s/object", folder);
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
