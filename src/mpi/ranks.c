/* mpi/ranks.c -- rank 0's view of the others. */
#define _GNU_SOURCE
#include "mpi/ranks.h"

#include "base/base.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* How often processes of the same machine are looked at, and how long a rank may
 * take to come to an end when it was told to.  Seconds; mpirun waits for one
 * before it kills what is left. */
static const double look_every = 0.05, patience = 10.0, far_patience = 0.7,
                    late_after = 0.5;

/* Nobody is held for so long but by a signal that somebody has sent and may have
 * forgotten, seconds. */
static const double held_after = 2.0;

yoke_status yk_ranks_keep(yk_ranks *r, yoke_err *err)
{
    yk_kept *k = NULL;

    if (r->kept) return YOKE_OK;
    YK_TRY(YK_NEW(&k, 1, err));
    r->kept = r->places.kept = k;
    k->ranks = r;
    k->slots = r->count;
    YK_TRY(yk_ints(&k->home, (size_t)k->slots, err));
    YK_TRY(yk_doubles(&k->load, (size_t)k->slots, err));
    for (int i = 0; i < k->slots; i++) k->home[i] = i;
    return YOKE_OK;
}

yoke_status yk_ranks_open_mail(yk_ranks *r, yk_mail *mail, yoke_err *err)
{
    yk_kept *k = r->kept;
    int handle = 0;

    while (handle < k->handles && k->mail[handle]) handle++;
    if (handle == k->handles) {
        YK_TRY(YK_GROW(&k->mail, &k->mail_room, handle + 1, err));
        k->handles++;
    }
    k->mail[handle] = mail;
    mail->handle = handle;
    return YOKE_OK;
}

void yk_ranks_close_mail(yk_ranks *r, yk_mail *mail)
{
    yk_kept *k = r->kept;

    if (mail->handle < k->handles && k->mail[mail->handle] == mail)
        k->mail[mail->handle] = NULL;
    yk_bytes_free(&mail->content);
}

void yk_ranks_head(yk_bytes *out, yk_mail_kind kind, int handle)
{
    const yk_mail_head head = { kind, handle, 0, 0 };

    yk_bytes_put(out, &head, sizeof head);
}

/* ---- who is there -------------------------------------------------------- */

/* As the system has it; X: it is gone, or only its parent has not noticed yet. */
static char process_state(long process)
{
    char path[64], state = '\0';

    if (kill((pid_t)process, 0) != 0 && errno == ESRCH) return 'X';
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (!file) return '\0';
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = '\0';
    fclose(file);
    return state == 'Z' ? 'X' : state;
}

static bool is_held(char state)
{
    return state == 'T' || state == 't';
}

/* One that was told to stop: it may take its time, unless it is held. */
static bool is_mute(const yk_rank *k, char state, double waited)
{
    return waited > (k->near && !is_held(state) ? patience : far_patience);
}

/* The run waits for it, and nothing else shows why. */
static void tell_held(const yk_ranks *r, yk_rank *k, char state)
{
    if (!is_held(state) || k->awaited == 0) {
        k->held = 0.0;
        k->told_held = false;
        return;
    }
    if (k->held == 0.0) k->held = r->looked;
    if (k->told_held || r->looked - k->held < held_after) return;
    k->told_held = true;
    fprintf(stderr,
            "yoke: the run waits for rank %d on %s, which a signal holds; kill "
            "-CONT %ld there lets it go on\n",
            (int)(k - r->rank), yk_link_host((int)(k - r->rank)), k->process);
    fflush(NULL);
}

static void look_at(const yk_ranks *r, yk_rank *k)
{
    const char state = k->here && k->near ? process_state(k->process) : '\0';

    tell_held(r, k, state);
    k->mute = state != 'X' && k->awaited > 0 && k->stopped > 0.0 &&
              is_mute(k, state, r->looked - k->stopped);
    k->lost = k->mute || state == 'X';
}

int yk_ranks_find_lost(yk_ranks *r)
{
    int found = 0;

    r->looked = yk_clock();
    for (int i = r->count - 1; i > 0; i--) {
        yk_rank *k = &r->rank[i];
        if (!k->lost) look_at(r, k);
        if (k->lost) found = i;
    }
    r->lost = found;
    return found;
}

/* mpirun kills everything a second after its signal, so what is known is written
 * before. */
static void tell_late(yk_ranks *r)
{
    for (int i = 1; i < r->count; i++) {
        yk_rank *k = &r->rank[i];
        if (k->stopped == 0.0 || k->told_late || k->awaited == 0 ||
            yk_clock() - k->stopped < late_after)
            continue;
        k->told_late = true;
        fprintf(stderr,
                "yoke: told to stop; rank %d on %s (process %ld) has not "
                "answered yet\n",
                i, yk_link_host(i), k->process);
        fflush(NULL);
    }
}

static yoke_status tell_lost(yk_ranks *r, yoke_err *err)
{
    return r->places.ops->lost(r->places.self, err)
               ? YOKE_E_CALLBACK
               : yk_fail(err, YOKE_E_CALLBACK, "a rank is lost");
}

/* ---- messages ------------------------------------------------------------ */

