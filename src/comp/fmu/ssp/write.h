/* comp/fmu/ssp/write.h -- texts that grow, and the options of our annotation. */
#ifndef YK_SSP_WRITE_H
#define YK_SSP_WRITE_H

#include "base/base.h"

typedef struct yk_ssp_buffer {
    char *text;
    size_t length, room;
} yk_ssp_buffer;

yoke_status yk_ssp_put(yk_ssp_buffer *b, yoke_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A number with as few digits as give the same number again. */
enum { YK_SSP_NUMBER = 32 };
const char *yk_ssp_number(double value, char text[YK_SSP_NUMBER]);

#endif
