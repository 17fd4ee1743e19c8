/* tests/parallel/eager.c -- the threads of exec/threads.c, to whom every batch is
 * given, however small: what the tests of many threads run. */
#include "exec/policy.h"

static const double nothing = 0.0;
#define YK_EXEC_PAYS nothing
#include "../../src/exec/threads.c"
