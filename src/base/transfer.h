/* base/transfer.h -- all bytes to or from a file, in as many calls as it takes.
 *
 * `file` is a descriptor.  At byte `at` of it, or, if that is YK_HERE, where it
 * stands.  *done (may be NULL): bytes that went.  Returns 0 or a number of
 * errno; the end of a file is no failure of reading, *done tells.
 */
#ifndef YK_TRANSFER_H
#define YK_TRANSFER_H

#include <stddef.h>

enum { YK_HERE = -1 };

int yk_write_bytes(int file, const void *from, size_t size, long long at,
                   size_t *done);
int yk_read_bytes(int file, void *to, size_t size, long long at, size_t *done);

#endif
