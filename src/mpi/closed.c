/* mpi/closed.c -- closed parts are asked in the rank that will have them.
 *
 * A closed part begins a process for every answer: outputs at the start, and
 * responses for predictions, long before its unit is made.  So each gets its
 * rank before anything is asked, its unit follows it there (place.c), and no
 * other rank needs its licence, its files or its memory.  They are dealt out in
 * their order, in equal numbers, so that neighbours are together; the first to
 * the last rank, for rank 0 has the iteration besides.
 */
#include "mpi/ranks.h"
#include "mpi/served.h"

#include "base/base.h"
#include "sys/call.h"
#include "sys/closed.h"
#include "sys/system.h"

#include <string.h>

typedef struct part {
    yk_kept *kept;
    yk_mail mail; /* its rank is that of the part */
    const yoke_graph *graph;
    yoke_system *system;
    int node;
    yk_elsewhere where;
} part;

typedef struct yk_away_list {
    int parts;
    part *part;
} yk_away_list;

/* ---- asking -------------------------------------------------------------- */

typedef enum wish { OUTPUT, RESPONSE } wish;

static yoke_status ask(part *p, wish what, double t, const double *u, double h,
                       double *out, int count, yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(p->system);
    yk_bytes *in = &p->mail.content, message = { 0 };
    yoke_status status = YOKE_OK;

    yk_ranks_head(&message, YK_MAIL_ASK, p->mail.handle);
    yk_read_put(p->kept->ranks, p->graph, p->mail.rank, 1, &p->node, &message);
    yk_bytes_put_int(&message, p->node);
    yk_bytes_put_int(&message, (int)what);
    yk_bytes_put_double(&message, t);
    yk_bytes_put_double(&message, h);
    yk_bytes_put_doubles(&message, u, f->m);
    YK_GO(yk_ranks_ask(p->kept->ranks, &p->mail, &message, err));
    status = (yoke_status)yk_bytes_get_int(in);
    const char *text = yk_bytes_get_text(in);
    if (status != YOKE_OK) yk_fail(err, status, "%s", text);
    yk_bytes_get_doubles(in, out, count);
    if (in->status != YOKE_OK) status = yk_bytes_check(in, err);
done:
    yk_bytes_free(&message);
    return status;
}

static yoke_status part_output(void *self, double t, const double *u, double *y,
                               yoke_err *err)
{
    part *p = self;

    return ask(p, OUTPUT, t, u, 0.0, y, yoke_system_facts(p->system)->p, err);
}

static yoke_status part_answer(void *self, double t, const double *u, double h,
                               double *z, yoke_err *err)
{
    part *p = self;
    const yoke_system_info *f = yoke_system_facts(p->system);

    return ask(p, RESPONSE, t, u, h, z, f->p * f->m, err);
}

/* Its unit tells what there is to tell (remote.c). */
static void part_tell(void *self, char *cost, char *doubt, size_t room)
{
    (void)self, (void)room;
    cost[0] = doubt[0] = '\0';
}

/* ---- answering ----------------------------------------------------------- */

void yk_away_serve(const yk_tenant *tenant, yk_bytes *in, yk_bytes *out)
{
    const yoke_graph *graph = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = yk_read_take(tenant, in, &graph, &err);
    const int node = yk_bytes_get_int(in), what = yk_bytes_get_int(in);
    const double t = yk_bytes_get_double(in), h = yk_bytes_get_double(in);
    double *u = NULL, *value = NULL;
    int count = 0;

    if (status == YOKE_OK) status = yk_bytes_check(in, &err);
    if (status == YOKE_OK && (node < 0 || node >= yoke_graph_count(graph)))
        status = yk_fail(&err, YOKE_E_CALLBACK, "a part is not there");
    if (status == YOKE_OK) {
        yoke_system *s = yoke_graph_system(graph, node);
        const yoke_system_info *f = yoke_system_facts(s);
        count = what == OUTPUT ? f->p : f->p * f->m;
        YK_GO(yk_doubles(&u, (size_t)f->m + 1, &err));
        YK_GO(yk_doubles(&value, (size_t)count + 1, &err));
        yk_bytes_get_doubles(in, u, f->m);
        YK_GO(yk_bytes_check(in, &err));
        status = what == OUTPUT
                     ? yk_system_output_raw(s, t, NULL, u, value, &err)
                     : f->closed->answer(f->closed->self, t, u, h, value, &err);
    }
done:
    yk_bytes_put_int(out, status);
    yk_bytes_put_text(out, err.text);
    yk_bytes_put_doubles(out, value, value ? count : 0);
    YK_FREE(u, value);
}

/* ---- places -------------------------------------------------------------- */

int yk_away_rank(const yk_ranks *r, const yoke_system *system)
{
    for (int k = 0; r->kept->away && k < r->kept->away->parts; k++)
        if (r->kept->away->part[k].system == system)
            return r->kept->away->part[k].mail.rank;
    return -1;
}

void yk_away_restore(const yk_ranks *r, yoke_system *system)
{
    const yk_elsewhere *where = NULL;

    for (int k = 0; r->kept->away && k < r->kept->away->parts; k++)
        if (r->kept->away->part[k].system == system &&
            r->kept->away->part[k].mail.rank > 0)
            where = &r->kept->away->part[k].where;
    yk_system_put_elsewhere(system, where);
}

void yk_away_free(yk_ranks *r)
{
    yk_away_list *l = r->kept ? r->kept->away : NULL;

    if (!l) return;
    for (int k = 0; k < l->parts; k++)
        if (l->part[k].mail.rank > 0) yk_ranks_close_mail(r, &l->part[k].mail);
    YK_FREE(l->part, l);
    r->kept->away = NULL;
}

static yoke_status place_part(yk_ranks *r, part *p, int turn, const char *host,
                              yoke_err *err)
{
    const int share = turn * r->kept->slots / r->kept->away->parts;
    int rank = r->kept->slots - 1 - share;

    if (host[0]) YK_TRY(yk_place_host(r, host, p->system, &rank, err));
    p->kept = r->kept;
    p->mail.rank = rank;
    if (rank == 0) return YOKE_OK;
    YK_TRY(yk_ranks_open_mail(r, &p->mail, err));
    p->where = (yk_elsewhere){ .output = part_output,
                               .answer = part_answer,
                               .tell = part_tell,
                               .self = p };
    yk_system_put_elsewhere(p->system, &p->where);
    return YOKE_OK;
}

yoke_status yk_away_place(yk_ranks *r, const yoke_graph *graph,
                          const char *const *host, yoke_err *err)
{
    const int nodes = yoke_graph_count(graph);
    int parts = 0;

    for (int i = 0; i < nodes; i++)
        parts += yoke_system_facts(yoke_graph_system(graph, i))->closed != NULL;
    if (r->kept->away || parts == 0)
        return YOKE_OK; /* they stay where they are */
    YK_TRY(YK_NEW(&r->kept->away, 1, err));
    YK_TRY(YK_NEW(&r->kept->away->part, parts, err));
    r->kept->away->parts = parts;
    for (int i = 0, k = 0; i < nodes; i++) {
        yoke_system *s = yoke_graph_system(graph, i);
        if (!yoke_system_facts(s)->closed) continue;
        part *p = &r->kept->away->part[k];
        p->system = s;
        p->graph = graph;
        p->node = i;
        YK_TRY(place_part(r, p, k++, host[i], err));
    }
    return YOKE_OK;
}
