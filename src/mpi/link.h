/* mpi/link.h -- messages between ranks; the only file that knows MPI is link.c.
 *
 * Nothing here waits.  What is to be sent to a rank is put into one parcel until
 * somebody flushes them all, so that a stage is one message to each rank and one
 * back.  A parcel that was sent is kept until it is gone; one that has come is
 * unpacked when somebody asks.  Messages from one rank to another come in the order
 * in which they were sent.
 */
#ifndef YK_MPI_LINK_H
#define YK_MPI_LINK_H

#include "mpi/bytes.h"

/* Begins; before the command line is read.  False: with a message. */
bool yk_link_open(int *argc, char ***argv);

/* Ends; `clean`: all ranks do.  Otherwise those that are left are not waited
 * for. */
void yk_link_close(bool clean);

int yk_link_rank(void);
int yk_link_ranks(void);
const char *yk_link_host(int rank);

/* Puts what `content` holds into the parcel for a rank; it is empty afterwards. */
yoke_status yk_link_send(int to, yk_bytes *content, yoke_err *err);

/* Sends all parcels.  Those that cannot be are tried again next time. */
void yk_link_flush(void);
/* How long the oldest message waits in a parcel, in seconds; 0: there is none. */
double yk_link_waits(void);

/* A message that has come, from anybody; false: there is none. */
bool yk_link_receive(yk_bytes *content, int *from);

/* Rests for a moment, longer the more often nothing had come. */
void yk_link_rest(int idle);

/* Parcels sent and received by this rank. */
typedef struct yk_link_traffic {
    long messages;
    double bytes;
} yk_link_traffic;
yk_link_traffic yk_link_count(void);

#endif
