/* bench/15_map/scale.c -- check, set-up and run of the program with up to 20,000
 * parts: processor time, memory, and the exponents with which they grow.
 *
 *     bench_15_scale [--quick] RESULTS.csv YOKE     measures
 *     bench_15_scale --write PARTS SHAPE C          writes a system file
 */
#define _DEFAULT_SOURCE
#include "problem.h"

#include "bench.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct cost {
    double seconds, megabytes;
    bool done;
} cost;

/* Runs the program without its output. */
static cost measure(char *const *command)
{
    struct rusage used;
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 1);
        dup2(nothing, 2);
        execv(command[0], command);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child) {
        perror(command[0]);
        exit(1);
    }
    return (cost){
        .seconds =
            (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
            1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec),
        .megabytes = (double)used.ru_maxrss / 1024.0,
        .done = WIFEXITED(status) && WEXITSTATUS(status) == 0,
    };
}

enum { MOST_SIZES = 8, COMMANDS = 4 };

static void write_file(const char *path, const map_problem *p)
{
    FILE *f = fopen(path, "w");

    if (!f) {
        perror(path);
        exit(1);
    }
    map_write(p, f);
    fclose(f);
}

static void measure_shape(const char *what, map_shape shape, double c,
                          bool quick, char *yoke)
{
    static const char *const name[] = { "check", "set-up", "run-apart", "run" };
    const int sizes = quick ? 3 : 5, first = quick ? 250 : 1250;
    double size[MOST_SIZES], seconds[COMMANDS][MOST_SIZES];
    double memory[COMMANDS][MOST_SIZES];
    char path[] = "/tmp/bench_15_XXXXXX.yaml", label[80];
    char *const command[COMMANDS][8] = {
        { yoke, "check", path, NULL },
        { yoke, "run", path, "--stop", "1e-9", NULL },
        { yoke, "run", path, "--cluster", "none", NULL },
        { yoke, "run", path, NULL },
    };

    close(mkstemps(path, 5));
    for (int k = 0; k < sizes; k++) {
        const map_problem p = { .parts = first << k,
                                .ratio = 1.0,
                                .c = c,
                                .shape = shape,
                                .stop = 10.0 };
        size[k] = p.parts;
        write_file(path, &p);
        printf("%-12s %6d", what, p.parts);
        for (int i = 0; i < COMMANDS; i++) {
            const cost now = measure(command[i]);
            seconds[i][k] = now.seconds;
            memory[i][k] = now.megabytes;
            printf("  %s %.2f s %.0f MB%s", name[i], now.seconds, now.megabytes,
                   now.done ? "" : " FAILED");
            snprintf(label, sizeof label, "%s-%d-%s", what, p.parts, name[i]);
            bench_put(label, "failed", !now.done);
            bench_put(label, "seconds", now.seconds);
            bench_put(label, "megabytes", now.megabytes);
            fflush(stdout);
        }
        putchar('\n');
    }
    for (int i = 0; i < COMMANDS; i++) {
        snprintf(label, sizeof label, "%s-%s", what, name[i]);
        bench_put(label, "exponent", bench_slope(sizes, size, seconds[i]));
        bench_put(label, "exponent-memory",
                  bench_slope(sizes, size, memory[i]));
        printf("%-24s grows with exponent %.2f, memory %.2f\n", label,
               bench_slope(sizes, size, seconds[i]),
               bench_slope(sizes, size, memory[i]));
    }
    unlink(path);
}

static int write_only(char **text)
{
    const map_problem p = { .parts = atoi(text[0]),
                            .ratio = 1.0,
                            .c = atof(text[2]),
                            .shape = text[1][0] == 'r'   ? MAP_RING
                                     : text[1][0] == 's' ? MAP_STAR
                                                         : MAP_CHAIN,
                            .stop = 10.0 };

    if (p.parts < 3) return 2;
    map_write(&p, stdout);
    return 0;
}

int main(int count, char **text)
{
    const bool quick = count > 1 && strcmp(text[1], "--quick") == 0;

    if (count == 5 && strcmp(text[1], "--write") == 0)
        return write_only(text + 2);
    if (count != 3 + quick) {
        fprintf(stderr, "usage: %s [--quick] RESULTS.csv YOKE\n", text[0]);
        return 2;
    }
    bench_open(text[1 + quick]);
    measure_shape("ring", MAP_RING, 0.1, quick, text[2 + quick]);
    measure_shape("star", MAP_STAR, 0.1, quick, text[2 + quick]);
    measure_shape("strong-ring", MAP_RING, 1.0, quick, text[2 + quick]);
    bench_close();
    return 0;
}
