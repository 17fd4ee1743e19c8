/* cli/http.c -- requests to `yoke run --watch`.
 *
 * Only GET and HEAD without a body.  The name of the host must be that of this
 * machine's loopback: a page of somebody else whose name was made to lead here
 * (DNS rebinding) sends its own name and gets nothing.  Any port is fine, since
 * the address may be reached through a tunnel.
 */
#include "cli/http.h"

#include <string.h>
#include <strings.h>

/* A piece of the request. */
typedef struct piece {
    const char *at;
    size_t length;
} piece;

static bool is(piece p, const char *text)
{
    return p.length == strlen(text) && strncasecmp(p.at, text, p.length) == 0;
}

/* Where "\r\n\r\n" ends; 0: it has not come. */
static size_t end_of(const char *bytes, size_t length)
{
    for (size_t k = 3; k < length; k++)
        if (memcmp(bytes + k - 3, "\r\n\r\n", 4) == 0) return k + 1;
    return 0;
}

/* Up to a mark, which is stepped over; all of it if there is none. */
static piece cut(piece *from, char mark)
{
    const char *at = memchr(from->at, mark, from->length);
    const size_t length = at ? (size_t)(at - from->at) : from->length;
    const piece out = { from->at, length };
    const size_t step = length + (at ? 1 : 0);

    from->at += step;
    from->length -= step;
    return out;
}

static piece trimmed(piece p)
{
    while (p.length && (*p.at == ' ' || *p.at == '\t')) p.at++, p.length--;
    while (p.length &&
           (p.at[p.length - 1] == ' ' || p.at[p.length - 1] == '\t'))
        p.length--;
    return p;
}

static bool is_token(piece p)
{
    static const char legal[] = "!#$%&'*+-.^_`|~0123456789"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz";

    for (size_t k = 0; k < p.length; k++)
        if (!p.at[k] || !strchr(legal, p.at[k])) return false;
    return p.length > 0;
}

/* 127.0.0.1, localhost or [::1], with or without a port. */
static bool is_here(piece host)
{
    static const char *const name[] = { "127.0.0.1", "localhost", "[::1]" };

    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        const size_t length = strlen(name[k]);
        if (host.length < length || strncasecmp(host.at, name[k], length) != 0)
            continue;
        if (host.length == length) return true;
        if (host.at[length] != ':' || host.length - length > 6) continue;
        bool digits = host.length > length + 1;
        for (size_t j = length + 1; j < host.length; j++)
            digits = digits && host.at[j] >= '0' && host.at[j] <= '9';
        if (digits) return true;
    }
    return false;
}

/* GET /path HTTP/1.1 */
static int read_first(cli_request *out, piece line)
{
    const piece method = cut(&line, ' ');
    piece target = cut(&line, ' ');

    if (!is_token(method) || target.length == 0 || target.at[0] != '/')
        return 400;
    if (line.length != 8 || memcmp(line.at, "HTTP/1.", 7) != 0 ||
        line.at[7] < '0' || line.at[7] > '9')
        return 400;
    out->head = method.length == 4 && memcmp(method.at, "HEAD", 4) == 0;
    if (!out->head && !(method.length == 3 && memcmp(method.at, "GET", 3) == 0))
        return 405;
    target = cut(&target, '?');
    if (target.length >= CLI_HTTP_PATH) return 414;
    memcpy(out->path, target.at, target.length);
    out->path[target.length] = '\0';
    return 200;
}

/* One line of the head. */
static int read_field(piece line, int *hosts)
{
    const char *colon = memchr(line.at, ':', line.length);
    const piece name = cut(&line, ':'), value = trimmed(line);

    if (!colon || !is_token(name)) return 400;
    if (is(name, "Host")) {
        ++*hosts;
        return is_here(value) ? 200 : 403;
    }
    if (is(name, "Transfer-Encoding")) return 400;
    if (is(name, "Content-Length")) return is(value, "0") ? 200 : 400;
    return 200;
}

/* No control characters but line ends, which are always both of the two. */
static bool is_text(const char *bytes, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        const unsigned char c = (unsigned char)bytes[k];
        if (c == '\r' && k + 1 < length && bytes[k + 1] == '\n')
            k++;
        else if ((c < 0x20 && c != '\t') || c == 0x7F)
            return false;
    }
    return true;
}

int cli_http_read(cli_request *out, const char *bytes, size_t length)
{
    const size_t end = end_of(bytes, length);
    int hosts = 0;

    *out = (cli_request){ .head = false };
    if (end == 0) return length < CLI_HTTP_MOST ? 0 : 431;
    if (end > CLI_HTTP_MOST) return 431;
    if (!is_text(bytes, end)) return 400;
    piece rest = { bytes, end - 2 };
    piece line = cut(&rest, '\r');
    int status = read_first(out, line);
    if (status == 400) return status;
    while (rest.length > 1) {
        rest.at++, rest.length--; /* the line feed */
        line = cut(&rest, '\r');
        const int found = read_field(line, &hosts);
        if (found == 400) return found;
        if (found != 200) status = found;
    }
    return hosts == 1 ? status : 400;
}

const char *cli_http_reason(int status)
{
    static const struct {
        int status;
        const char *text;
    } reason[] = { { 200, "OK" },
                   { 400, "Bad Request" },
                   { 403, "Forbidden" },
                   { 404, "Not Found" },
                   { 405, "Method Not Allowed" },
                   { 414, "URI Too Long" },
                   { 431, "Request Header Fields Too Large" },
                   { 503, "Service Unavailable" } };

    for (size_t k = 0; k < sizeof reason / sizeof *reason; k++)
        if (reason[k].status == status) return reason[k].text;
    return "Error";
}
