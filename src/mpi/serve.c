/* mpi/serve.c -- the life of a rank that is not 0: it says whether it could read
 * the system, makes the units that it is told to, and serves them until rank 0
 * says goodbye.  While it computes it looks for messages between two steps, so
 * that it can be stopped, and what comes meanwhile waits in line.
 */
#define _GNU_SOURCE
#include "mpi/ranks.h"
#include "mpi/tenant.h"

#include "base/base.h"
#include "base/image.h"
#include "yoke/run.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Answers wait for those of the same stage, but no longer than this: others can
 * go on with them.  Seconds; a message takes some microseconds to some ten. */
static const double LATE = 1e-3;

typedef struct line {
    yk_bytes content;
    struct line *next;
} line;

typedef struct server {
    yk_tenants tenants;
    line *first, *last, *unused; /* messages in line */
    long now, stop; /* request that is done; those up to this are to end */
    yk_bytes in, out;
} server;

/* ---- signals ------------------------------------------------------------- */

/* Seconds without a message behind the signal, or the last message: rank 0 is gone.
 * A run that is saved ends its window first. */
static const double patience = 5.0, long_patience = 120.0;
static volatile sig_atomic_t told; /* a signal has come */

static void on_signal(int number)
{
    (void)number;
    told = 1;
}

/* Handlers, unlike SIG_IGN, are not inherited by workers. */
void yk_serve_outlive(void)
{
    static const int list[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    for (int i = 0; i < 3; i++) (void)sigaction(list[i], &action, NULL);
}

/* ---- messages in line ---------------------------------------------------- */

/* STOP is heard at once; everything else waits. */
static bool hear(server *s)
{
    yk_mail_head head = { YK_MAIL_BYE, 0, 0, 0 };
    int from = 0;

    if (!yk_link_receive(&s->in, &from)) return false;
    yk_bytes_get(&s->in, &head, sizeof head);
    if (head.kind == YK_MAIL_STOP) {
        s->stop = head.number;
        return true;
    }
    line *l = s->unused;
    if (l)
        s->unused = l->next;
    else if (YK_NEW(&l, 1, NULL) != YOKE_OK)
        _exit(1); /* nobody would know what was lost */
    s->in.at = 0;
    yk_bytes_swap(&l->content, &s->in);
    l->next = NULL;
    if (s->last)
        s->last->next = l;
    else
        s->first = l;
    s->last = l;
    return true;
}

static bool is_stopped(void *context)
{
    server *s = context;

    if (yk_link_waits() > LATE) yk_link_flush();
    while (hear(s)) {
    }
    return s->now <= s->stop;
}

/* The next message, in `in`, whose head was read. */
static yk_mail_head next(server *s)
{
    yk_mail_head head = { YK_MAIL_BYE, 0, 0, 0 };

    double since = yk_clock();
    bool known =
        false; /* the signal; a rank that was idle then had no message */
    while (hear(s)) {
    }
    if (!s->first || yk_link_waits() > LATE) yk_link_flush();
    for (int idle = 0; !s->first; idle++) {
        if (hear(s) || (told && !known)) {
            known = told;
            since = yk_clock();
            continue;
        }
        if (told &&
            yk_clock() - since > (yk_image_on() ? long_patience : patience))
            _exit(1);
        yk_link_rest(idle);
    }
    line *l = s->first;
    s->first = l->next;
    if (!s->first) s->last = NULL;
    yk_bytes_swap(&s->in, &l->content);
    yk_bytes_clear(&l->content);
    l->next = s->unused;
    s->unused = l;
    yk_bytes_get(&s->in, &head, sizeof head);
    return head;
}

/* ---- what they ask for --------------------------------------------------- */

static void answer(server *s, const yk_mail_head *head)
{
    yk_bytes in = { 0 };

    s->now = head->number;
    yk_bytes_clear(&s->out);
    yk_ranks_head(&s->out, YK_MAIL_ANSWER, head->handle);
    yk_bytes_swap(&in, &s->in); /* `hear` uses that */
    yk_tenants_answer(&s->tenants, head, &in, &s->out);
    yk_bytes_swap(&in, &s->in);
    yk_bytes_free(&in);
    if (yk_link_send(0, &s->out, NULL) != YOKE_OK) _exit(1);
}

static void say_hello(server *s, const char *failed)
{
    const long process = (long)getpid();
    yoke_model *model = s->tenants.model;
    const unsigned long print =
        model ? yk_read_print(yoke_model_graph(model)) : 0;

    yk_bytes_clear(&s->out);
    yk_ranks_head(&s->out, YK_MAIL_HELLO, 0);
    yk_bytes_put(&s->out, &process, sizeof process);
    yk_bytes_put(&s->out, &print, sizeof print);
    yk_bytes_put_text(&s->out, failed);
    if (yk_link_send(0, &s->out, NULL) != YOKE_OK) _exit(1);
    yk_link_flush();
}

static void clear(server *s)
{
    yk_tenants_clear(&s->tenants);
    for (int k = 0; k < 2; k++)
        for (line *l = k ? s->unused : s->first, *then = NULL; l; l = then) {
            then = l->next;
            yk_bytes_free(&l->content);
            yk_free(l);
        }
    yk_bytes_free(&s->in);
    yk_bytes_free(&s->out);
}

bool yk_serve_words(yk_bytes *words)
{
    server s = { .now = 1 };
    bool come = false;

    for (yk_mail_head head = next(&s); head.kind != YK_MAIL_BYE;
         head = next(&s))
        if (head.kind == YK_MAIL_WORDS) {
            yk_bytes_swap(words, &s.in);
            come = true;
            break;
        }
    clear(&s);
    return come;
}

static bool is_request(yk_mail_kind kind)
{
    return kind == YK_MAIL_READ || kind == YK_MAIL_MAKE ||
           kind == YK_MAIL_CALL || kind == YK_MAIL_ASK ||
           kind == YK_MAIL_SAVE || kind == YK_MAIL_PIECE ||
           kind == YK_MAIL_TAKE;
}

int yk_serve(yoke_model *model, yk_read_system *read, void *self,
             const char *failed)
{
    server s = { .tenants = { .model = model,
                              .read = read,
                              .reader = self,
                              .stop = is_stopped } };
    yoke_err err = { YOKE_OK, "" };

    s.tenants.context = &s;
    if (!model && yk_tenants_begin(&s.tenants, yk_link_rank(), &err) != YOKE_OK)
        failed = err.text;
    say_hello(&s, failed);
    for (;;) {
        const yk_mail_head head = next(&s);
        if (head.kind == YK_MAIL_BYE && head.handle != 0) _exit(0);
        if (head.kind == YK_MAIL_BYE) break;
        if (is_request(head.kind))
            answer(&s, &head);
        else
            yk_tenants_hear(&s.tenants, &head, &s.in);
    }
    clear(&s);
    return 0;
}
