/* tests/fuzz/fmu_fuzz.c -- the reader of modelDescription.xml takes any bytes:
 * it gives a description whose references all exist, or a message with the
 * name. */
#include "fuzz.h"

#include "comp/fmu/engine.h"

#include <stdlib.h>
#include <string.h>

static void check(int holds)
{
    if (!holds) abort();
}

static void check_unknowns(const yk_fmu_description *d,
                           const yk_fmu_unknown *list, int count)
{
    for (int i = 0; i < count; i++) {
        check(list[i].variable >= 0 && list[i].variable < d->variables);
        for (int k = 0; k < list[i].count; k++)
            check(list[i].known[k] >= 0 && list[i].known[k] < d->variables);
    }
}

static void check_description(const yk_fmu_description *d)
{
    yk_fmu_signals signals;

    check(d->version == 2 || d->version == 3);
    check(d->exchange.present || d->simulation.present);
    for (int i = 0; i < d->variables; i++) {
        const yk_fmu_variable *v = &d->variable[i];

        check(v->name != NULL && v->count >= 0 && v->nominal > 0.0);
        check(v->state >= -1 && v->state < d->variables);
        check(v->derivative >= -1 && v->derivative < d->variables);
    }
    check_unknowns(d, d->output, d->outputs);
    check_unknowns(d, d->derivative, d->derivatives);
    check(yk_fmu_list(d, YK_FMU_INPUT, &signals, NULL) == YOKE_OK);
    check(yk_fmu_list(d, YK_FMU_OUTPUT, &signals, NULL) == YOKE_OK);
}

/* The other files of an FMU, read for a description that is right. */
static void check_more(const char *data, size_t size)
{
    static const char plain[] =
        "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"m\" "
        "instantiationToken=\"t\"><CoSimulation modelIdentifier=\"block\"/>"
        "<ModelVariables><Float64 name=\"u\" valueReference=\"1\" "
        "causality=\"input\" start=\"0\"/><Float64 name=\"y\" "
        "valueReference=\"2\" causality=\"output\"/></ModelVariables>"
        "<ModelStructure/></fmiModelDescription>";
    yk_fmu_description *d = NULL;
    yoke_err err = { YOKE_OK, "" };

    check(yk_fmu_describe(&d, "plain", plain, strlen(plain), &err) == YOKE_OK);
    if (yk_fmu_describe_terminals(d, "fuzz", data, size, &err) != YOKE_OK)
        check(err.text[0]);
    for (int i = 0; i < d->terminals; i++) {
        check(d->terminal[i].name != NULL);
        check(d->terminal[i].potential >= 0 &&
              d->terminal[i].potential < d->variables);
        check(d->terminal[i].flow >= 0 && d->terminal[i].flow < d->variables);
    }
    if (yk_fmu_describe_build(d, "fuzz", data, size, &err) == YOKE_OK)
        for (int i = 0; i < d->simulation.sources; i++)
            check(d->simulation.source[i][0] != '/' &&
                  strncmp(d->simulation.source[i], "../", 3) != 0);
    yk_fmu_description_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    yk_fmu_description *d = NULL;
    yoke_err err = { YOKE_OK, "" };
    const yoke_status status =
        yk_fmu_describe(&d, "fuzz", (const char *)data, size, &err);

    if (status == YOKE_OK)
        check_description(d);
    else
        check(d == NULL && strncmp(err.text, "fuzz:", 5) == 0);
    yk_fmu_description_free(d);
    check_more((const char *)data, size);
    return 0;
}

FUZZ_MAIN("fmu");
