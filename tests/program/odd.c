/* tests/program/odd.c -- a program of every character, in plain lines.
 *
 *     odd CHARACTER     x' = u - x, x(0) = 1, y = x; steps exact for held inputs
 *
 * From t = 0.5 on it does what its character says. */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *character;
static double x = 1.0, saved[2], factor = 1.0;

static int is(const char *name)
{
    return strcmp(character, name) == 0;
}

static void trouble(double t1)
{
    if (is("noise"))
        for (int i = 0; i < 20000; i++) fprintf(stderr, "line %d\n", i);
    if (t1 < 0.5) return;
    if (is("crash")) {
        fputs("about to divide\n", stderr);
        raise(SIGSEGV);
    }
    if (is("exit")) exit(0);
    if (is("hang")) sleep(1000);
    if (is("garbage")) puts("Iteration 17, residual 1e-3");
    if (is("zero")) fwrite("po\0int 1\n", 1, 9, stdout);
    if (is("nan")) printf("point %.17g nan\n", t1);
    if (is("few")) printf("point %.17g\n", t1);
    if (is("many")) printf("point %.17g 1 2\n", t1);
    if (is("late")) printf("point %.17g 1\n", t1 + 1.0);
    if (is("says")) puts("error the tank has no bottom");
    if (is("short")) puts("done");
    if (is("close")) {
        fclose(stdout);
        sleep(1000);
    }
    if (is("huge"))
        for (;;) fputs("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", stdout);
    if (is("flood"))
        for (;;) printf("point %.17g 1\n", t1 - 0.01);
    fflush(stdout);
}

static void advance(double t, double t1, int steps)
{
    char line[200];

    trouble(t1);
    for (int i = 0; i < steps && fgets(line, sizeof line, stdin); i++) {
        double end = 0.0, u = 0.0;

        if (sscanf(line, "step %lf %lf", &end, &u) != 2) exit(7);
        x = u + (x - u) * exp(t - end);
        t = end;
        printf("point %.17g %.17g\n", t, x);
        if (is("slopes")) printf("slope %.17g\n", u - x);
    }
    if (is("behind")) {
        puts("done\npoint 1 1");
        fflush(stdout);
    }
}

static void answer(char *line)
{
    char name[100];
    double a = 0.0, b = 0.0;
    int k = 0;

    if (strncmp(line, "hello", 5) == 0) {
        puts(is("old") ? "protocol 7" : "protocol 1");
        if (is("state") || is("lies")) puts("saves");
    } else if (sscanf(line, "set %99s %lf", name, &a) == 2) {
        factor = a;
        if (strcmp(name, "factor") != 0) printf("error no %s\n", name);
        if (strcmp(name, "factor") != 0) return;
        x *= factor;
    } else if (strncmp(line, "inputs", 6) == 0 && is("unit"))
        puts("unit u kN");
    else if (strncmp(line, "start", 5) == 0)
        printf("values %.17g\n", x);
    else if (sscanf(line, "advance %lf %lf %d", &a, &b, &k) == 3)
        advance(a, b, k);
    else if (sscanf(line, "save %d", &k) == 1)
        saved[k % 2] = x;
    else if (sscanf(line, "restore %d", &k) == 1 && !is("lies"))
        x = saved[k % 2];
    puts("done");
}

int main(int argc, char **argv)
{
    char line[1000];

    character = argc > 1 ? argv[1] : "plain";
    while (fgets(line, sizeof line, stdin) && strcmp(line, "quit\n") != 0) {
        answer(line);
        fflush(stdout);
    }
    return 0;
}
