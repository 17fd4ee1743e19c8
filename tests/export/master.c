/* tests/export/master.c -- a foreign master: knows nothing of Yoke, loads the
 * binary of an exported FMU and calls it.
 *
 *     master VERSION LIBRARY RESOURCES TOKEN INPUT OUTPUT STOP SCENARIO [FILE]
 *
 * INPUT and OUTPUT are value references, INPUT may be 0: none.  Numbers are
 * printed with all their bits.  Exit status 1 and a sentence: something is not as
 * it should be.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 64 };

typedef void function(void);

static int version;
static void *library;
static const char *resources, *token;
static unsigned input, output;
static double stop;

/* ---- calls -------------------------------------------------------------- */

static _Thread_local char said[2000]; /* by the logger */

static void log2fmi(void *e, const char *n, int s, const char *c, const char *m,
                    ...)
{
    va_list list;

    (void)e, (void)n, (void)s, (void)c;
    va_start(list, m);
    vsnprintf(said, sizeof said, m, list);
    va_end(list);
}

static void log3fmi(void *e, int s, const char *c, const char *m)
{
    (void)e, (void)s, (void)c;
    snprintf(said, sizeof said, "%s", m);
}

static struct {
    void (*log)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    function *finished;
    void *environment;
} callbacks = { log2fmi, calloc, free, NULL, NULL };

static void fail(const char *what)
{
    printf("%s (the FMU said: %s)\n", what, said);
    exit(1);
}

static function *find(const char *two, const char *three)
{
    char name[100];
    function *out = NULL;

    snprintf(name, sizeof name, "fmi%d%s", version, version == 2 ? two : three);
    void *at = dlsym(library, name);
    if (!at) fail(name);
    memcpy(&out, &at, sizeof at);
    return out;
}

static bool handles; /* events, FMI 3 */

static void *make_with(const char *key)
{
    typedef void *two(const char *, int, const char *, const char *, void *,
                      int, int);
    typedef void *three(const char *, const char *, const char *, bool, bool,
                        bool, bool, const uint32_t *, size_t, void *,
                        void (*)(void *, int, const char *, const char *),
                        function *);
    function *f = find("Instantiate", "InstantiateCoSimulation");

    return version == 2
               ? ((two *)f)("one", 1, key, resources, &callbacks, 0, 0)
               : ((three *)f)("one", key, resources, false, false, handles,
                              handles, NULL, 0, NULL, log3fmi, NULL);
}

static void *make(void)
{
    void *c = make_with(token);

    if (!c) fail("no instance");
    return c;
}

static void drop(void *c)
{
    ((void (*)(void *))find("FreeInstance", "FreeInstance"))(c);
}

static int call(void *c, const char *two, const char *three)
{
    return ((int (*)(void *))find(two, three))(c);
}

static int set_one(void *c, unsigned reference, double value)
{
    typedef int two(void *, const unsigned *, size_t, const double *);
    typedef int three(void *, const unsigned *, size_t, const double *, size_t);
    function *f = find("SetReal", "SetFloat64");

    return version == 2 ? ((two *)f)(c, &reference, 1, &value)
                        : ((three *)f)(c, &reference, 1, &value, 1);
}

static double get_one(void *c, unsigned reference)
{
    typedef int two(void *, const unsigned *, size_t, double *);
    typedef int three(void *, const unsigned *, size_t, double *, size_t);
    function *f = find("GetReal", "GetFloat64");
    double value = NAN;

    if (version == 2 ? ((two *)f)(c, &reference, 1, &value)
                     : ((three *)f)(c, &reference, 1, &value, 1))
        fail("no value");
    return value;
}

static int slope(void *c, unsigned reference, double *value)
{
    typedef int two(void *, const unsigned *, size_t, const int *, double *);
    typedef int three(void *, const unsigned *, size_t, const int *, double *,
                      size_t);
    function *f = find("GetRealOutputDerivatives", "GetOutputDerivatives");
    const int order = 1;

    return version == 2 ? ((two *)f)(c, &reference, 1, &order, value)
                        : ((three *)f)(c, &reference, 1, &order, value, 1);
}

static bool open_end; /* the stop time is not told */

static int start(void *c)
{
    typedef int setup(void *, int, double, double, int, double);
    typedef int enter(void *, bool, double, double, bool, double);

    if (version == 2) {
        if (((setup *)find("SetupExperiment", ""))(c, 0, 0.0, 0.0, !open_end,
                                                   stop) ||
            call(c, "EnterInitializationMode", ""))
            return 3;
    } else if (((enter *)find("", "EnterInitializationMode"))(c, false, 0.0,
                                                              0.0, true, stop))
        return 3;
    return call(c, "ExitInitializationMode", "ExitInitializationMode");
}

