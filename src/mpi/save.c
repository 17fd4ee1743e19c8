/* mpi/save.c -- checkpoints of a run that is in many processes.
 *
 * Between two windows nobody computes.  Every process copies its memory, an image
 * as that of rank 0 (docs/methods/checkpoints.md), and rank 0 writes all of them
 * into one file, so that a checkpoint is whole or is not.  Images of ranks lie at
 * different addresses: a process can take up several, and a run goes on in as many
 * processes as it had, or fewer, with the same units and the same messages.
 */
#define _POSIX_C_SOURCE 200809L
#include "mpi/ranks.h"

#include "base/base.h"
#include "run/checkpoint.h"

/* ---- writing ------------------------------------------------------------- */

/* The head of an answer: status and message. */
static yoke_status read_status(yk_bytes *in, int rank, yoke_err *err)
{
    const yoke_status status = (yoke_status)yk_bytes_get_int(in);
    const char *text = yk_bytes_get_text(in);

    YK_TRY(yk_bytes_check(in, err));
    return status == YOKE_OK ? status
                             : yk_fail(err, status, "rank %d: %s", rank, text);
}

/* All are told before the first is awaited. */
static yoke_status copy_all(yk_ranks *r, yk_mail *mail, yoke_err *err)
{
    const int slots = r->kept->slots;

    for (int i = 1; i < slots; i++) {
        mail[i].rank = i;
        YK_TRY(yk_ranks_open_mail(r, &mail[i], err));
    }
    for (int i = 1; i < slots; i++) {
        yk_bytes_clear(&r->out);
        yk_ranks_head(&r->out, YK_MAIL_SAVE, mail[i].handle);
        if (r->kept->home[i] > 0)
            YK_TRY(yk_ranks_post(r, &mail[i], &r->out, err));
        else
            YK_TRY(yk_ranks_ask(r, &mail[i], &r->out, err));
    }
    yk_link_flush();
    for (int i = 1; i < slots; i++) {
        YK_TRY(yk_ranks_await(r, &mail[i], err));
        YK_TRY(read_status(&mail[i].content, i, err));
    }
    return YOKE_OK;
}

yoke_status yk_save_sections(void *self, int *count, yoke_err *err)
{
    yk_ranks *r = self;
    yk_mail *mail = NULL;

    *count = r->kept->slots - 1;
    if (*count == 0) return YOKE_OK;
    YK_TRY(YK_NEW(&mail, r->kept->slots, err));
    const yoke_status status = copy_all(r, mail, err);
    for (int i = 1; i < r->kept->slots; i++)
        if (mail[i].rank) yk_ranks_close_mail(r, &mail[i]);
    yk_free(mail);
    return status;
}

yoke_status yk_save_section(void *self, int k,
                            void (*put)(void *sink, const char *bytes,
                                        size_t length),
                            void *sink, yoke_err *err)
{
    yk_ranks *r = self;
    yk_mail mail = { .rank = k + 1 };
    yk_bytes *in = &mail.content;
    yoke_status status = YOKE_OK;
    size_t from = 0, size = YK_PIECE;

    YK_TRY(yk_ranks_open_mail(r, &mail, err));
    for (; size == YK_PIECE; from += size) {
        yk_bytes_clear(&r->out);
        yk_ranks_head(&r->out, YK_MAIL_PIECE, mail.handle);
        yk_bytes_put(&r->out, &from, sizeof from);
        YK_GO(yk_ranks_ask(r, &mail, &r->out, err));
        yk_bytes_get(in, &size, sizeof size);
        YK_GO(yk_bytes_check(in, err));
        if (size > in->used - in->at)
            YK_GO(yk_fail(err, YOKE_E_CALLBACK,
                          "rank %d has lost its copy of a checkpoint", k + 1));
        put(sink, (const char *)in->data + in->at, size);
    }
done:
    yk_ranks_close_mail(r, &mail);
    return status;
}

/* ---- taking it up -------------------------------------------------------- */

static yoke_status send_section(yk_ranks *r, int slot,
                                const yk_checkpoint_part *section,
                                yoke_err *err)
{
    yk_mail mail = { .rank = slot };
    yoke_status status = YOKE_OK;
    size_t at[3] = { section->whole_size, 0, 0 };

    YK_TRY(yk_ranks_open_mail(r, &mail, err));
    for (; at[1] < at[0]; at[1] += at[2]) {
        at[2] = at[0] - at[1] < YK_PIECE ? at[0] - at[1] : YK_PIECE;
        yk_bytes_clear(&r->out);
        yk_ranks_head(&r->out, YK_MAIL_TAKE, mail.handle);
        yk_bytes_put(&r->out, at, sizeof at);
        yk_bytes_put(&r->out, section->whole + at[1], at[2]);
        YK_GO(yk_ranks_ask(r, &mail, &r->out, err));
        YK_GO(read_status(&mail.content, slot, err));
    }
done:
    yk_ranks_close_mail(r, &mail);
    return status;
}

/* Neighbours stay neighbours; more processes than before have nothing to do. */
static int home_of(int slot, int slots, int processes)
{
    return processes >= slots
               ? slot
               : (int)((long)slot * (long)processes / (long)slots);
}

static void attach(yk_ranks *r, yk_kept *k)
{
    r->kept = r->places.kept = k;
    k->ranks = r;
    for (int i = 0; i < k->slots; i++)
        k->home[i] = home_of(i, k->slots, r->count);
    for (int i = 0; i < k->handles; i++) /* messages were of a process */
        if (k->mail[i]) {
            k->mail[i]->content = (yk_bytes){ 0 };
            k->mail[i]->own = NULL;
        }
}

yoke_status yk_save_take(void *self, const yk_places_taken *taken,
                         yoke_err *err)
{
    yk_ranks *r = self;
    yk_kept *k = taken->kept;

    if (k->slots != taken->sections + 1)
        return yk_fail(err, YOKE_E_FILE,
                       "checkpoint: %d sections of %d processes",
                       taken->sections, k->slots - 1);
    YK_TRY(yk_place_await(r, yoke_model_graph(taken->model), err));
    attach(r, k);
    r->own = (yk_tenants){ .model = taken->model,
                           .stop = yk_gate_stops,
                           .context = taken->gate };
    for (int i = 1; i < k->slots; i++)
        if (k->home[i] == 0)
            YK_TRY(yk_tenants_take(&r->own, &taken->section[i - 1], err));
        else
            YK_TRY(send_section(r, i, &taken->section[i - 1], err));
    return YOKE_OK;
}
