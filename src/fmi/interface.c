/* fmi/interface.c -- reads resources/yoke.txt. */
#include "fmi/interface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static yoke_status fail(const char *path, int line, const char *what,
                        yoke_err *err)
{
    return yk_fail(err, YOKE_E_FILE, "%.300s:%d: %s", path, line, what);
}

static bool read_number(char **text, double *out)
{
    char *end = NULL;

    *out = strtod(*text, &end);
    if (end == *text || !isfinite(*out)) return false;
    *text = end + (*end == ' ');
    return true;
}

static yoke_status add_variable(yk_fmi_interface *i, yk_fmi_kind kind,
                                char *rest, bool *good, yoke_err *err)
{
    yk_fmi_variable v = { .kind = kind };
    int *count = kind == YK_FMI_PARAMETER ? &i->parameters
                 : kind == YK_FMI_INPUT   ? &i->inputs
                                          : &i->shown;

    *good = kind == YK_FMI_TIME || (read_number(&rest, &v.start) && rest[0]);
    if (!*good) return YOKE_OK;
    v.name = rest;
    v.number = kind == YK_FMI_TIME ? 0 : (*count)++;
    YK_TRY(yk_grow((void **)&i->variable, &i->variable_room,
                   (size_t)i->variables + 1, sizeof v, err));
    i->variable[i->variables++] = v;
    return YOKE_OK;
}

static yoke_status add_pair(yk_fmi_pair **list, int *count, size_t *room,
                            char *rest, bool *good, yoke_err *err)
{
    char *equal = strchr(rest, '=');

    *good = equal && equal > rest;
    if (!*good) return YOKE_OK;
    *equal = '\0';
    YK_TRY(YK_GROW(list, room, (size_t)*count + 1, err));
    (*list)[(*count)++] = (yk_fmi_pair){ rest, equal + 1 };
    return YOKE_OK;
}

/* One line: a word and the rest. */
static yoke_status read_line(yk_fmi_interface *i, const char *word, char *rest,
                             bool *good, yoke_err *err)
{
    static const char *const kind[] = { [YK_FMI_PARAMETER] = "parameter",
                                        [YK_FMI_INPUT] = "input",
                                        [YK_FMI_OUTPUT] = "output",
                                        [YK_FMI_LOCAL] = "local" };

    *good = true;
    for (int k = YK_FMI_PARAMETER; k <= YK_FMI_LOCAL; k++)
        if (strcmp(word, kind[k]) == 0)
            return add_variable(i, (yk_fmi_kind)k, rest, good, err);
    if (strcmp(word, "setting") == 0)
        return add_pair(&i->setting, &i->settings, &i->setting_room, rest, good,
                        err);
    if (strcmp(word, "option") == 0)
        return add_pair(&i->option, &i->options, &i->option_room, rest, good,
                        err);
    if (strcmp(word, "token") == 0)
        i->token = rest;
    else if (strcmp(word, "system") == 0)
        i->system = rest;
    else if (strcmp(word, "span") == 0)
        *good = read_number(&rest, &i->start) && read_number(&rest, &i->stop);
    else
        *good = strcmp(word, "yoke") == 0 && strcmp(rest, "1") == 0;
    return YOKE_OK;
}

yoke_status yk_fmi_read_interface(yk_fmi_interface *i, char *text,
                                  const char *path, yoke_err *err)
{
    bool good = false;
    int line = 0;

    i->text = text;
    YK_TRY(add_variable(i, YK_FMI_TIME, (char[]){ "" }, &good, err));
    i->variable[0].name = "time";
    for (char *at = text; *at;) {
        char *end = at + strcspn(at, "\n");
        char *next = end + (*end == '\n');
        *end = '\0';
        char *rest = at + strcspn(at, " ");
        if (*rest) *rest++ = '\0';
        YK_TRY(read_line(i, at, rest, &good, err));
        line++;
        if (!good) return fail(path, line, "this line is not understood", err);
        at = next;
    }
    if (!i->token || !i->system || !(i->stop > i->start))
        return fail(path, line, "token, system or span is missing", err);
    return YOKE_OK;
}

void yk_fmi_clear_interface(yk_fmi_interface *i)
{
    YK_FREE(i->text, i->variable, i->setting, i->option);
    *i = (yk_fmi_interface){ .text = NULL };
}
