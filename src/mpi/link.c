/* mpi/link.c -- messages between ranks by MPI.
 *
 * The state of MPI is that of the process, and so is this. */
#define _GNU_SOURCE
#include "mpi/link.h"

#include "base/base.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef struct parcel {
    MPI_Request request;
    yk_bytes content;
} parcel;

typedef char host_name[MPI_MAX_PROCESSOR_NAME];

/* Messages to a rank, each behind its length. */
typedef struct box {
    yk_bytes content;
    double since; /* the first was put in */
} box;

static struct {
    int rank, ranks;
    box *box; /* of each rank */
    yk_bytes
        open; /* a parcel that has come and is being unpacked, from `sender` */
    int sender;
    host_name *host;
    parcel *sent;
    int sends;
    size_t room;
    parcel coming; /* a message that is being received, if `receives` */
    bool receives;
    int from;
    double idle_since;
    yk_link_traffic traffic;
} net;

bool yk_link_open(int *argc, char ***argv)
{
    host_name own = "";
    int length = 0;

    /* Reading the memory of a process that has just died ends Open MPI. */
    (void)setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    if (MPI_Init(argc, argv) != MPI_SUCCESS) return false;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &net.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &net.ranks);
    MPI_Get_processor_name(own, &length);
    if (YK_NEW(&net.host, net.ranks, NULL) != YOKE_OK ||
        YK_NEW(&net.box, net.ranks, NULL) != YOKE_OK)
        return false;
    return MPI_Allgather(own, sizeof own, MPI_CHAR, net.host, sizeof own,
                         MPI_CHAR, MPI_COMM_WORLD) == MPI_SUCCESS;
}

void yk_link_close(bool clean)
{
    yk_link_flush();
    if (!clean) return;
    for (int i = 0; i < net.ranks; i++) yk_bytes_free(&net.box[i].content);
    yk_bytes_free(&net.open);
    for (int i = 0; i < net.sends; i++) {
        MPI_Wait(&net.sent[i].request, MPI_STATUS_IGNORE);
        yk_bytes_free(&net.sent[i].content);
    }
    yk_bytes_free(&net.coming.content);
    YK_FREE(net.sent, net.host, net.box);
    MPI_Finalize();
}

int yk_link_rank(void)
{
    return net.rank;
}

int yk_link_ranks(void)
{
    return net.ranks;
}

const char *yk_link_host(int rank)
{
    return net.host[rank];
}

/* A parcel that is gone, or a new one. */
static yoke_status free_parcel(parcel **out, yoke_err *err)
{
    for (int i = 0; i < net.sends; i++) {
        int done = 0;
        MPI_Test(&net.sent[i].request, &done, MPI_STATUS_IGNORE);
        if (!done) continue;
        *out = &net.sent[i];
        return YOKE_OK;
    }
    YK_TRY(YK_GROW(&net.sent, &net.room, net.sends + 1, err));
    *out = &net.sent[net.sends++];
    **out = (parcel){ .request = MPI_REQUEST_NULL };
    return YOKE_OK;
}

static void send_box(int to)
{
    box *b = &net.box[to];
    parcel *p = NULL;

    if (b->content.used == 0 || free_parcel(&p, NULL) != YOKE_OK) return;
    yk_bytes_swap(&p->content, &b->content);
    yk_bytes_clear(&b->content);
    MPI_Isend(p->content.data, (int)p->content.used, MPI_BYTE, to, 0,
              MPI_COMM_WORLD, &p->request);
    net.traffic.messages++;
    net.traffic.bytes += (double)p->content.used;
}

void yk_link_flush(void)
{
    for (int i = 0; net.box && i < net.ranks; i++) send_box(i);
}

double yk_link_waits(void)
{
    double first = 0.0;

    for (int i = 0; i < net.ranks; i++)
        if (net.box[i].content.used > 0 &&
            (first == 0.0 || net.box[i].since < first))
            first = net.box[i].since;
    return first > 0.0 ? yk_clock() - first : 0.0;
}

