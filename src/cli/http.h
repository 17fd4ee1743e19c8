/* cli/http.h -- requests to `yoke run --watch`: only what a browser that looks
 * at the page sends is understood. */
#ifndef YK_CLI_HTTP_H
#define YK_CLI_HTTP_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_HTTP_MOST = 8192, CLI_HTTP_PATH = 64 };

typedef struct cli_request {
    bool head;                /* without the body */
    char path[CLI_HTTP_PATH]; /* begins with /; what follows ? is left out */
} cli_request;

/* Reads the bytes that have come so far: 0 if the request has not ended, 200
 * for one that can be answered, or the status of a refusal.  `bytes` need not
 * end with a zero. */
int cli_http_read(cli_request *out, const char *bytes, size_t length);

/* The words of a status. */
const char *cli_http_reason(int status);

#endif
