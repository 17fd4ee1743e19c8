/* mpi/ranks.h -- rank 0's view of the others: who is there, what is awaited. */
#ifndef YK_MPI_RANKS_H
#define YK_MPI_RANKS_H

#include "base/seen.h"
#include "mpi/link.h"
#include "mpi/protocol.h"
#include "mpi/tenant.h"
#include "run/places.h"
#include "yoke/run.h"

/* The answer to a request, of which a unit has one at most. */
typedef struct yk_mail {
    int rank, handle; /* rank: of the run, which is its slot */
    bool come;
    yk_bytes content; /* behind its head */
    yk_bytes *own;    /* a request to this process that nobody has looked at */
} yk_mail;

typedef struct yk_rank {
    bool here; /* it has said hello */
    bool near; /* on the same machine: its process can be looked at */
    bool lost;
    bool mute;    /* it is there, and did not answer when it was told to stop */
    long process; /* its number */
    long sent, told; /* requests; those that it was told to end */
    double stopped;  /* when it was told so first; 0: it was not */
    bool told_late;  /* that it has not stopped yet */
    double held;     /* since when a signal holds it; 0: none does */
    bool told_held;
    int awaited;  /* answers */
    char *failed; /* what kept it from reading the system, or NULL */
} yk_rank;

struct yk_ranks;

/* What is saved with the run.  Its ranks, the slots, stay what they were when it
 * began, in however many processes it goes on. */
typedef struct yk_kept {
    struct yk_ranks *ranks; /* of this process */
    int slots;
    int *home;      /* of each: the process that has it now */
    double *load;   /* of each: prices of its units */
    yk_mail **mail; /* of each handle; NULL: free */
    size_t mail_room;
    int handles;
    struct yk_place_list *list;  /* which unit is where (place.c) */
    struct yk_place_list *first; /* of the run that another one is beside */
    struct yk_read_list *read;   /* who has read what (read.c) */
    struct yk_away_list *away;   /* and which closed part (closed.c) */
} yk_kept;

/* Of this process; its `rank`s are processes. */
typedef struct yk_ranks {
    int count; /* rank 0 among them */
    yk_rank *rank;
    yk_kept *kept;       /* NULL: not yet */
    yk_tenants own;      /* shares of other ranks that this process has */
    yk_bytes in, out;    /* scratch */
    double looked;       /* when, at the processes of others */
    yk_seen files;       /* that were read here */
    unsigned long print; /* of the model (place.c) */
    int lost; /* a rank that is, or 0: then nobody is waited for any more */
    struct yk_jobs *jobs;
    yk_places places;
} yk_ranks;

/* `kept` of a run that begins; nothing if it is there. */
yoke_status yk_ranks_keep(yk_ranks *ranks, yoke_err *err);
void yk_ranks_clear(yk_ranks *ranks);

/* A place for the answers of a unit. */
yoke_status yk_ranks_open_mail(yk_ranks *ranks, yk_mail *mail, yoke_err *err);
void yk_ranks_close_mail(yk_ranks *ranks, yk_mail *mail);

/* Begins a message in an empty `out`. */
void yk_ranks_head(yk_bytes *out, yk_mail_kind kind, int handle);

/* Sends it without expecting an answer; or sends it and waits.  While it waits
 * other jobs of the batch go on (jobs.h).  Ranks are those of the run. */
yoke_status yk_ranks_tell(yk_ranks *ranks, int rank, yk_bytes *out,
                          yoke_err *err);
yoke_status yk_ranks_ask(yk_ranks *ranks, yk_mail *mail, yk_bytes *out,
                         yoke_err *err);

/* The two halves of asking: several can be asked before the first is awaited. */
yoke_status yk_ranks_post(yk_ranks *ranks, yk_mail *mail, yk_bytes *out,
                          yoke_err *err);
yoke_status yk_ranks_await(yk_ranks *ranks, yk_mail *mail, yoke_err *err);
/* This process is asked itself. */
void yk_ranks_serve_own(yk_ranks *ranks, yk_mail *mail);

/* Takes what has come; true: something had. */
bool yk_ranks_pump(yk_ranks *ranks);

/* Nothing came for the idle-th time: looks after stop requests and lost
 * processes, and rests. */
void yk_ranks_idle(yk_ranks *ranks, int idle);

