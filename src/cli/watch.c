/* cli/watch.c -- the page of a running run at an address of this machine.
 *
 * One thread of its own listens at 127.0.0.1 and answers; the run only adds to
 * cli/live.h.  Nothing waits: sockets do not block, a client that does not send
 * its request in time or does not read its answer is left, and there are never
 * more than a few.  Nobody can change anything: GET and HEAD of two addresses.
 *
 *     /           the page, with the data of that moment
 *     /data.json  the data, which the page asks for again and again
 */
#define _GNU_SOURCE /* accept4 */
#include "cli/watch.h"

#include "cli/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 16, HEAD = 640 };
static const double patience = 10.0; /* s, for a request and between bytes */
static const double fresh = 0.2;     /* s, one text of data serves all */
/* A page asks once a second; one that did within this time is open, and gets as
 * much to hear of the end. */
static const double open_page = 5.0;

/* A text that several clients may be reading. */
typedef struct text {
    int readers;
    size_t length;
    char *at;
} text;

typedef struct client {
    int socket;   /* -1: none */
    double until; /* left then */
    size_t have;  /* of the request */
    char request[CLI_HTTP_MOST];
    char head[HEAD]; /* of the answer */
    size_t head_length, sent;
    text *body; /* NULL: none */
    bool last;  /* the answer tells the end of the run */
} client;

typedef struct cli_server {
    cli_live *live;
    pthread_t thread;
    int listens, wake[2], port;
    atomic_bool ends;     /* the thread is to return */
    atomic_bool ended;    /* the run has */
    atomic_int heard;     /* clients that know */
    _Atomic double asked; /* when data was asked for last */
    text *data;           /* of a moment ago, or NULL */
    double made;
    bool data_ended; /* it tells the end */
    client client[CLIENTS];
} cli_server;

/* ---- texts --------------------------------------------------------------- */

static text *text_take(char *at, size_t length)
{
    text *t = at ? calloc(1, sizeof *t) : NULL;

    if (!t) {
        free(at);
        return NULL;
    }
    *t = (text){ .readers = 1, .length = length, .at = at };
    return t;
}

static void text_leave(text *t)
{
    if (!t || --t->readers > 0) return;
    free(t->at);
    free(t);
}

/* The data, made again if it is old or the run has ended since. */
static text *current_data(cli_server *s)
{
    const bool ended = s->ended;
    size_t length = 0;

    if (!s->data || cli_clock() - s->made > fresh || ended != s->data_ended) {
        char *at = cli_live_json(s->live, &length);
        text_leave(s->data);
        s->data = text_take(at, length);
        s->data_ended = ended;
        s->made = cli_clock();
    }
    if (s->data) s->data->readers++;
    return s->data;
}

static text *find_body(cli_server *s, client *c, const char *path, int *status,
                       const char **kind)
{
    size_t length = 0;
    text *body = NULL;

    if (strcmp(path, "/data.json") == 0) {
        *kind = "application/json";
        s->asked = cli_clock();
        body = current_data(s);
        c->last = s->data_ended;
    } else if (strcmp(path, "/") == 0) {
        *kind = "text/html";
        char *at = cli_live_page(s->live, &length);
        body = text_take(at, length);
    } else {
        *status = 404;
        return NULL;
    }
    if (!body) *status = 503;
    return body;
}

/* ---- clients ------------------------------------------------------------- */

static void leave(cli_server *s, client *c)
{
    if (c->socket < 0) return;
    if (c->last && c->body && c->sent == c->head_length + c->body->length)
        s->heard++;
    close(c->socket);
    text_leave(c->body);
    c->body = NULL;
    c->socket = -1;
}

/* What a browser needs to know; the page may not ask anybody else. */
static void answer(cli_server *s, client *c, int status, const cli_request *r)
{
    static const char policy[] =
        "default-src 'none'; script-src 'unsafe-inline'; style-src "
        "'unsafe-inline'; img-src data:; connect-src 'self'; frame-ancestors "
        "'none'; base-uri 'none'; form-action 'none'";
    const char *kind = "text/plain";

    if (status == 200) c->body = find_body(s, c, r->path, &status, &kind);
    const size_t length = c->body ? c->body->length : 0;
    const int wrote = snprintf(
        c->head, sizeof c->head,
        "HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\n"
        "Content-Length: %zu\r\n%sCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\n"
        "Content-Security-Policy: %s\r\nConnection: close\r\n\r\n",
        status, cli_http_reason(status), kind, length,
        status == 405 ? "Allow: GET, HEAD\r\n" : "", policy);
    c->head_length = wrote > 0 && wrote < HEAD ? (size_t)wrote : 0;
    if (r->head && c->body) {
        text_leave(c->body);
        c->body = NULL;
        c->last = false;
    }
    c->until = cli_clock() + patience;
}