static int step(void *c, double t, double h)
{
    typedef int two(void *, double, double, int);
    typedef int three(void *, double, double, bool, bool *, bool *, bool *,
                      double *);
    function *f = find("DoStep", "DoStep");
    bool event, terminate, early;
    double last;

    return version == 2 ? ((two *)f)(c, t, h, 0)
                        : ((three *)f)(c, t, h, false, &event, &terminate,
                                       &early, &last);
}

static void state(void *c, const char *two, const char *three, void *s)
{
    if (((int (*)(void *, void *))find(two, three))(c, s)) fail(two);
}

static void save(void *c, void **s)
{
    state(c, "GetFMUstate", "GetFMUState", s);
}

static void restore(void *c, void *s)
{
    state(c, "SetFMUstate", "SetFMUState", s);
}

static void forget(void *c, void **s)
{
    state(c, "FreeFMUstate", "FreeFMUState", s);
}

/* ---- scenarios ---------------------------------------------------------- */

/* Steps from..to of STEPS, the input as it pleases; the last output. */
static double go(void *c, int from, int to, double size)
{
    const double h = stop / STEPS;

    for (int i = from; i < to; i++) {
        if (input && set_one(c, input, size * sin(3.0 * i * h)))
            fail("no input");
        if (step(c, i * h, h)) fail("no step");
    }
    return get_one(c, output);
}

static double alone(double size)
{
    void *c = make();

    if (start(c)) fail("no start");
    const double y = go(c, 0, STEPS, size);
    drop(c);
    return y;
}

static void check(bool good, const char *what)
{
    if (!good) fail(what);
}

/* Back in time, to two states, in any order; the same bits each time. */
static void go_back(void)
{
    void *c = make(), *first = NULL, *half = NULL;
    double a, b;

    check(slope(c, output, &a) != 0, "a derivative before a step");
    if (start(c)) fail("no start");
    save(c, &first);
    const double middle = go(c, 0, STEPS / 2, 1.0);
    save(c, &half);
    const double end = go(c, STEPS / 2, STEPS, 1.0);
    check(!slope(c, output, &a), "no derivative");
    restore(c, half);
    check(get_one(c, output) == middle, "the value of a restored state");
    check(go(c, STEPS / 2, STEPS, 1.0) == end, "the same bits again");
    check(!slope(c, output, &b) && a == b, "the same derivative again");
    restore(c, first);
    check(go(c, 0, STEPS, 1.0) == end, "the same bits from the start");
    restore(c, half);
    save(c, &half); /* the room is used again */
    check(go(c, STEPS / 2, STEPS, 1.0) == end, "the same bits once more");
    forget(c, &first);
    forget(c, &half);
    check(!half, "a freed state is NULL");
    check(!call(c, "Reset", "Reset"), "reset");
    check(!start(c) && go(c, 0, STEPS, 1.0) == end, "the same after a reset");
    drop(c);
    printf("%a\n", end);
}

static size_t size_of(void *c, void *s)
{
    size_t size = 0;

    if (((int (*)(void *, void *, size_t *))find(
            "SerializedFMUstateSize", "SerializedFMUStateSize"))(c, s, &size))
        fail("no size");
    return size;
}

static void write_bytes(const char *path)
{
    void *c = make(), *s = NULL;

    if (start(c)) fail("no start");
    go(c, 0, STEPS / 2, 1.0);
    save(c, &s);
    const size_t size = size_of(c, s);
    char *bytes = malloc(size);
    if (((int (*)(void *, void *, char *, size_t))find(
            "SerializeFMUstate", "SerializeFMUState"))(c, s, bytes, size))
        fail("no bytes");
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f)) fail(path);
    free(bytes);
    forget(c, &s);
    printf("%a\n", go(c, STEPS / 2, STEPS, 1.0));
    fprintf(stderr, "state: %zu bytes\n", size);
    drop(c);
}

static int read_state(void *c, const char *bytes, size_t size, void **s)
{
    return ((int (*)(void *, const char *, size_t, void **))find(
        "DeSerializeFMUstate", "DeserializeFMUState"))(c, bytes, size, s);
}

/* In a new process. */
static void read_bytes(const char *path)
{
    void *c = make(), *s = NULL;
    FILE *f = fopen(path, "rb");

    if (!f) fail(path);
    fseek(f, 0, SEEK_END);
    const size_t size = (size_t)ftell(f);
    rewind(f);
    char *bytes = malloc(size);
    if (fread(bytes, 1, size, f) != size) fail(path);
    fclose(f);
    bytes[size - 100] ^= 1;
    check(read_state(c, bytes, size, &s) && strstr(said, "damaged"),
          "damaged bytes are refused");
    bytes[size - 100] ^= 1;
    check(read_state(c, bytes, size - 8, &s) && strstr(said, "not a state"),
          "missing bytes are refused");
    bytes[0] ^= 1;
    check(read_state(c, bytes, size, &s) && strstr(said, "not a state"),
          "other bytes are refused");
    bytes[0] ^= 1;
    check(!read_state(c, bytes, size, &s), "bytes are read");
    free(bytes);
    restore(c, s);
    forget(c, &s);
    printf("%a\n", go(c, STEPS / 2, STEPS, 1.0));
    drop(c);
}

