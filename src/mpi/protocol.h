/* mpi/protocol.h -- what rank 0 and the others say to each other.
 *
 * Rank 0 runs the iteration; the others hold units and serve them.  A message to
 * a unit holds any number of calls, of which the last is answered: calls that
 * return nothing wait for the next one that does.  With every answer come the
 * facts that the iteration asks for between two calls, so that these cost
 * nothing.
 */
#ifndef YK_MPI_PROTOCOL_H
#define YK_MPI_PROTOCOL_H

#include "mpi/bytes.h"
#include "sys/propagator.h"

typedef enum yk_mail_kind {
    YK_MAIL_HELLO, /* to rank 0: the system is read, or why not */
    YK_MAIL_READ,  /* subsystems are read, the others are elsewhere */
    YK_MAIL_PLAN,  /* to all: a schedule whose units will be made */
    YK_MAIL_MAKE,  /* a unit */
    YK_MAIL_ASK,   /* a closed part, before it is a unit */
    YK_MAIL_CALL,
    YK_MAIL_FREE,
    YK_MAIL_WORDS, /* to all: the command of a run that goes on */
    YK_MAIL_SAVE,  /* the memory of a rank is copied; PIECE fetches it */
    YK_MAIL_PIECE,
    YK_MAIL_TAKE,   /* a piece of memory that was saved */
    YK_MAIL_STOP,   /* requests up to this number are to end soon */
    YK_MAIL_ANSWER, /* to rank 0 */
    YK_MAIL_BYE     /* handle not 0: a rank is lost, all end at once */
} yk_mail_kind;

typedef struct yk_mail_head {
    yk_mail_kind kind;
    int handle;  /* of the unit */
    int slot;    /* whose share it is (tenant.h) */
    long number; /* of the request, for each rank */
} yk_mail_head;

/* The entries of a propagator (sys/propagator.h) that are called. */
typedef enum yk_mpi_call {
    YK_CALL_FACTS,
    YK_CALL_START,
    YK_CALL_SWEEP,
    YK_CALL_ACCEPT,
    YK_CALL_ARRIVE,
    YK_CALL_WATCHED,
    YK_CALL_NEXT_BREAK,
    YK_CALL_DUE,
    YK_CALL_FINISH,
    YK_CALL_FORGET,
    YK_CALL_LOOSEN,
    YK_CALL_LIMIT,
    YK_CALL_LINEARISE,
    YK_CALL_BEGIN,
    YK_CALL_HISTORY,
    YK_CALL_FOLLOW,
    YK_CALL_KEEP,
    YK_CALL_LENIENT,
    YK_CALL_ANSWER,
    YK_CALL_REST,
    YK_CALL_CHANGE,
    YK_CALL_APPLY,
    YK_CALL_RENEW,
    YK_CALL_WANT,
    YK_CALL_TELL,
    YK_CALL_KICK,
    YK_CALL_SHAKE,
    YK_CALL_SLOPE,
    YK_CALL_STEPS,
    YK_CALL_TIGHTEN,
    YK_CALL_GIVE,
    YK_CALL_TAKE,
    YK_CALL_JOIN,
    YK_CALL_QUIET,
    YK_CALL_PERMIT,
    YK_CALL_OUTPUT, /* of the system of a closed part */
    YK_CALLS
} yk_mpi_call;

/* Which entries the propagator has. */
typedef struct yk_unit_shape {
    bool arrive, watched, instants, next_break, moved, reading;
    bool loosen, limit, step, anew, due, finish, forget;
    bool quiet;
    bool answer, tape, motion, handover, front;
    bool able, follows, rest, change, motion_affine, join, deep;
    bool closed;
    int n, m, p, watches;
    size_t memory; /* of the system, bytes */
} yk_unit_shape;

/* What is told with every answer. */
typedef struct yk_unit_facts {
    double moved, step;
    double head, price; /* of `front` */
    yk_reading reading;
    bool anew, able, ready, affine, fixed, passes, follows, watchful;
    bool motion_affine;
    int instants; /* their times follow */
    yoke_work work;
} yk_unit_facts;

/* Bytes of a piece of memory.  A piece is asked for when the one before has come,
 * so 50 microseconds for a message leave 5 GB/s; and it is held in memory that is
 * saved itself. */
enum { YK_PIECE = 1 << 18 };

/* Of what a closed part tells. */
enum { YK_TOLD = 300 };

#endif
