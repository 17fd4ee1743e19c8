/* base/seen.h -- the files that a model was read from, and what was in them. */
#ifndef YK_BASE_SEEN_H
#define YK_BASE_SEEN_H

#include "base/base.h"
#include "base/digest.h"

typedef struct yk_seen_file {
    char *path;
    char digest[YK_DIGEST_TEXT]; /* "": it could not be read */
} yk_seen_file;

/* Memory of the process, not of the image. */
typedef struct yk_seen {
    yk_seen_file *file;
    size_t count, room;
    bool failed; /* no memory: the list has gaps */
} yk_seen;

/* Every file that is read from now on goes to the list; NULL: no more. */
void yk_seen_watch(yk_seen *list);
/* That list, or NULL. */
yk_seen *yk_seen_list(void);

/* Readers tell that they read it. */
void yk_seen_tell(const char *path);

/* Was it read, but never with this in it?  "": nobody knows. */
bool yk_seen_differs(const yk_seen *list, const char *path, const char *digest);

void yk_seen_clear(yk_seen *list);

#endif
