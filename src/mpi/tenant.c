/* mpi/tenant.c -- what a process has of a run that is in many. */
#define _POSIX_C_SOURCE 200809L
#include "mpi/tenant.h"
#include "mpi/ranks.h"

#include "base/base.h"
#include "base/image.h"
#include "run/checkpoint.h"

#include <stdlib.h>
#include <string.h>

/* ---- units --------------------------------------------------------------- */

static void forget_plan(yk_tenant *t)
{
    YK_FREE(t->schedule.cluster, t->extra);
    t->schedule = (yoke_schedule){ 0 };
    t->extra = NULL;
}

static void take_plan(yk_tenant *t, yk_bytes *in)
{
    forget_plan(t);
    const int nodes = yk_bytes_get_int(in), clusters = yk_bytes_get_int(in);
    const bool lag_self = yk_bytes_get_int(in);
    const int outputs = yk_bytes_get_int(in);

    if (in->status != YOKE_OK ||
        yk_ints(&t->schedule.cluster, (size_t)nodes + 1, NULL) != YOKE_OK ||
        YK_NEW(&t->extra, outputs + 1, NULL) != YOKE_OK) {
        forget_plan(t); /* MAKE tells */
        return;
    }
    yk_bytes_get(in, t->schedule.cluster,
                 (size_t)nodes * sizeof *t->schedule.cluster);
    yk_bytes_get(in, t->extra, (size_t)outputs * sizeof *t->extra);
    t->schedule.nodes = nodes;
    t->schedule.clusters = clusters;
    t->schedule.lag_self = lag_self;
}

static yoke_status keep(yk_tenant *t, int handle, yk_served *unit,
                        yoke_err *err)
{
    const size_t before = t->room;

    YK_TRY(YK_GROW(&t->unit, &t->room, handle + 1, err));
    for (size_t i = before; i < t->room; i++) t->unit[i] = NULL;
    t->unit[handle] = unit;
    if (handle >= t->units) t->units = handle + 1;
    return YOKE_OK;
}

static void make(yk_tenant *t, const yk_mail_head *head, yk_bytes *in,
                 yk_bytes *out)
{
    yk_served *unit = NULL;
    const yoke_graph *graph = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = yk_read_take(t, in, &graph, &err);

    if (status == YOKE_OK && !t->schedule.cluster)
        status = yk_fail(&err, YOKE_E_MEMORY, "out of memory: a schedule");
    if (status == YOKE_OK)
        status = yk_served_create(&unit, graph, &t->schedule, t->extra, in,
                                  yk_gate_stops, &t->gate, &err);
    if (status == YOKE_OK) status = keep(t, head->handle, unit, &err);
    if (status == YOKE_OK) {
        yk_served_tell_shape(unit, out);
        return;
    }
    yk_served_free(unit);
    yk_bytes_put_int(out, status);
    yk_bytes_put_text(out, err.text);
}

static yk_served *find(const yk_tenant *t, int handle)
{
    return handle >= 0 && handle < t->units ? t->unit[handle] : NULL;
}

static void drop(yk_tenant *t, int handle)
{
    yk_served *unit = find(t, handle);

    if (unit) t->unit[handle] = NULL;
    yk_served_free(unit);
}

static int index_of(const yk_tenants *t, int slot)
{
    int k = 0;

    while (k < t->count && t->item[k]->slot != slot) k++;
    return k < t->count ? k : -1;
}

/* ---- checkpoints --------------------------------------------------------- */

static void drop_copy(yk_tenants *t, int slot)
{
    const int k = index_of(t, slot);

    if (k < 0) return;
    free(t->copy[k]);
    t->copy[k] = NULL;
}

/* Of the memory of a slot, for a checkpoint. */
static yoke_status make_copy(yk_tenants *t, int slot, size_t *size,
                             yoke_err *err)
{
    const int k = index_of(t, slot);

    if (k < 0)
        return yk_fail(err, YOKE_E_CALLBACK, "the share %d is not here", slot);
    drop_copy(t, slot);
    YK_TRY(yk_section_make(slot, t->item[k], &t->copy[k], &t->size[k], err));
    *size = t->size[k];
    return YOKE_OK;
}

static const char *piece_of(yk_tenants *t, int slot, size_t from, size_t *size)
{
    const int k = index_of(t, slot);

    *size = 0;
    if (k < 0 || !t->copy[k] || from >= t->size[k]) return NULL;
    *size = t->size[k] - from;
    if (*size > YK_PIECE) *size = YK_PIECE;
    return t->copy[k] + from;
}

static void answer_save(yk_tenants *t, int slot, yk_bytes *out)
{
    yoke_err err = { YOKE_OK, "" };
    size_t size = 0;
    const yoke_status status = make_copy(t, slot, &size, &err);

    yk_bytes_put_int(out, status);
    yk_bytes_put_text(out, err.text);
    yk_bytes_put(out, &size, sizeof size);
}

static void answer_piece(yk_tenants *t, int slot, yk_bytes *in, yk_bytes *out)
{
    size_t from = 0, size = 0;

    yk_bytes_get(in, &from, sizeof from);
    const char *piece = piece_of(t, slot, from, &size);
    yk_bytes_put(out, &size, sizeof size);
    if (piece) yk_bytes_put(out, piece, size);
    if (size < YK_PIECE) drop_copy(t, slot);
}

