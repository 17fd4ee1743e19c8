/* expr/code_cache.c -- the folder in which compiled code is
 * kept.
 *
 * What lies there is executed, so nothing is believed: the folder and the file
 * must belong to this user and be closed to others, and the bytes must be those
 * that were sealed when the object was compiled.
 *
 *     object | "yokecode" | key | SHA-256 (object, "yokecode", key)
 *
 * The seal finds what was cut, damaged, mixed up or made by something else.  It
 * is no signature: who may write as this user may also run programs as him.
 */
#define _GNU_SOURCE /* ST_NOEXEC */

#include "expr/code_cache.h"

#include "yoke/version.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static const char mark[8] = { 'y', 'o', 'k', 'e', 'c', 'o', 'd', 'e' };
enum { MARK = sizeof mark, SEAL = MARK + 2 * YK_DIGEST_SIZE };

/* ---- The compiler and the key ------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
           access(path, X_OK) == 0;
}

/* As posix_spawnp looks for it, which will start it. */
static bool search(const char *name, int length, char path[YK_CODE_PATH])
{
    const char *list = getenv("PATH");

    if (!list) list = "/usr/bin:/bin";
    for (const char *p = list;; p++) {
        const int part = (int)strcspn(p, ":");
        const int n = snprintf(path, YK_CODE_PATH, "%.*s%s%.*s", part, p,
                               part ? "/" : "", length, name);
        if (n > 0 && n < YK_CODE_PATH && is_program(path)) return true;
        p += part;
        if (!*p) return false;
    }
}

yoke_status yk_code_find_compiler(const char *command, char path[YK_CODE_PATH],
                                  yoke_err *err)
{
    const char *name = command + strspn(command, " ");
    const int length = (int)strcspn(name, " ");

    if (length == 0 || length >= YK_CODE_PATH)
        return yk_fail(err, YOKE_E_MISSING, "no compiler is given");
    if (memchr(name, '/', (size_t)length)) {
        snprintf(path, YK_CODE_PATH, "%.*s", length, name);
        if (is_program(path)) return YOKE_OK;
        return yk_fail(err, YOKE_E_MISSING, "compiler %.200s: %s", path,
                       "there is no such program");
    }
    if (search(name, length, path)) return YOKE_OK;
    return yk_fail(err, YOKE_E_MISSING,
                   "there is no C compiler \"%.*s\" in the PATH",
                   length < 200 ? length : 200, name);
}

yoke_status yk_code_make_key(yk_code_key *key, const char *compiler,
                             char *const *words, const char *source,
                             size_t length, yoke_err *err)
{
    struct utsname machine;
    struct stat about;
    char text[200];
    yk_digest d;

    /* The file behind links such as cc changes with its version. */
    if (stat(compiler, &about) != 0 || uname(&machine) < 0)
        return yk_fail(err, YOKE_E_MISSING, "compiler %.200s: %s", compiler,
                       strerror(errno));
    yk_digest_begin(&d);
    yk_digest_text(&d, "code of yoke " YOKE_VERSION);
    yk_digest_text(&d, machine.sysname);
    yk_digest_text(&d, machine.machine);
    snprintf(text, sizeof text, "%zu %zu %zu %lld %lld %lld", sizeof(void *),
             sizeof(long), sizeof(long double), (long long)about.st_size,
             (long long)about.st_mtim.tv_sec, (long long)about.st_mtim.tv_nsec);
    yk_digest_text(&d, text);
    yk_digest_text(&d, compiler);
    for (; *words; words++) yk_digest_text(&d, *words);
    yk_digest_add(&d, source, length);
    yk_digest_end(&d, key->digest);
    return YOKE_OK;
}

/* ---- The folder --------------------------------------------------------- */

/* Root does not leave its folders in the home of somebody else. */
static yoke_status check_parent(char *path, size_t end, yoke_err *err)
{
    struct stat about;
    const char kept = path[end];

    path[end] = '\0';
    const bool there = stat(end ? path : "/", &about) == 0;
    path[end] = kept;
    if (there && geteuid() == 0 && about.st_uid != 0)
        return yk_fail(err, YOKE_E_MISSING,
                       "%.200s is not made, since %.*s belongs to user %ld",
                       path, end < 200 ? (int)end : 200, path,
                       (long)about.st_uid);
    return YOKE_OK;
}

