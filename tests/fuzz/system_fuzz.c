/* tests/fuzz/system_fuzz.c -- the reader of system files takes any bytes: it
 * builds a model or gives a message with a place. */
#include "fuzz.h"

#include "yoke/file.h"

#include <stdlib.h>
#include <string.h>

static void check(int holds)
{
    if (!holds) abort();
}

static void check_file(yoke_file *file)
{
    yoke_graph *graph = yoke_model_graph(yoke_file_model(file));
    int reports = 0;

    check(yoke_graph_count(graph) > 0);
    check(yoke_file_name(file) != NULL);
    check(yoke_file_run_options(file) != NULL);
    while (yoke_file_report(file, reports)) reports++;
    check(reports > 0 && reports <= yoke_graph_count(graph));
}

/* Settings go another way through the same readers. */
static void read_settings(const char *text, size_t size)
{
    char value[64];
    const yoke_setting setting[] = { { "a.k", value }, { "run.stop", value } };
    const yoke_file_options options = { .settings = 2, .setting = setting };
    static const char file[] =
        "yoke: 1\n"
        "subsystems: {a: {linear: {A: k}, parameters: {k: 1}}}\n";
    yoke_file *out = NULL;
    yoke_err err = { YOKE_OK, "" };

    if (size >= sizeof value) size = sizeof value - 1;
    memcpy(value, text, size);
    value[size] = '\0';
    if (yoke_file_parse(&out, "fuzz", file, sizeof file - 1, &options, &err) !=
        YOKE_OK)
        check(strncmp(err.text, "--set ", 6) == 0);
    yoke_file_free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    const yoke_status status =
        yoke_file_parse(&file, "fuzz", (const char *)data, size, NULL, &err);

    if (status == YOKE_OK)
        check_file(file);
    else {
        check(status < 0 && file == NULL && err.status == status);
        check(strncmp(err.text, "fuzz:", 5) == 0);
    }
    yoke_file_free(file);
    read_settings((const char *)data, size);
    return 0;
}

FUZZ_MAIN("system");