static void take_hello(yk_ranks *r, int from)
{
    yk_rank *k = &r->rank[from];

    k->here = true;
    k->near = strcmp(yk_link_host(0), yk_link_host(from)) == 0;
    yk_bytes_get(&r->in, &k->process, sizeof k->process);
    unsigned long print = 0;
    yk_bytes_get(&r->in, &print, sizeof print);
    const char *why = yk_bytes_get_text(&r->in);
    if (why[0])
        yk_copy_text(&k->failed, why, NULL);
    else if (print && print != r->print)
        yk_copy_text(&k->failed, "it has read another system: its files differ",
                     NULL);
}

bool yk_ranks_pump(yk_ranks *r)
{
    bool any = false;
    int from = 0;

    yk_link_flush();
    while (yk_link_receive(&r->in, &from)) {
        yk_mail_head head = { YK_MAIL_BYE, -1, 0, 0 };
        const yk_kept *kept = r->kept;
        any = true;
        yk_bytes_get(&r->in, &head, sizeof head);
        if (head.kind == YK_MAIL_HELLO) take_hello(r, from);
        if (head.kind != YK_MAIL_ANSWER) continue;
        r->rank[from].awaited--;
        if (!kept || head.handle < 0 || head.handle >= kept->handles ||
            !kept->mail[head.handle])
            continue;
        yk_mail *mail = kept->mail[head.handle];
        yk_bytes_swap(&mail->content, &r->in);
        mail->come = true;
    }
    return any;
}

void yk_ranks_stop_one(yk_ranks *r, int rank)
{
    yk_rank *k = &r->rank[rank];
    const yk_mail_head head = { YK_MAIL_STOP, 0, 0, k->sent };

    if (k->awaited == 0 || k->told == k->sent || k->lost) return;
    k->told = k->sent;
    if (k->stopped == 0.0) k->stopped = yk_clock();
    yk_bytes_clear(&r->out);
    yk_bytes_put(&r->out, &head, sizeof head);
    (void)yk_link_send(rank, &r->out, NULL);
    yk_link_flush();
}

void yk_ranks_idle(yk_ranks *r, int idle)
{
    if (r->places.gate && yk_gate_stops(r->places.gate))
        for (int i = 1; i < r->count; i++) yk_ranks_stop_one(r, i);
    if (yk_clock() - r->looked > look_every) yk_ranks_find_lost(r);
    tell_late(r);
    yk_link_rest(idle);
}

/* Whose share it is, and the number of the request, are put into its head. */
static void address(yk_bytes *out, int slot, long number)
{
    yk_mail_head head;

    memcpy(&head, out->data, sizeof head);
    head.slot = slot;
    head.number = number;
    memcpy(out->data, &head, sizeof head);
}

yoke_status yk_ranks_tell(yk_ranks *r, int rank, yk_bytes *out, yoke_err *err)
{
    const int to = r->kept->home[rank];
    yk_mail_head head;

    if (r->lost) return tell_lost(r, err);
    YK_TRY(yk_bytes_check(out, err));
    address(out, rank, 0);
    if (to > 0) return yk_link_send(to, out, err);
    out->at = 0;
    yk_bytes_get(out, &head, sizeof head);
    yk_tenants_hear(&r->own, &head, out);
    yk_bytes_clear(out);
    return YOKE_OK;
}

void yk_ranks_serve_own(yk_ranks *r, yk_mail *mail)
{
    yk_bytes *request = mail->own;
    yk_mail_head head;

    mail->own = NULL;
    request->at = 0;
    yk_bytes_get(request, &head, sizeof head);
    yk_bytes_clear(&mail->content);
    yk_tenants_answer(&r->own, &head, request, &mail->content);
    yk_bytes_clear(request);
    mail->come = true;
}

yoke_status yk_ranks_post(yk_ranks *r, yk_mail *mail, yk_bytes *out,
                          yoke_err *err)
{
    const int to = r->kept->home[mail->rank];
    yk_rank *k = &r->rank[to];

    if (r->lost) return tell_lost(r, err);
    YK_TRY(yk_bytes_check(out, err));
    mail->come = false;
    if (to == 0) {
        address(out, mail->rank, 0);
        mail->own = out;
        return YOKE_OK;
    }
    address(out, mail->rank, ++k->sent);
    YK_TRY(yk_link_send(to, out, err));
    k->awaited++;
    return YOKE_OK;
}

yoke_status yk_ranks_await(yk_ranks *r, yk_mail *mail, yoke_err *err)
{
    while (!mail->come && !r->lost) {
        if (yk_jobs_wait(r, mail)) continue;
        if (mail->own) yk_ranks_serve_own(r, mail);
        for (int idle = 0; !mail->come && !r->lost; idle++)
            if (yk_ranks_pump(r))
                idle = 0;
            else
                yk_ranks_idle(r, idle);
    }
    mail->own = NULL;
    return mail->come ? YOKE_OK : tell_lost(r, err);
}

yoke_status yk_ranks_ask(yk_ranks *r, yk_mail *mail, yk_bytes *out,
                         yoke_err *err)
{
    YK_TRY(yk_ranks_post(r, mail, out, err));
    return yk_ranks_await(r, mail, err);
}

void yk_ranks_clear(yk_ranks *r)
{
    yk_place_free(r);
    yk_away_free(r);
    yk_read_free(r);
    yk_tenants_clear(&r->own);
    for (int i = 0; i < r->count; i++) yk_free(r->rank[i].failed);
    yk_bytes_free(&r->in);
    yk_bytes_free(&r->out);
    yk_seen_clear(&r->files);
    yk_free(r->rank);
    if (!r->kept) return;
    YK_FREE(r->kept->home, r->kept->load, r->kept->mail, r->kept);
    r->kept = NULL;
}
