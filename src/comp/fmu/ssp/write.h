/* comp/fmu/ssp/write.h -- texts that grow, and the options of our annotation. */
#ifndef YK_SSP_WRITE_H
#define YK_SSP_WRITE_H

#include "base/base.h"
#include "base/text.h"

/* A number with as few digits as give the same number again. */
enum { YK_SSP_NUMBER = 32 };
const char *yk_ssp_number(double value, char text[YK_SSP_NUMBER]);

#endif
