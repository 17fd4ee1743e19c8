/* yoke/status.h -- what a function returns and the text of an error.
 *
 *     0    done
 *     > 0  not done, but nothing is broken: cut the step or the window
 *     < 0  stop
 */
#ifndef YOKE_STATUS_H
#define YOKE_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
#define YOKE_BEGIN_C extern "C" {
#define YOKE_END_C   }
#else
#define YOKE_BEGIN_C
#define YOKE_END_C
#endif

#if defined(__GNUC__)
#define YOKE_API __attribute__((visibility("default")))
#else
#define YOKE_API
#endif

YOKE_BEGIN_C

/* The only list of states: name, value, text. */
#define YOKE_STATUS_LIST(X)                                                    \
    X(YOKE_OK, 0, "done")                                                      \
    X(YOKE_RETRY, 1, "no solution here, a shorter step or window may help")    \
    X(YOKE_NOT_CONVERGED, 2, "the iteration did not reach its tolerance")      \
    X(YOKE_STOPPED, 3, "stopped on request")                                   \
    X(YOKE_JOIN, 4, "subsystems must be solved as one")                        \
    X(YOKE_E_ARG, -1, "illegal argument")                                      \
    X(YOKE_E_MEMORY, -2, "out of memory")                                      \
    X(YOKE_E_FILE, -3, "a file could not be read or written")                  \
    X(YOKE_E_MODEL, -4, "the model is not solvable as it stands")              \
    X(YOKE_E_CALLBACK, -5, "a callback failed")                                \
    X(YOKE_E_NUMERIC, -6, "the numerical method failed")                       \
    X(YOKE_E_MISSING, -7, "this build has no such part")

typedef enum yoke_status {
#define YOKE_STATUS_ENUM(name, value, text) name = value,
    YOKE_STATUS_LIST(YOKE_STATUS_ENUM)
#undef YOKE_STATUS_ENUM
} yoke_status;

#define YOKE_ERR_SIZE 4096

/* Filled by the first function that fails; each caller that knows more adds in
 * front: `window 12, [0.4, 0.6]: subsystem "left": ...`.  Wherever a yoke_err
 * is asked for, NULL may be given.
 */
typedef struct yoke_err {
    yoke_status status;
    char text[YOKE_ERR_SIZE];
} yoke_err;

/* The text of the list above; never NULL. */
YOKE_API const char *yoke_status_text(yoke_status status);

/* The name of the list above, such as "YOKE_RETRY"; never NULL. */
YOKE_API const char *yoke_status_name(yoke_status status);

/* For callbacks: writes a message and returns `status`. */
YOKE_API yoke_status yoke_fail(yoke_err *err, yoke_status status,
                               const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* All memory of the library comes from here.  `resize` follows realloc, `free`
 * follows free.  To be set before the first call of any other function; NULL
 * restores the C library's.  Copies `allocator`.  Called by all threads of a run:
 * what is not safe for that needs runs with jobs = 1 (yoke/run.h).
 */
typedef struct yoke_allocator {
    void *(*resize)(void *block, size_t bytes);
    void (*free)(void *block);
} yoke_allocator;

YOKE_API void yoke_set_allocator(const yoke_allocator *allocator);

YOKE_END_C

#endif
