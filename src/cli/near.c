/* cli/near.c -- suggestions for misspelt words. */
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 40 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Letters that differ; two that changed places count once. */
static int distance(const char *a, const char *b)
{
    const int n = (int)strlen(a), m = (int)strlen(b);
    int d[LONGEST + 1][LONGEST + 1];

    if (n > LONGEST || m > LONGEST) return 2 * LONGEST;
    for (int i = 0; i <= n; i++)
        for (int k = 0; k <= m; k++) {
            if (i == 0 || k == 0) {
                d[i][k] = i + k;
                continue;
            }
            const int x = tolower((unsigned char)a[i - 1]);
            const int y = tolower((unsigned char)b[k - 1]);
            d[i][k] = least(least(d[i - 1][k], d[i][k - 1]) + 1,
                            d[i - 1][k - 1] + (x != y));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
        }
    return d[n][m];
}

void cli_near_try(cli_near *near, const char *name)
{
    const int d = distance(near->wanted, name);
    const int most = ((int)strlen(near->wanted) + 2) / 3;

    if (d > most || d >= (int)strlen(near->wanted) ||
        (near->best && d >= near->distance))
        return;
    near->best = name;
    near->distance = d;
}