/* With its parents; another program may be at the same. */
static yoke_status make_folder(const char *folder, yoke_err *err)
{
    char path[YK_CODE_PATH];
    const size_t length = strlen(folder);

    memcpy(path, folder, length + 1);
    for (size_t k = 1, parent = 0; k <= length; k++) {
        if (path[k] != '/' && path[k]) continue;
        const char kept = path[k];
        struct stat about;
        path[k] = '\0';
        if (stat(path, &about) != 0) {
            YK_TRY(check_parent(path, parent, err));
            if (mkdir(path, 0700) != 0 && errno != EEXIST)
                return yk_fail(err, YOKE_E_MISSING, "%.200s cannot be made: %s",
                               path, strerror(errno));
        }
        path[k] = kept;
        parent = k;
    }
    return YOKE_OK;
}

static yoke_status check_owner(const char *folder, const char *what,
                               const struct stat *about, yoke_err *err)
{
    if (about->st_uid == geteuid()) return YOKE_OK;
    return yk_fail(err, YOKE_E_MISSING, "%s%.200s belongs to user %ld, not %ld",
                   what, folder, (long)about->st_uid, (long)geteuid());
}

yoke_status yk_code_open_cache(const char *folder, yoke_err *err)
{
    struct stat about;

    if (strlen(folder) + YK_DIGEST_TEXT + 40 > YK_CODE_PATH)
        return yk_fail(err, YOKE_E_MISSING, "%.200s...: the name is too long",
                       folder);
    if (lstat(folder, &about) != 0) {
        YK_TRY(make_folder(folder, err));
        if (lstat(folder, &about) != 0)
            return yk_fail(err, YOKE_E_MISSING, "%.200s: %s", folder,
                           strerror(errno));
    }
    if (S_ISLNK(about.st_mode)) {
        YK_TRY(check_owner(folder, "the link ", &about, err));
        if (stat(folder, &about) != 0)
            return yk_fail(err, YOKE_E_MISSING,
                           "%.200s is a link that leads nowhere: %s", folder,
                           strerror(errno));
    }
    if (!S_ISDIR(about.st_mode))
        return yk_fail(err, YOKE_E_MISSING, "%.200s is not a folder", folder);
    YK_TRY(check_owner(folder, "", &about, err));
    if (about.st_mode & 022)
        return yk_fail(err, YOKE_E_MISSING,
                       "others may write in %.200s; remove what is in it, then "
                       "chmod 700",
                       folder);
    return YOKE_OK;
}

yoke_status yk_code_may_run(const char *folder, yoke_err *err)
{
    struct statvfs about;

    if (statvfs(folder, &about) == 0 && about.f_flag & ST_NOEXEC)
        return yk_fail(err, YOKE_E_MISSING,
                       "nothing may be executed in %.200s (mounted noexec)",
                       folder);
    return YOKE_OK;
}

void yk_code_tell_space(const char *folder, yoke_err *err)
{
    static const double least = 64 * 1024; /* bytes: an object has 16 KB */
    struct statvfs about;

    if (statvfs(folder, &about) == 0 &&
        (double)about.f_bavail * (double)about.f_frsize < least)
        yk_suffix(err, "; there is no space left in %.200s", folder);
}

yoke_status yk_code_path(char path[YK_CODE_PATH], const char *folder,
                         const yk_code_key *key, yoke_err *err)
{
    char name[YK_DIGEST_TEXT];

    yk_digest_write(key->digest, name);
    const int n = snprintf(path, YK_CODE_PATH, "%s/yoke-%s.so", folder, name);
    if (n > 0 && n < YK_CODE_PATH) return YOKE_OK;
    return yk_fail(err, YOKE_E_MISSING, "%.200s...: the name is too long",
                   folder);
}

/* ---- Tidying ------------------------------------------------------------ */

static const double day = 86400; /* s: no compiler takes so long */
enum { MOST_OBJECTS = 1000, OBJECT_NAME = sizeof "yoke-.so" - 1 + 64 };

/* A folder in which an object was to be built: yoke- and six letters. */
static bool is_workshop(const char *name)
{
    return strncmp(name, "yoke-", 5) == 0 && strlen(name) == 11;
}

