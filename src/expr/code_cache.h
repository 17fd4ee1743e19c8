/* expr/code_cache.h -- the folder in which compiled code is kept. */
#ifndef YK_CODE_CACHE_H
#define YK_CODE_CACHE_H

#include "base/base.h"
#include "base/digest.h"

enum { YK_CODE_PATH = 1024 };

/* What an object depends on: the source, the command that made it, the compiler
 * that this command finds today, this version of Yoke, the machine. */
typedef struct yk_code_key {
    unsigned char digest[YK_DIGEST_SIZE];
} yk_code_key;

/* The program that the first word of `command` names, in the PATH where it has
 * no slash; YOKE_E_MISSING if there is none. */
yoke_status yk_code_find_compiler(const char *command, char path[YK_CODE_PATH],
                                  yoke_err *err);

/* `compiler` is the file found; `words` are those of the command behind its
 * first one, ended by NULL. */
yoke_status yk_code_make_key(yk_code_key *key, const char *compiler,
                             char *const *words, const char *source,
                             size_t length, yoke_err *err);

/* Makes `folder` with its parents, mode 0700, where it is missing.  It is used
 * only if it belongs to this user, as a link to it must, and nobody else may
 * write there; otherwise YOKE_E_MISSING and the reason. */
yoke_status yk_code_open_cache(const char *folder, yoke_err *err);

/* Refused on file systems from which nothing may be executed. */
yoke_status yk_code_may_run(const char *folder, yoke_err *err);

/* Adds to a message that the disk is full, if it is. */
void yk_code_tell_space(const char *folder, yoke_err *err);

/* Where the object of `key` is kept. */
yoke_status yk_code_path(char path[YK_CODE_PATH], const char *folder,
                         const yk_code_key *key, yoke_err *err);

/* Removes what runs that were killed have left in the folder, after a day, and,
 * of more than 1000 objects, the oldest one; called for each that is added. */
void yk_code_tidy(const char *folder);

/* Puts a seal at the end of an object, which loaders do not look at: its
 * length, the key, and the digest of all of it. */
yoke_status yk_code_seal(const char *path, const yk_code_key *key,
                         yoke_err *err);

/* True if there is a file of this user that nobody else may write, whole, with
 * the seal of `key`. */
bool yk_code_is_sealed(const char *path, const yk_code_key *key);

#endif
