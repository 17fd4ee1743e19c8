/* tests/fuzz/http_fuzz.c -- requests to `yoke run --watch`: any bytes are
 * answered, waited for or refused, and what is answered is a plain GET or HEAD
 * to this machine. */
#include "fuzz.h"

#include "cli/http.c"

#include <stdlib.h>

static void check(bool holds)
{
    if (!holds) abort();
}

/* By the reader's own rules, in another way. */
static bool names_us(const uint8_t *data, size_t size)
{
    static const char *const name[] = { "127.0.0.1", "localhost", "[::1]" };
    char text[CLI_HTTP_MOST + 1];
    size_t n = size < CLI_HTTP_MOST ? size : CLI_HTTP_MOST;

    for (size_t k = 0; k < n; k++)
        text[k] = (char)((data[k] >= 'A' && data[k] <= 'Z') ? data[k] + 32
                         : data[k]                          ? data[k]
                                                            : 1);
    text[n] = '\0';
    const char *host = strstr(text, "\r\nhost:");
    if (!host) return false;
    host += strlen("\r\nhost:");
    host += strspn(host, " \t");
    for (size_t k = 0; k < sizeof name / sizeof *name; k++)
        if (strncmp(host, name[k], strlen(name[k])) == 0) {
            const char *end = host + strlen(name[k]);
            if (*end == ':') end += 1 + strspn(end + 1, "0123456789");
            end += strspn(end, " \t");
            if (*end == '\r') return true;
        }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cli_request r;
    const int status = cli_http_read(&r, (const char *)data, size);

    check(status == 0 || strcmp(cli_http_reason(status), "Error") != 0);
    check(memchr(r.path, '\0', sizeof r.path) != NULL);
    if (status == 0) check(size < CLI_HTTP_MOST);
    if (status == 200) {
        check(r.path[0] == '/' && !strchr(r.path, '?'));
        check(memcmp(data, r.head ? "HEAD /" : "GET /", r.head ? 6 : 5) == 0);
        check(names_us(data, size));
    }
    /* What has not ended may be continued; what has is not changed by more. */
    if (size > 0) {
        cli_request before;
        const int early = cli_http_read(&before, (const char *)data, size - 1);
        check(early == 0 || early == status || early == 431);
    }
    return 0;
}

FUZZ_MAIN("http");