/* As much as the socket takes; true: all is sent, or nobody is there. */
static bool send_more(client *c)
{
    const size_t whole = c->head_length + (c->body ? c->body->length : 0);

    while (c->sent < whole) {
        const bool head = c->sent < c->head_length;
        const char *at =
            head ? c->head + c->sent : c->body->at + (c->sent - c->head_length);
        const size_t left = head ? c->head_length - c->sent : whole - c->sent;
        const ssize_t n = send(c->socket, at, left, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno != EAGAIN && errno != EWOULDBLOCK;
        c->sent += (size_t)n;
        c->until = cli_clock() + patience;
    }
    /* What else was sent is read, or the answer would be lost with it. */
    shutdown(c->socket, SHUT_WR);
    for (int k = 0; k < 16; k++)
        if (recv(c->socket, c->request, sizeof c->request, 0) <= 0) break;
    return true;
}

static bool read_more(cli_server *s, client *c)
{
    cli_request r;
    const ssize_t n =
        recv(c->socket, c->request + c->have, sizeof c->request - c->have, 0);

    if (n < 0) return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
    if (n == 0) return true;
    c->have += (size_t)n;
    const int status = cli_http_read(&r, c->request, c->have);
    if (status == 0) return false;
    answer(s, c, status, &r);
    return send_more(c);
}

static void serve(cli_server *s, client *c, short events)
{
    bool done = (events & (POLLERR | POLLNVAL)) != 0;

    if (!done && c->head_length == 0 && (events & (POLLIN | POLLHUP)))
        done = read_more(s, c);
    else if (!done && c->head_length > 0 && (events & (POLLOUT | POLLHUP)))
        done = send_more(c);
    if (done) leave(s, c);
}

/* Where there is no place for it the connection waits in the queue. */
static void welcome(cli_server *s)
{
    for (int k = 0; k < CLIENTS; k++) {
        client *c = &s->client[k];
        if (c->socket >= 0) continue;
        const int socket =
            accept4(s->listens, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0) return;
        c->socket = socket;
        c->until = cli_clock() + patience;
        c->have = c->head_length = c->sent = 0;
        c->body = NULL;
        c->last = false;
    }
}

/* ---- the thread ---------------------------------------------------------- */

/* Fills in what is waited for; returns how many. */
static int gather(cli_server *s, struct pollfd *p, client **of)
{
    int count = 2, free_places = 0;

    for (int k = 0; k < CLIENTS; k++) {
        client *c = &s->client[k];
        if (c->socket >= 0 && cli_clock() > c->until) leave(s, c);
        if (c->socket < 0) {
            free_places++;
            continue;
        }
        of[count] = c;
        p[count++] =
            (struct pollfd){ .fd = c->socket,
                             .events = c->head_length ? POLLOUT : POLLIN };
    }
    p[0] = (struct pollfd){ .fd = s->wake[0], .events = POLLIN };
    p[1] = (struct pollfd){ .fd = free_places ? s->listens : -1,
                            .events = POLLIN };
    return count;
}

static void *listen_on(void *server)
{
    cli_server *s = server;
    struct pollfd p[CLIENTS + 2];
    client *of[CLIENTS + 2];

    while (!s->ends) {
        const int count = gather(s, p, of);
        if (poll(p, (nfds_t)count, 500) < 0 && errno != EINTR) break;
        if (p[1].revents) welcome(s);
        for (int k = 2; k < count; k++)
            if (p[k].revents) serve(s, of[k], p[k].revents);
    }
    for (int k = 0; k < CLIENTS; k++) leave(s, &s->client[k]);
    return NULL;
}

/* Signals are for the run. */
static bool start_thread(cli_server *s)
{
    sigset_t all, before;

    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    const bool started = pthread_create(&s->thread, NULL, listen_on, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* ---- the address --------------------------------------------------------- */

static int cannot(const char *what, int port, int code)
{
    yoke_err err = { YOKE_E_FILE, "" };

    if (port && code == EADDRINUSE)
        snprintf(err.text, sizeof err.text,
                 "--watch: port %d of 127.0.0.1 is taken; leave the number out "
                 "to get a free one",
                 port);
    else
        snprintf(err.text, sizeof err.text, "--watch: %s: %s", what,
                 strerror(code));
    return cli_fail(&err);
}

static int open_port(cli_server *s, int port)
{
    struct sockaddr_in here;
    socklen_t size = sizeof here;
    const int yes = 1;

    memset(&here, 0, sizeof here);
    here.sin_family = AF_INET;
    here.sin_port = htons((unsigned short)port);
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->listens = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->listens < 0) return cannot("no socket", port, errno);
    (void)setsockopt(s->listens, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(s->listens, (struct sockaddr *)&here, sizeof here) != 0 ||
        listen(s->listens, CLIENTS) != 0 ||
        getsockname(s->listens, (struct sockaddr *)&here, &size) != 0)
        return cannot("cannot listen at 127.0.0.1", port, errno);
    s->port = ntohs(here.sin_port);
    if (pipe2(s->wake, O_CLOEXEC) != 0) return cannot("no pipe", 0, errno);
    return CLI_OK;
}

static void server_free(cli_server *s)
{
    if (!s) return;
    for (int k = 0; k < 2; k++)
        if (s->wake[k] >= 0) close(s->wake[k]);
    if (s->listens >= 0) close(s->listens);
    text_leave(s->data);
    free(s);
}

/* ---- what the run says --------------------------------------------------- */

/* A number behind the option belongs to it; names of systems are none. */
static int take_port(cli_watch *w, int *argc, char **argv, int at)
{
    const char *word = argv[at] + strlen("--watch");
    const bool behind =
        !*word && at + 1 < *argc && argv[at + 1][0] &&
        strspn(argv[at + 1], "0123456789") == strlen(argv[at + 1]);
    const char *number = behind ? argv[at + 1] : *word ? word + 1 : NULL;
    const int gone = behind ? 2 : 1;
    char *end = NULL;

    w->on = true;
    w->port = 0;
    if (number) {
        const long port = strtol(number, &end, 10);
        if (end == number || *end || port < 0 || port > 65535)
            return cli_usage("--watch = \"%s\" is not a port; one from 1024 to "
                             "65535, or none to get a free one",
                             number);
        w->port = (int)port;
    }
    for (int k = at; k + gone <= *argc; k++) argv[k] = argv[k + gone];
    *argc -= gone;
    return CLI_OK;
}

int cli_watch_take(cli_watch *w, int *argc, char **argv)
{
    for (int i = 1; i < *argc;) {
        const bool is = strcmp(argv[i], "--watch") == 0 ||
                        strncmp(argv[i], "--watch=", 8) == 0;
        if (is && take_port(w, argc, argv, i) != CLI_OK) return CLI_USAGE;
        if (!is) i++;
    }
    w->stay = cli_flag(argc, argv, "--stay");
    if (w->stay && !w->on) return cli_usage("--stay goes with --watch");
    return CLI_OK;
}

int cli_watch_begin(cli_watch *w, const yoke_run *run, const char *title,
                    double stop)
{
    if (!w->on) return CLI_OK;
    cli_server *s = calloc(1, sizeof *s);
    w->live = s ? cli_live_create(run, title, stop) : NULL;
    if (!w->live) {
        free(s);
        return cannot("no memory", 0, ENOMEM);
    }
    w->server = s;
    s->live = w->live;
    s->listens = s->wake[0] = s->wake[1] = -1;
    s->asked = -1e9;
    for (int k = 0; k < CLIENTS; k++) s->client[k].socket = -1;
    int status = open_port(s, w->port);
    if (status == CLI_OK && !start_thread(s))
        status = cannot("no thread", 0, EAGAIN);
    if (status == CLI_OK) {
        fprintf(stderr, "yoke: the run is shown at http://127.0.0.1:%d/\n",
                s->port);
        return CLI_OK;
    }
    server_free(s);
    cli_live_free(w->live);
    w->server = NULL;
    w->live = NULL;
    return status;
}

static void nap(long milliseconds)
{
    const struct timespec t = { milliseconds / 1000,
                                milliseconds % 1000 * 1000000L };

    nanosleep(&t, NULL); /* a signal ends it early */
}

void cli_watch_end(cli_watch *w, const yoke_run *run, cli_live_state state,
                   const char *said)
{
    if (!w->live) return;
    cli_live_end(w->live, run, state, said);
    w->server->ended = true;
}

void cli_watch_close(cli_watch *w)
{
    cli_server *s = w->server;
    double time = cli_clock();

    if (!s) return;
    if (w->stay && !cli_interrupted()) {
        fprintf(stderr,
                "yoke: http://127.0.0.1:%d/ stays until it is interrupted "
                "(Ctrl-C)\n",
                s->port);
        cli_interrupt_begin();
        while (!cli_interrupted()) nap(200);
        cli_interrupt_close();
    }
    while (s->heard == 0 && time - s->asked < open_page &&
           cli_clock() - time < open_page)
        nap(20);
    s->ends = true;
    if (write(s->wake[1], "", 1) < 0) nap(0); /* it looks twice a second */
    pthread_join(s->thread, NULL);
    server_free(s);
    cli_live_free(w->live);
    w->server = NULL;
    w->live = NULL;
}