/* Tells a process whose answers are awaited to come to an end with them. */
void yk_ranks_stop_one(yk_ranks *ranks, int process);

/* A rank that is lost, or 0; looks now. */
int yk_ranks_find_lost(yk_ranks *ranks);

/* jobs.c: an executor whose jobs wait without keeping others from running. */
yk_executor yk_jobs_executor(yk_ranks *ranks);
void yk_jobs_free(yk_ranks *ranks);
/* Is this a job of such a batch?  Then waits, while the others go on. */
bool yk_jobs_wait(yk_ranks *ranks, yk_mail *mail);

/* remote.c: the propagator of a unit in another rank, which has just been made
 * there; the answer to that is in `mail`, which it takes. */
yoke_status yk_remote_create(yk_propagator *out, yk_ranks *ranks, yk_mail *mail,
                             const yk_cluster *cluster, bool *join,
                             yoke_err *err);

int yk_remote_rank(const yk_propagator *propagator); /* 0: it is here */

/* closed.c: the ranks of closed parts, of which host[node] may name a machine;
 * those that have one keep it. */
yoke_status yk_away_place(yk_ranks *ranks, const yoke_graph *graph,
                          const char *const *host, yoke_err *err);
void yk_away_free(yk_ranks *ranks);
int yk_away_rank(const yk_ranks *ranks, const yoke_system *system); /* or -1 */
/* Without its unit it answers as before. */
void yk_away_restore(const yk_ranks *ranks, yoke_system *system);
/* In its rank: reads what ASK says behind its head, and answers. */
void yk_away_serve(const yk_tenant *tenant, yk_bytes *in, yk_bytes *out);

/* read.c: each node goes to rank[node], 0 or less: it is not asked for.  Ranks read
 * what they have not, all of a unit at once. */
yoke_status yk_read_need(yk_ranks *ranks, const yoke_graph *graph,
                         const int *rank, const int *unit, yoke_err *err);
void yk_read_free(yk_ranks *ranks);
/* Nodes of one unit, with what their unknowns weigh, for its rank; which gets
 * the graph that they are in. */
void yk_read_put(const yk_ranks *ranks, const yoke_graph *graph, int rank,
                 int nodes, const int *node, yk_bytes *out);
yoke_status yk_read_take(const yk_tenant *tenant, yk_bytes *in,
                         const yoke_graph **graph, yoke_err *err);
/* In that rank: reads what READ says behind its head, and answers. */
void yk_read_serve(yk_tenants *tenants, yk_tenant *tenant, yk_bytes *in,
                   yk_bytes *out);
/* All that was read, as a number. */
unsigned long yk_read_print(const yoke_graph *graph);

/* place.c */
extern const yk_places_ops yk_ranks_places;
void yk_place_free(yk_ranks *ranks);
/* The rank on this host that has least. */
yoke_status yk_place_host(yk_ranks *ranks, const char *host,
                          const yoke_system *system, int *rank, yoke_err *err);
/* Waits until all processes are there; those that have read a system have read
 * that of this graph. */
yoke_status yk_place_await(yk_ranks *ranks, const yoke_graph *graph,
                           yoke_err *err);

/* save.c: checkpoints; entries of yk_ranks_places. */
yoke_status yk_save_sections(void *ranks, int *count, yoke_err *err);
yoke_status yk_save_section(void *ranks, int k,
                            void (*put)(void *sink, const char *bytes,
                                        size_t length),
                            void *sink, yoke_err *err);
yoke_status yk_save_take(void *ranks, const yk_places_taken *taken,
                         yoke_err *err);

/* serve.c: serves rank 0 until it says goodbye.  model: of a run that goes on;
 * NULL: it begins, and `read` reads what is asked for, or writes why not.  failed:
 * why there is neither, or "".  Exit status. */
typedef yoke_model *yk_read_system(void *self, int count,
                                   const yoke_file_absent *absent, char *why,
                                   size_t room);
int yk_serve(yoke_model *model, yk_read_system *read, void *self,
             const char *failed);
/* Before that, of a run that goes on: what rank 0 says of its command; false: it
 * does not. */
bool yk_serve_words(yk_bytes *words);

/* Signals do not end this rank: rank 0 does.  If that says nothing for seconds
 * after one, it is gone. */
void yk_serve_outlive(void);

#endif
