/* cli/sweep_journal.c -- finished rows of a sweep that is not finished.
 *
 *     yoke sweep 2 IDENTITY ROWS MEASURES
 *     ROW ok VALUE VALUE ...
 *     ROW failed VALUE VALUE ... MESSAGE
 *
 * What is not certified of a row follows behind a tab.
 *
 * One line for each row, in the order in which they end, appended at once.  A
 * line without its end was cut off by a crash or a full disk: it is taken off
 * and its row computed again.  The identity is a number made of the model's
 * files and of the command line: rows of another sweep are not mixed in.
 */
#define _DEFAULT_SOURCE
#include "cli/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *path, const char *what)
{
    yoke_err err = { YOKE_OK, "" };

    yoke_fail(&err, YOKE_E_FILE, "cannot %s %s: %s", what, path,
              strerror(errno));
    cli_fail(&err);
    return -1;
}

static bool write_all(int file, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t n = write(file, text, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        text += n;
        length -= (size_t)n;
    }
    return true;
}

/* One line with its end replaced by 0; false: it is damaged. */
static bool take_line(sweep *s, char *line, double *value)
{
    char *p = NULL;
    const long row = strtol(line, &p, 10);
    const bool failed = strncmp(p, " failed", 7) == 0;

    if (row < 0 || row >= s->rows || p == line) return false;
    if (!failed && strncmp(p, " ok", 3) != 0) return false;
    p += failed ? 7 : 3;
    for (int k = 0; k < s->measures; k++) {
        char *end = NULL;
        value[k] = strtod(p, &end);
        if (end == p) return false;
        p = end;
    }
    char *note = strchr(p, '\t');
    if (note) *note++ = '\0';
    if (!failed && *p) return false;
    sweep_finish(s, (int)row, value, failed ? p + (*p == ' ') : NULL, note);
    return true;
}

/* *length becomes that of the lines that are whole. */
static bool take_lines(sweep *s, char *text, size_t *length)
{
    double *value = calloc((size_t)s->measures, sizeof *value);
    size_t at = strcspn(text, "\n") + 1;

    while (value && at < *length) {
        char *end = memchr(text + at, '\n', *length - at);
        if (!end) break;
        *end = '\0';
        if (!take_line(s, text + at, value)) break;
        at = (size_t)(end - text) + 1;
    }
    *length = at;
    free(value);
    return value != NULL;
}

static char *read_file(int file, size_t *length)
{
    struct stat about;
    size_t got = 0;

    if (fstat(file, &about) != 0) return NULL;
    char *text = calloc((size_t)about.st_size + 1, 1);
    while (text && got < (size_t)about.st_size) {
        const ssize_t n = read(file, text + got, (size_t)about.st_size - got);
        if (n <= 0) break;
        got += (size_t)n;
    }
    *length = got;
    return text;
}

/* What is there already; false: a message was printed. */
static bool take_rows(sweep *s, int file, const char *path, const char *head,
                      bool restart)
{
    size_t length = 0;
    char *text = restart ? NULL : read_file(file, &length);
    bool good = true;

    if (length == 0 || !memchr(text, '\n', length)) {
        good = ftruncate(file, 0) == 0 && write_all(file, head, strlen(head));
        if (!good) fail(path, "write");
    } else if (strncmp(text, head, strlen(head)) != 0) {
        cli_usage("%s holds rows of another sweep: the model, its options, the "
                  "parameters or the measures have changed; begin again with "
                  "--restart, or name another table with -o",
                  path);
        good = false;
    } else {
        good =
            take_lines(s, text, &length) && ftruncate(file, (off_t)length) == 0;
        if (!good) fail(path, "go on with");
    }
    free(text);
    return good;
}

int sweep_journal_open(sweep *s, const char *path, uint64_t identity,
                       bool restart)
{
    char head[120];
    const int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

    if (file < 0) return fail(path, "open");
    snprintf(head, sizeof head, "yoke sweep 2 %016" PRIx64 " %d %d\n", identity,
             s->rows, s->measures);
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        cli_usage("another sweep is writing %s; wait for it, or name another "
                  "table with -o",
                  path);
        close(file);
        return -1;
    }
    if (take_rows(s, file, path, head, restart)) return file;
    close(file);
    return -1;
}

int sweep_journal_add(const sweep *s, int journal, int row, const char *path)
{
    const size_t room =
        64 + 32 * (size_t)s->measures + SWEEP_MESSAGE + SWEEP_NOTE;
    const char *message = s->message[row], *note = s->note[row];
    const double *value = s->value + (size_t)row * (size_t)s->measures;
    char *line = malloc(room);
    int n = 0;

    if (!line) return cli_usage("out of memory");
    n = snprintf(line, room, "%d %s", row, message ? "failed" : "ok");
    for (int k = 0; k < s->measures; k++)
        n += snprintf(line + n, room - (size_t)n, " %.17g", value[k]);
    n += snprintf(line + n, room - (size_t)n, "%s%s%s%s\n", message ? " " : "",
                  message ? message : "", note ? "\t" : "", note ? note : "");
    const bool wrote = write_all(journal, line, (size_t)n);
    free(line);
    if (wrote) return CLI_OK;
    fail(path, "write");
    return CLI_FAILED;
}