static bool is_object(const char *name)
{
    return strncmp(name, "yoke-", 5) == 0 && strlen(name) == OBJECT_NAME;
}

static void remove_workshop(int folder, const char *name)
{
    static const char *const content[] = { "code.c", "code.so", "message" };
    char path[64];

    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/%s", name, content[k]);
        (void)unlinkat(folder, path, 0);
    }
    (void)unlinkat(folder, name, AT_REMOVEDIR);
}

void yk_code_tidy(const char *folder)
{
    DIR *list = opendir(folder);
    const int at = list ? dirfd(list) : -1;
    char oldest[OBJECT_NAME + 1] = "";
    time_t since = 0;
    int objects = 0;

    for (struct dirent *e; list && (e = readdir(list));) {
        struct stat about;
        if (fstatat(at, e->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (is_workshop(e->d_name) && S_ISDIR(about.st_mode) &&
            difftime(time(NULL), about.st_mtim.tv_sec) > day)
            remove_workshop(at, e->d_name);
        if (!is_object(e->d_name)) continue;
        if (objects++ > 0 && about.st_mtim.tv_sec >= since) continue;
        since = about.st_mtim.tv_sec;
        memcpy(oldest, e->d_name, sizeof oldest);
    }
    if (objects > MOST_OBJECTS) (void)unlinkat(at, oldest, 0);
    if (list) closedir(list);
}

/* ---- Seals -------------------------------------------------------------- */

/* The digest of `left` bytes of `file`, the mark and the key. */
static bool digest_file(FILE *file, long long left, const yk_code_key *key,
                        unsigned char out[YK_DIGEST_SIZE])
{
    unsigned char buffer[8192];
    yk_digest d;

    yk_digest_begin(&d);
    while (left > 0) {
        const size_t want =
            left < (long long)sizeof buffer ? (size_t)left : sizeof buffer;
        if (fread(buffer, 1, want, file) != want) return false;
        yk_digest_add(&d, buffer, want);
        left -= (long long)want;
    }
    yk_digest_add(&d, mark, MARK);
    yk_digest_add(&d, key->digest, YK_DIGEST_SIZE);
    yk_digest_end(&d, out);
    return true;
}

yoke_status yk_code_seal(const char *path, const yk_code_key *key,
                         yoke_err *err)
{
    unsigned char digest[YK_DIGEST_SIZE];
    FILE *file = fopen(path, "r+b");
    struct stat about;
    bool done = false;

    if (file && fstat(fileno(file), &about) == 0 &&
        fchmod(fileno(file), 0700) == 0 &&
        digest_file(file, (long long)about.st_size, key, digest) &&
        fseek(file, 0, SEEK_END) == 0)
        done = fwrite(mark, MARK, 1, file) == 1 &&
               fwrite(key->digest, YK_DIGEST_SIZE, 1, file) == 1 &&
               fwrite(digest, YK_DIGEST_SIZE, 1, file) == 1;
    int why = errno;
    if (file && fclose(file) != 0) {
        if (done) why = errno;
        done = false;
    }
    if (done) return YOKE_OK;
    return yk_fail(err, YOKE_E_MISSING, "%.200s cannot be written: %s", path,
                   strerror(why));
}

static bool check_seal(FILE *file, const yk_code_key *key)
{
    unsigned char digest[YK_DIGEST_SIZE], seal[SEAL];
    struct stat about;

    if (fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode) ||
        about.st_uid != geteuid() || about.st_mode & 022 ||
        about.st_size <= SEAL)
        return false;
    return digest_file(file, (long long)about.st_size - SEAL, key, digest) &&
           fread(seal, SEAL, 1, file) == 1 && memcmp(seal, mark, MARK) == 0 &&
           memcmp(seal + MARK, key->digest, YK_DIGEST_SIZE) == 0 &&
           memcmp(seal + MARK + YK_DIGEST_SIZE, digest, YK_DIGEST_SIZE) == 0;
}

bool yk_code_is_sealed(const char *path, const yk_code_key *key)
{
    const int descriptor =
        open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;

    if (!file) {
        if (descriptor >= 0) close(descriptor);
        return false;
    }
    const bool sealed = check_seal(file, key);
    fclose(file);
    return sealed;
}
