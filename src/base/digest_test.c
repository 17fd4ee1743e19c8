/* base/digest_test.c */
#include "check.h"

#include "base/digest.h"

#include <string.h>

static void digest_of(const char *text, size_t piece, char out[YK_DIGEST_TEXT])
{
    unsigned char value[YK_DIGEST_SIZE];
    const size_t length = strlen(text);
    yk_digest d;

    yk_digest_begin(&d);
    for (size_t at = 0; at < length; at += piece)
        yk_digest_add(&d, text + at, length - at < piece ? length - at : piece);
    yk_digest_end(&d, value);
    yk_digest_write(value, out);
}

/* The examples of FIPS 180-2. */
static void the_published_examples(void **state)
{
    char out[YK_DIGEST_TEXT];
    (void)state;

    digest_of("", 1, out);
    assert_string_equal(out, "e3b0c44298fc1c149afbf4c8996fb924"
                             "27ae41e4649b934ca495991b7852b855");
    digest_of("abc", 3, out);
    assert_string_equal(out, "ba7816bf8f01cfea414140de5dae2223"
                             "b00361a396177a9cb410ff61f20015ad");
    digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
              out);
    assert_string_equal(out, "248d6a61d20638b8e5c026930c3e6039"
                             "a33ce45964ff2167f6ecedd419db06c1");
}

static void a_million_letters(void **state)
{
    unsigned char value[YK_DIGEST_SIZE];
    char letters[1000], out[YK_DIGEST_TEXT];
    yk_digest d;
    (void)state;

    memset(letters, 'a', sizeof letters);
    yk_digest_begin(&d);
    for (int k = 0; k < 1000; k++) yk_digest_add(&d, letters, sizeof letters);
    yk_digest_end(&d, value);
    yk_digest_write(value, out);
    assert_string_equal(out, "cdc76e5c9914fb9281a1c7e284d73e67"
                             "f1809a48a497200e046d39ccc7112cd0");
}

/* All lengths around the ends of blocks, in pieces of all sizes. */
static void pieces_make_no_difference(void **state)
{
    char text[200], whole[YK_DIGEST_TEXT], pieces[YK_DIGEST_TEXT];
    (void)state;

    for (size_t length = 0; length < sizeof text; length++) {
        for (size_t k = 0; k < length; k++) text[k] = (char)('a' + k % 26);
        text[length] = '\0';
        digest_of(text, sizeof text, whole);
        for (size_t piece = 1; piece < 130; piece += 7) {
            digest_of(text, piece, pieces);
            assert_string_equal(pieces, whole);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_examples),
        cmocka_unit_test(a_million_letters),
        cmocka_unit_test(pieces_make_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