static void *in_thread(void *size)
{
    double *y = malloc(sizeof *y);

    *y = alone(*(double *)size);
    return y;
}

/* Two instances in turn, then each in a thread of its own. */
static void run_two(void)
{
    double size[2] = { 1.0, -0.5 }, y[2];
    void *c[2] = { make(), make() }, *s = NULL;
    pthread_t thread[2];

    for (int k = 0; k < 2; k++)
        if (start(c[k])) fail("no start");
    save(c[0], &s);
    check(((int (*)(void *, void *))find("SetFMUstate", "SetFMUState"))(c[1],
                                                                        s) &&
              strstr(said, "another instance"),
          "the state of another instance is refused");
    forget(c[0], &s);
    for (int i = 0; i < STEPS; i++)
        for (int k = 0; k < 2; k++) y[k] = go(c[k], i, i + 1, size[k]);
    for (int k = 0; k < 2; k++) {
        drop(c[k]);
        check(y[k] == alone(size[k]),
              "two instances do not disturb each other");
        pthread_create(&thread[k], NULL, in_thread, &size[k]);
    }
    for (int k = 0; k < 2; k++) {
        void *got = NULL;
        pthread_join(thread[k], &got);
        check(*(double *)got == y[k], "nor do two threads");
        free(got);
    }
    printf("%a\n", y[0]);
}

/* The input is t, by value and slope (FMI 2): exact for any step. */
static double ramp(int steps)
{
    typedef int set(void *, const unsigned *, size_t, const int *,
                    const double *);
    const double h = stop / steps, one = 1.0;
    const int order = 1;
    void *c = make();

    if (start(c)) fail("no start");
    for (int i = 0; i < steps; i++) {
        if (i % 2 == 0 && /* in between it goes on by itself */
            (((set *)find("SetRealInputDerivatives", ""))(c, &input, 1, &order,
                                                          &one) ||
             set_one(c, input, i * h)))
            fail("no slope");
        if (step(c, i * h, h)) fail("no step");
        if (fabs(get_one(c, input) - (i + 1) * h) > 1e-12)
            fail("the input does not follow its slope");
    }
    const double y = get_one(c, output);
    drop(c);
    return y;
}

/* Without a stop time, twice as far as the default experiment; parameters;
 * outputs while it is being initialised. */
static void do_more(void)
{
    double once = 0.0;

    open_end = true;
    void *c = make();
    if (start(c)) fail("no start");
    go(c, 0, STEPS, 1.0);
    once = get_one(c, output);
    check(get_one(c, 0) == stop, "time is a variable");
    go(c, STEPS, 2 * STEPS, 1.0);
    check(isfinite(get_one(c, output)) && get_one(c, 0) == 2.0 * stop,
          "a run without end");
    drop(c);
    open_end = false;
    check(fabs(alone(1.0) - once) < 1e-4 * (1.0 + fabs(once)),
          "the end does not matter before it");
    if (input) {
        c = make();
        check(!set_one(c, 1, 3.0) && get_one(c, 1) == 3.0,
              "a parameter is set");
        if (start(c)) fail("no start");
        check(set_one(c, 1, 3.5) && strstr(said, "is fixed"),
              "a parameter is fixed in the run");
        check(go(c, 0, STEPS, 1.0) != once, "a parameter matters");
        drop(c);
    }
    if (version == 2 && input)
        check(fabs(ramp(8) - ramp(64)) < 1e-6, "slopes of inputs are exact");
    puts("more");
}

