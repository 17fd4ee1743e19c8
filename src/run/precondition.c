/* run/precondition.c -- a preconditioner from text:
 *
 *     row column value; row column value; ...
 *
 * with the names of coupling variables; entries that are not named are zero.
 */
#include "run/run.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAME = 300 };

static int find(const char *name, int n, const char *const *names)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static yoke_status refuse_name(const char *wrong, int n,
                               const char *const *names, yoke_err *err)
{
    char list[600] = "";
    size_t used = 0;

    for (int i = 0; i < n && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used,
                                 "%s\"%.100s\"", i ? ", " : "", names[i]);
    return yk_fail(err, YOKE_E_ARG,
                   "preconditioner: \"%.300s\" is no coupling variable that is "
                   "read before it is made; those are %s",
                   wrong, list);
}

/* One entry; *used: characters of it, 0 at the end of the text. */
static yoke_status read_entry(const char *text, int n, const char *const *names,
                              double *A, int *used, yoke_err *err)
{
    char row[MOST_NAME], column[MOST_NAME], rest = '\0';
    double value = 0.0;
    int length = 0;

    *used = 0;
    if (text[strspn(text, " ;\n")] == '\0') return YOKE_OK;
    text += length = (int)strspn(text, " ;\n");
    const int size = (int)strcspn(text, ";\n");
    char entry[3 * MOST_NAME];
    snprintf(entry, sizeof entry, "%.*s", size, text);
    if (size >= (int)sizeof entry ||
        sscanf(entry, "%299s %299s %lf %c", row, column, &value, &rest) != 3)
        return yk_fail(err, YOKE_E_ARG,
                       "preconditioner: \"%.300s\" is not \"row column value\"",
                       entry);
    const int i = find(row, n, names), j = find(column, n, names);
    if (i < 0 || j < 0) return refuse_name(i < 0 ? row : column, n, names, err);
    A[i * n + j] = value;
    *used = length + size;
    return YOKE_OK;
}

yoke_status yk_precondition(void *text, double t, int n,
                            const char *const *name, double *A, yoke_err *err)
{
    const char *rest = text;
    int used = 0;

    (void)t;
    do {
        YK_TRY(read_entry(rest, n, name, A, &used, err));
        rest += used;
    } while (used > 0);
    return YOKE_OK;
}
