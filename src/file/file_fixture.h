/* file/file_fixture.h -- system files as texts, and what becomes of them. */
#ifndef YK_FILE_FIXTURE_H
#define YK_FILE_FIXTURE_H

#include "run/run_fixture.h"
#include "yoke/netlist.h"

/* x' = v, v' = -4 pi^2 x - 16 pi^2 (x - other): the exact solution is that of
 * run_fixture.h. */
#define MASS                                                                   \
    "linear: {A: [[0, 1], [-(k + c)/m, 0]], B: [[0], [c/m]], "                 \
    "x: [x, v], u: [other], x0: [x0, 0]}, "                                    \
    "parameters: {m: 1 kg, k: 4*pi^2 N/m, c: 4*k, x0: "

#define TWO_MASSES                                                             \
    "yoke: 1\n"                                                                \
    "name: two masses\n"                                                       \
    "run: {stop: 1 s, rtol: 1e-8, window: 50 ms}\n"                            \
    "subsystems:\n"                                                            \
    "  left: {" MASS "1}}\n"                                                   \
    "  right: {" MASS "0}, stepper: radau5, rtol: 1e-10}\n"                    \
    "couplings:\n"                                                             \
    "  - signal: left.other = right.x\n"                                       \
    "  - signal: right.other = left.x\n"

static inline yoke_status try_text(yoke_file **out, const char *text,
                                   const yoke_file_options *options,
                                   yoke_err *err)
{
    return yoke_file_parse(out, "f", text, strlen(text), options, err);
}

static inline yoke_file *parse_with(const char *text,
                                    const yoke_file_options *options)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(try_text(&file, text, options, &err), &err);
    return file;
}

static inline yoke_file *parse(const char *text)
{
    return parse_with(text, NULL);
}

/* The whole run, and what it comes to. */
static inline yoke_run *run_file(yoke_file *file)
{
    const yoke_run_options *options = yoke_file_run_options(file);
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), options, NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, options->stop, &err), &err);
    return run;
}

/* The message begins with `place` and contains `message`. */
static inline void refused_with(const char *text,
                                const yoke_file_options *options,
                                const char *place, const char *message)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    const yoke_status status = try_text(&file, text, options, &err);

    if (status >= 0) fail_msg("this was accepted: %s", text);
    assert_null(file);
    assert_int_equal(err.status, status);
    if (strncmp(err.text, place, strlen(place)) != 0)
        fail_msg("\"%s\" does not begin with \"%s\"", err.text, place);
    CHECK_CONTAINS(err.text, message);
}

static inline void refused(const char *text, const char *place,
                           const char *message)
{
    refused_with(text, NULL, place, message);
}

static inline void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_scratch(name), "wb");

    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

#endif