/* FMI 3: steps end at events, with values before and behind them. */
static void meet_events(void)
{
    typedef int do_step(void *, double, double, bool, bool *, bool *, bool *,
                        double *);
    typedef int update(void *, bool *, bool *, bool *, bool *, bool *,
                       double *);
    const double y = alone(0.0);
    double t = 0.0, last = 0.0, x;
    bool event, terminate, early, flag[5];
    int count = 0;

    handles = true;
    void *c = make();
    if (start(c) || call(c, "", "EnterStepMode")) fail("no start");
    while (t < stop) {
        if (((do_step *)find("", "DoStep"))(c, t, stop - t, true, &event,
                                            &terminate, &early, &last))
            fail("no step");
        t = early ? last : stop;
        if (!event) continue;
        const double left = get_one(c, output), n = get_one(c, output + 1);
        if (call(c, "", "EnterEventMode") ||
            ((update *)find("", "UpdateDiscreteStates"))(
                c, flag, flag + 1, flag + 2, flag + 3, flag + 4, &x) ||
            call(c, "", "EnterStepMode"))
            fail("no event");
        check(fabs(left) < 1e-8 && fabs(get_one(c, output)) < 1e-8,
              "values at the event");
        check(n == count && get_one(c, output + 1) == ++count,
              "what changes at the event");
    }
    check(count > 0 && fabs(get_one(c, output) - y) < 3e-8,
          "events do not change the result");
    drop(c);
    handles = false;
    puts("events");
}

/* A host with commas in its numbers, which rounds upwards: the same bits, and
 * everything is as before. */
static void be_strange(void)
{
    const double y = alone(1.0);

    if (!setlocale(LC_ALL, "xx_XX")) puts("no such locale");
    fesetround(FE_UPWARD);
    const bool comma = strtod("0,5", NULL) == 0.5;
    void *c = make();
    if (start(c)) fail("no start");
    const double h = stop / STEPS;
    for (int i = 0; i < STEPS; i++) {
        fesetround(FE_TONEAREST); /* for the input */
        const double t = i * h, u = sin(3.0 * i * h);
        fesetround(FE_UPWARD);
        if ((input && set_one(c, input, u)) || step(c, t, h)) fail("no step");
        check(fegetround() == FE_UPWARD, "the arithmetic of the host");
    }
    check(get_one(c, output) == y, "the same bits in a strange host");
    check(!comma || strtod("0,5", NULL) == 0.5, "the locale of the host");
    drop(c);
    puts("strange");
}

/* A model that fails some time: the message, and the way back. */
static void fail_inside(void)
{
    const double h = stop / STEPS;
    void *c = make(), *s = NULL;
    int bad = 0;

    open_end = true;
    if (start(c)) fail("no start");
    save(c, &s);
    const double middle = go(c, 0, STEPS / 2, 1.0);
    for (int i = STEPS / 2; i < 10 * STEPS && !bad; i++)
        bad = step(c, i * h, h);
    check(bad == 3 && strstr(said, "happens again and again"),
          "a failure is told");
    check(set_one(c, input, 1.0) && strstr(said, "has failed before"),
          "nothing is done after it");
    restore(c, s);
    check(go(c, 0, STEPS / 2, 1.0) == middle, "a state brings it back");
    forget(c, &s);
    drop(c);
    puts("failed");
}

static void make_mistakes(void)
{
    check(!make_with("another") && strstr(said, "not that of this FMU"),
          "another token is refused");
    void *c = make();
    check(step(c, 0.0, 0.1) && strstr(said, "before initialisation"),
          "a step before initialisation is refused");
    if (start(c)) fail("no start");
    check(start(c) && strstr(said, "already"), "a second start is refused");
    check(step(c, 0.5, 0.1) && strstr(said, "time reached is 0"),
          "a step from elsewhere is refused");
    check(step(c, 0.0, -0.1) != 0, "a step back is refused");
    check(set_one(c, output, 1.0) && strstr(said, "cannot be set"),
          "an output cannot be set");
    check(set_one(c, 9999, 1.0) && strstr(said, "no variable 9999"),
          "variables that are not there are refused");
    if (input)
        check(set_one(c, input, NAN) && strstr(said, "not finite"),
              "NaN is refused");
    check(isfinite(go(c, 0, STEPS, 1.0)), "after all that it runs");
    drop(c);
    puts("refused");
}

int main(int argc, char **argv)
{
    if (argc < 9) return 2;
    version = atoi(argv[1]);
    library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(dlerror());
    resources = argv[3];
    token = argv[4];
    input = (unsigned)atoi(argv[5]);
    output = (unsigned)atoi(argv[6]);
    stop = atof(argv[7]);
    const char *what = argv[8], *file = argc > 9 ? argv[9] : "";
    if (strcmp(what, "run") == 0) printf("%.17g\n", alone(1.0));
    if (strcmp(what, "back") == 0) go_back();
    if (strcmp(what, "write") == 0) write_bytes(file);
    if (strcmp(what, "read") == 0) read_bytes(file);
    if (strcmp(what, "two") == 0) run_two();
    if (strcmp(what, "mistakes") == 0) make_mistakes();
    if (strcmp(what, "more") == 0) do_more();
    if (strcmp(what, "events") == 0 && version == 3) meet_events();
    if (strcmp(what, "fail") == 0) fail_inside();
    if (strcmp(what, "strange") == 0) be_strange();
    return 0;
}
