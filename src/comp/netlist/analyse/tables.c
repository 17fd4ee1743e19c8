/* comp/netlist/analyse/tables.c -- .op, .dc and .ac of a netlist as tables. */
#include "comp/netlist/system/system.h"

#include "comp/netlist/analyse/measure.h"

#include <stdio.h>
#include <string.h>

static const yk_netlist *netlist_of(const yoke_file *file)
{
    const yk_net_system *s = yk_net_system_of(file);

    return s ? s->netlist : NULL;
}

static const yk_net_task *task_at(const yoke_file *file, int i)
{
    const yk_netlist *net = netlist_of(file);

    for (int k = 0; net && k < net->tasks; k++)
        if (net->task[k].kind != YK_TASK_TRAN && i-- == 0) return &net->task[k];
    return NULL;
}

bool yoke_file_analysis_at(const yoke_file *file, int i, yoke_analysis *out)
{
    const yk_net_task *task = i >= 0 ? task_at(file, i) : NULL;

    if (!task) return false;
    *out = (yoke_analysis){
        .kind = task->kind == YK_TASK_OP   ? "op"
                : task->kind == YK_TASK_DC ? "dc"
                                           : "ac",
        .path = task->at.file,
        .line = task->at.line,
    };
    return true;
}

/* Its own, then those of included files. */
static const char *warning_at(const yoke_file *file, int *i)
{
    const yk_netlist *net = netlist_of(file);
    const int own = net ? net->warnings : 0;
    const char *found = NULL;

    if (*i < file->warnings) return file->warning[*i];
    *i -= file->warnings;

    if (*i < own) return net->warning[*i];
    *i -= own;
    for (int k = 0; !found && k < file->includes; k++)
        found = warning_at(file->include[k], i);
    return found;
}

const char *yoke_file_warning(const yoke_file *file, int i)
{
    return i >= 0 ? warning_at(file, &i) : NULL;
}

bool yoke_file_has_run(const yoke_file *file)
{
    const yk_netlist *net = netlist_of(file);

    for (int k = 0; net && k < net->tasks; k++)
        if (net->task[k].kind == YK_TASK_TRAN) return true;
    return net == NULL;
}

static yoke_status name_column(char **out, const char *head, const char *name,
                               const char *tail, yoke_err *err)
{
    return yk_print(out, err, "%s%s%s", head, name, tail);
}

/* The next wish from `k` on that is a part of complex columns, such as
 * vdb(out); -1: there is none.  A text counts once. */
static int next_part(const yk_netlist *net, const yk_net_rows *rows, int k)
{
    for (double value; k < net->wishes; k++) {
        const yk_net_wish *w = &net->wish[k];
        int same = 0;
        if ((w->analysis[0] && strcmp(w->analysis, "ac") != 0) ||
            rows->rows == 0 || !yk_net_part_of_row(rows, w->text, 0, &value))
            continue;
        while (strcmp(net->wish[same].text, w->text) != 0) same++;
        if (same == k || strcmp(net->wish[same].analysis, "tran") == 0)
            return k;
    }
    return -1;
}

static int count_parts(const yk_netlist *net, const yk_net_rows *rows)
{
    int count = 0;

    for (int k = next_part(net, rows, 0); k >= 0;
         k = next_part(net, rows, k + 1))
        count++;
    return count;
}

static yoke_status fill_names(yoke_table *t, const yk_netlist *net,
                              const yk_net_rows *rows, yoke_err *err)
{
    int at = 0;

    for (int k = 0; k < rows->columns; k++) {
        if (!rows->is_complex || k == 0) {
            YK_TRY(name_column(&t->name[at++], "", rows->name[k], "", err));
            continue;
        }
        YK_TRY(name_column(&t->name[at++], "re(", rows->name[k], ")", err));
        YK_TRY(name_column(&t->name[at++], "im(", rows->name[k], ")", err));
    }
    for (int k = next_part(net, rows, 0); k >= 0;
         k = next_part(net, rows, k + 1))
        YK_TRY(name_column(&t->name[at++], "", net->wish[k].text, "", err));
    for (int k = 0; k < t->cols; k++)
        YK_TRY(yk_copy_text(&t->unit[k], "", err));
    return YOKE_OK;
}

static yoke_status fill_table(yoke_table *t, const yk_netlist *net,
                              const yk_net_rows *rows, yoke_err *err)
{
    const size_t width = (size_t)rows->columns * (rows->is_complex ? 2 : 1);
    const int plain = (int)width - (rows->is_complex ? 1 : 0);

    t->rows = rows->rows;
    t->cols = plain + count_parts(net, rows);
    YK_TRY(YK_NEW(&t->name, t->cols, err));
    YK_TRY(YK_NEW(&t->unit, t->cols, err));
    YK_TRY(fill_names(t, net, rows, err));
    YK_TRY(yk_doubles(&t->value, (size_t)t->rows * (size_t)t->cols + 1, err));
    for (int i = 0; i < t->rows; i++) {
        const double *from = rows->value + (size_t)i * width;
        double *to = t->value + (size_t)i * (size_t)t->cols;
        to[0] = from[0];
        memcpy(to + 1, from + (rows->is_complex ? 2 : 1),
               (size_t)(plain - 1) * sizeof *to);
    }
    for (int k = next_part(net, rows, 0), at = plain; k >= 0;
         k = next_part(net, rows, k + 1), at++)
        for (int i = 0; i < t->rows; i++)
            yk_net_part_of_row(
                rows, net->wish[k].text, i,
                &t->value[(size_t)i * (size_t)t->cols + (size_t)at]);
    return YOKE_OK;
}

yoke_status yoke_file_analyse(yoke_file *file, int i, yoke_table **out,
                              yoke_err *err)
{
    YK_POINT;
    const yk_net_task *task = i >= 0 ? task_at(file, i) : NULL;
    const yk_net_system *s = yk_net_system_of(file);
    yoke_status status = YOKE_OK;
    yk_net_rows rows = { 0 };
    yoke_table *t = NULL;

    if (!task)
        return yk_fail(err, YOKE_E_ARG, "there is no analysis number %d", i);
    YK_GO(yk_net_analyse(&rows, s->netlist, task, err));
    YK_GO(yk_measures_rows(s->measures,
                           task->kind == YK_TASK_AC   ? "ac"
                           : task->kind == YK_TASK_DC ? "dc"
                                                      : "op",
                           &rows, err));
    YK_GO(YK_NEW(&t, 1, err));
    YK_GO(fill_table(t, s->netlist, &rows, err));
    *out = t;
    t = NULL;
done:
    yoke_table_free(t);
    yk_net_rows_clear(&rows);
    return status;
}
