/* comp/equation/compile_fixture.h -- compiles flat models in tests: every
 * system passes the conformance check, and the interpreter and native code
 * agree to the last bit.
 */
#ifndef COMPILE_FIXTURE_H
#define COMPILE_FIXTURE_H

#include "check.h"

#include "comp/equation/compile.h"
#include "comp/equation/flat_fixture.h"
#include "step/steppers.h"
#include "yoke/check.h"
#include "yoke/stepper.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static char cache[] = "/tmp/yoke-test-XXXXXX";

/* ---- Helpers ------------------------------------------------------------ */

static inline yoke_system *compiled(const fixture *f, const char *compiler,
                                    yoke_equation_report *report)
{
    const yoke_equation_options options = { .compiler = compiler,
                                            .cache = cache };
    yoke_system *system = NULL;
    yoke_err err;

    assert_int_equal(f->status, YOKE_OK);
    CHECK_OK(yk_equation_compile(&system, "m", f->flat, NULL, &options, report,
                                 &err),
             &err);
    CHECK_OK(yoke_conform(system, 0.3, NULL, NULL, &err), &err);
    return system;
}

static inline void refused(const fixture *f, const char *part)
{
    yoke_system *system = NULL;
    yoke_err err;

    assert_int_equal(f->status, YOKE_OK);
    CHECK_STATUS(
        yk_equation_compile(&system, "m", f->flat, NULL, NULL, NULL, &err),
        YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, part);
    assert_null(system);
}

static inline int find_x(const yoke_system *s, const char *name)
{
    const yoke_system_info *info = yoke_system_facts(s);

    for (int j = 0; j < info->n; j++)
        if (strcmp(info->x_name[j], name) == 0) return j;
    fail_msg("no unknown %s", name);
    return -1;
}

/* f and G of two systems of the same model agree to the last bit. */
static inline void same_bits(yoke_system *a, yoke_system *b)
{
    const yoke_system_info *info = yoke_system_facts(a);
    const size_t n = (size_t)info->n, m = (size_t)info->m;
    const size_t g = (size_t)yoke_pattern_count(info->G);
    const size_t gu = (size_t)yoke_pattern_count(info->Gu);
    double *x = calloc(n + m + 1, sizeof *x), *u = x + n;
    double *fa = calloc(n + g + gu + 1, sizeof *fa);
    double *fb = calloc(n + g + gu + 1, sizeof *fb);
    unsigned long long seed = 7;
    yoke_err err;

    for (int trial = 0; trial < 5; trial++) {
        for (size_t j = 0; j < n + m; j++)
            x[j] = (j < n ? info->x0[j] : 0.0) + 0.1 * yk_random(&seed);
        const yoke_jacobian ja = { .G = fa + n, .Gu = fa + n + g };
        const yoke_jacobian jb = { .G = fb + n, .Gu = fb + n + g };
        CHECK_OK(yoke_system_eval(a, 0.7, x, u, NULL, fa, &err), &err);
        CHECK_OK(yoke_system_eval(b, 0.7, x, u, NULL, fb, &err), &err);
        CHECK_OK(yoke_system_jacobian(a, 0.7, x, u, &ja, &err), &err);
        CHECK_OK(yoke_system_jacobian(b, 0.7, x, u, &jb, &err), &err);
        assert_memory_equal(fa, fb, (n + g + gu) * sizeof *fa);
    }
    free(x);
    free(fa);
    free(fb);
}

/* Interpreted and native; returns the interpreted one. */
static inline yoke_system *both(const fixture *f, yoke_equation_report *report)
{
    yoke_equation_report native;
    yoke_system *a = compiled(f, NULL, report);
    yoke_system *b = compiled(f, "cc", &native);

    assert_false(report->compiled);
    if (!native.compiled) fail_msg("not compiled: %s", native.text);
    same_bits(a, b);
    yoke_system_free(b);
    return a;
}

/* Integrates to `end` with radau5 without inputs; x[n] at the end. */
static inline void integrate(yoke_system *s, double end, double rtol, double *x)
{
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yk_wave *u = NULL, *y = NULL;
    yoke_err err = { 0 };
    const yoke_system_info *info = yoke_system_facts(s);
    const int n = info->n;
    int *watch = calloc((size_t)n, sizeof *watch);
    double *y0 = calloc((size_t)info->p + 1, sizeof *y0);

    snprintf(o.method, sizeof o.method, "radau5");
    o.rtol = rtol;
    o.atol = rtol;
    for (int j = 0; j < n; j++) watch[j] = j;
    CHECK_OK(yk_stepper_create(&p, s, &o, n, watch, &err), &err);
    CHECK_OK(yk_wave_create(&u, p.m, &err), &err);
    CHECK_OK(yk_wave_create(&y, p.p, &err), &err);
    yk_wave_clear(u, 0.0);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, y0, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, end, u, y, &err), &err);
    yk_wave_eval(p.ops->watched(p.self), end, NULL, x);
    p.ops->free(p.self);
    yk_wave_free(u);
    yk_wave_free(y);
    free(watch);
    free(y0);
}

/* Every allocation of reading and compiling a text fails once. */
static inline void parse_leaks_nothing(const char *text)
{
    bool done = false;

    for (long at = 1; !done; at++) {
        yoke_system *system = NULL;
        fault_allocator(at);
        done = yoke_equation_parse(&system, "m", "m.mo", text, strlen(text),
                                   NULL, NULL, NULL) == YOKE_OK;
        assert_true(done == (system != NULL));
        yoke_system_free(system);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
}

/* The same of compiling a flat model. */
static inline void compile_leaks_nothing(fixture (*make)(void),
                                         const yoke_equation_options *options)
{
    bool done = false;

    for (long at = 1; !done; at++) {
        yoke_system *system = NULL;
        fault_allocator(at);
        fixture f = make();
        if (f.status == YOKE_OK)
            done = yk_equation_compile(&system, "m", f.flat, NULL, options,
                                       NULL, NULL) == YOKE_OK;
        assert_true(done == (system != NULL));
        yoke_system_free(system);
        yk_flat_free(f.flat);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
}

static inline int remove_cache(void **state)
{
    DIR *folder = opendir(cache);
    struct dirent *entry;
    (void)state;

    while (folder && (entry = readdir(folder))) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", cache, entry->d_name);
        (void)unlink(path);
    }
    if (folder) closedir(folder);
    return rmdir(cache);
}

#endif