yoke_status yk_link_send(int to, yk_bytes *content, yoke_err *err)
{
    box *b = &net.box[to];
    const size_t length = content->used, head = sizeof length;

    YK_TRY(yk_bytes_check(content, err));
    if (length > INT_MAX - head)
        return yk_fail(err, YOKE_E_MEMORY,
                       "a message to rank %d has %zu bytes, more than MPI "
                       "takes; shorter windows make shorter ones",
                       to, length);
    if (length > INT_MAX - head - b->content.used) send_box(to);
    if (b->content.used == 0) b->since = yk_clock();
    yk_bytes_put(&b->content, &length, head);
    yk_bytes_put(&b->content, content->data, length);
    yk_bytes_clear(content);
    return yk_bytes_check(&b->content, err);
}

/* Who waits for the answer would wait for ever; a process that has died is told. */
static void die_of_memory(size_t bytes)
{
    fprintf(stderr,
            "yoke: rank %d on %s: out of memory for a message of %zu bytes\n",
            net.rank, yk_link_host(net.rank), bytes);
    fflush(NULL);
    _exit(1);
}

/* The next message of the parcel that is open. */
static bool unpack(yk_bytes *content, int *from)
{
    size_t length = 0;

    if (net.open.at >= net.open.used) return false;
    yk_bytes_get(&net.open, &length, sizeof length);
    yk_bytes_clear(content);
    if (net.open.status != YOKE_OK) {
        yk_bytes_clear(&net.open); /* what follows cannot be found */
        return false;
    }
    if (yk_bytes_reserve(content, length + 1) != YOKE_OK) die_of_memory(length);
    yk_bytes_get(&net.open, content->data, length);
    content->used = length;
    *from = net.sender;
    return true;
}

/* Begins to receive what has come, if something has. */
static void begin_receive(void)
{
    MPI_Status status;
    int there = 0, count = 0;

    if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status) !=
            MPI_SUCCESS ||
        !there)
        return;
    MPI_Get_count(&status, MPI_BYTE, &count);
    yk_bytes *content = &net.coming.content;
    yk_bytes_clear(content);
    if (yk_bytes_reserve(content, (size_t)count + 1) != YOKE_OK)
        die_of_memory((size_t)count);
    content->used = (size_t)count;
    net.from = status.MPI_SOURCE;
    net.receives =
        MPI_Irecv(content->data, count, MPI_BYTE, net.from, 0, MPI_COMM_WORLD,
                  &net.coming.request) == MPI_SUCCESS;
}

/* Who sends may die before all of it has come, so nobody waits for that. */
bool yk_link_receive(yk_bytes *content, int *from)
{
    int done = 0;

    if (unpack(content, from)) return true;
    if (!net.receives) begin_receive();
    if (!net.receives ||
        MPI_Test(&net.coming.request, &done, MPI_STATUS_IGNORE) !=
            MPI_SUCCESS ||
        !done)
        return false;
    net.receives = false;
    net.sender = net.from;
    yk_bytes_swap(&net.open, &net.coming.content);
    net.open.at = 0;
    net.traffic.messages++;
    net.traffic.bytes += (double)net.open.used;
    return unpack(content, from);
}

/* Answers of an idle machine come within microseconds: so long nobody sleeps.  Where
 * others want the processor a process that only yields comes last each time, and
 * one that slept comes first. */
void yk_link_rest(int idle)
{
    static const double awake = 1e-4;
    enum { SHORT = 2000 };
    const struct timespec moment = { 0, idle < SHORT ? 20000 : 200000 };

    if (idle == 0) net.idle_since = yk_clock();
    if (yk_clock() - net.idle_since < awake)
        sched_yield();
    else
        nanosleep(&moment, NULL);
}

yk_link_traffic yk_link_count(void)
{
    return net.traffic;
}
