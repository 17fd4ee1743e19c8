/* cli/measures.c -- --measure, and what was measured in the result file. */
#include "cli/cli.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_take_measures(int *argc, char **argv, cli_measures *list)
{
    const char *text = NULL;

    while ((text = cli_value(argc, argv, "--measure"))) {
        if (!text[0])
            return cli_usage("--measure needs a text such as "
                             "\"max(motor.P)\" or \"peak=max(motor.P)\"");
        if (list->count == CLI_MOST_MEASURES)
            return cli_usage("--measure: at most %d are permitted",
                             CLI_MOST_MEASURES);
        list->text[list->count++] = text;
    }
    return CLI_OK;
}

/* The length of "name" in "name=max(x)"; 0: there is none. */
static size_t name_length(const char *text)
{
    size_t n = 0, end = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_') n++;
    end = n + strspn(text + n, " ");
    return text[end] == '=' && text[end + 1] != '=' ? n : 0;
}

int cli_add_measures(yoke_file *file, const cli_measures *list)
{
    for (int k = 0; k < list->count; k++) {
        const char *text = list->text[k];
        const size_t n = name_length(text);
        char name[200];
        yoke_err err = { YOKE_OK, "" };

        snprintf(name, sizeof name, "%.*s",
                 n > 0 ? (int)(n < 199 ? n : 199) : 199, text);
        if (n > 0) text = strchr(text, '=') + 1;
        if (yoke_file_add_measure(file, name, text, &err) != YOKE_OK)
            return cli_fail(&err);
    }
    return CLI_OK;
}

yoke_status cli_note_measures(yoke_run *run, const yoke_file *file,
                              yoke_err *err)
{
    enum { LINE = 300 };
    yoke_measured m;
    int count = 0;

    while (yoke_file_measured(file, count, &m)) count++;
    if (count == 0) return YOKE_OK;
    char *text = calloc((size_t)count, LINE);
    if (!text) return yoke_fail(err, YOKE_E_MEMORY, "out of memory");
    for (int i = 0; yoke_file_measured(file, i, &m); i++)
        snprintf(text + strlen(text), LINE, "%.200s = %.17g\n", m.name,
                 m.value);
    const yoke_status status = yoke_run_note(run, "measures", text, err);
    free(text);
    return status;
}