/* Closed parts have their state in processes that are gone. */
static yoke_status renew(yk_tenant *t, yoke_model *model, yoke_err *err)
{
    for (int k = 0; k < t->graphs; k++)
        YK_TRY(yk_checkpoint_renew(t->graph[k], yoke_model_graph(model), err));
    for (int i = 0; i < t->units; i++)
        if (t->unit[i]) YK_TRY(yk_served_again(t->unit[i], err));
    return YOKE_OK;
}

static yoke_status add(yk_tenants *t, yk_tenant *one, yoke_err *err)
{
    const size_t need = (size_t)t->count + 1;

    YK_TRY(YK_GROW(&t->item, &t->room, need, err));
    YK_TRY(YK_GROW(&t->copy, &t->copy_room, need, err));
    YK_TRY(YK_GROW(&t->size, &t->size_room, need, err));
    t->copy[t->count] = NULL;
    t->item[t->count++] = one;
    return YOKE_OK;
}

yoke_status yk_tenants_take(yk_tenants *t, yk_checkpoint_part *section,
                            yoke_err *err)
{
    void *kept = NULL;

    YK_TRY(yk_section_take(section, &kept, err));
    yk_tenant *one = kept;
    yk_gate_open(&one->gate, t->stop, t->context);
    YK_TRY(add(t, one, err));
    const int before = yk_image_enter(one->slot);
    const yoke_status status = renew(one, t->model, err);
    yk_image_enter(before);
    return status;
}

/* Pieces come in their order. */
static void answer_take(yk_tenants *t, yk_bytes *in, yk_bytes *out)
{
    yk_checkpoint_part section;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;
    size_t at[3] = { 0 }, used = 0; /* of all, from, so many */

    yk_bytes_get(in, at, sizeof at);
    if (at[1] == 0) {
        free(t->coming);
        t->coming = malloc(at[0] + 1);
    }
    if (!t->coming)
        status = yk_fail(&err, YOKE_E_MEMORY,
                         "out of memory: %zu bytes of a "
                         "checkpoint",
                         at[0]);
    if (status == YOKE_OK) yk_bytes_get(in, t->coming + at[1], at[2]);
    if (status == YOKE_OK) status = yk_bytes_check(in, &err);
    if (status == YOKE_OK && at[1] + at[2] == at[0]) {
        status = yk_section_parse(&section, t->coming, at[0], &used, &err);
        if (status == YOKE_OK) status = yk_tenants_take(t, &section, &err);
        free(t->coming);
        t->coming = NULL;
    }
    yk_bytes_put_int(out, status);
    yk_bytes_put_text(out, err.text);
}

/* ---- messages ------------------------------------------------------------ */

static void is_not_there(yk_bytes *out)
{
    yk_bytes_put_int(out, YOKE_E_CALLBACK);
    yk_bytes_put_text(out, "a unit is not there");
}

void yk_tenants_hear(yk_tenants *t, const yk_mail_head *head, yk_bytes *in)
{
    const int k = index_of(t, head->slot);

    if (k < 0) return;
    const int before = yk_image_enter(head->slot);
    if (head->kind == YK_MAIL_PLAN) take_plan(t->item[k], in);
    if (head->kind == YK_MAIL_FREE) drop(t->item[k], head->handle);
    yk_image_enter(before);
}

static void answer_one(yk_tenants *t, yk_tenant *one, const yk_mail_head *head,
                       yk_bytes *in, yk_bytes *out)
{
    yk_served *unit = find(one, head->handle);
    const int before = yk_image_enter(one->slot);

    if (head->kind == YK_MAIL_READ)
        yk_read_serve(t, one, in, out);
    else if (head->kind == YK_MAIL_MAKE)
        make(one, head, in, out);
    else if (head->kind == YK_MAIL_ASK)
        yk_away_serve(one, in, out);
    else if (unit)
        yk_served_call(unit, in, out);
    else
        is_not_there(out);
    yk_image_enter(before);
}

void yk_tenants_answer(yk_tenants *t, const yk_mail_head *head, yk_bytes *in,
                       yk_bytes *out)
{
    const int k = index_of(t, head->slot);

    if (head->kind == YK_MAIL_TAKE)
        answer_take(t, in, out);
    else if (head->kind == YK_MAIL_SAVE)
        answer_save(t, head->slot, out);
    else if (head->kind == YK_MAIL_PIECE)
        answer_piece(t, head->slot, in, out);
    else if (k >= 0)
        answer_one(t, t->item[k], head, in, out);
    else
        is_not_there(out);
}

/* ---- life ---------------------------------------------------------------- */

yoke_status yk_tenants_begin(yk_tenants *t, int slot, yoke_err *err)
{
    yk_tenant *one = NULL;

    YK_TRY(YK_NEW(&one, 1, err));
    one->slot = slot;
    yk_gate_open(&one->gate, t->stop, t->context);
    const yoke_status status = add(t, one, err);
    if (status != YOKE_OK) yk_free(one);
    return status;
}

void yk_tenants_clear(yk_tenants *t)
{
    for (int k = 0; k < t->count; k++) {
        yk_tenant *one = t->item[k];
        for (int i = 0; i < one->units; i++) yk_served_free(one->unit[i]);
        forget_plan(one);
        YK_FREE(one->unit, one->graph, one);
        free(t->copy[k]);
    }
    free(t->coming);
    YK_FREE(t->item, t->copy, t->size);
    *t = (yk_tenants){ 0 };
}
