/* tests/fuzz/interface_fuzz.c -- resources/yoke.txt of an exported FMU, and the
 * place of its resources, from any bytes: what is read is whole, or a message. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "fmi/interface.c"
#undef _GNU_SOURCE
#include "fmi/folder.c"

static void check(int holds)
{
    if (!holds) abort();
}

static void check_interface(const yk_fmi_interface *i)
{
    int count[YK_FMI_LOCAL + 1] = { 0 };

    check(i->token && i->system && i->stop > i->start && i->variables > 0);
    for (int k = 0; k < i->variables; k++) {
        const yk_fmi_variable *v = &i->variable[k];
        check(v->name && v->name[0] && isfinite(v->start));
        count[v->kind]++;
    }
    check(count[YK_FMI_TIME] == 1 && count[YK_FMI_INPUT] == i->inputs &&
          count[YK_FMI_PARAMETER] == i->parameters &&
          count[YK_FMI_OUTPUT] + count[YK_FMI_LOCAL] == i->shown);
    for (int k = 0; k < i->settings; k++)
        check(i->setting[k].name[0] && i->setting[k].value);
    for (int k = 0; k < i->options; k++)
        check(i->option[k].name[0] && i->option[k].value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    yk_fmi_interface i = { .text = NULL };
    yoke_err err = { YOKE_OK, "" };
    char folder[100], *text = NULL;

    check(yk_alloc((void **)&text, size + 1, 1, NULL) == YOKE_OK);
    memcpy(text, data, size);
    if (yk_fmi_folder(text, folder, sizeof folder, &err) == YOKE_OK && size > 0)
        check(strlen(folder) < sizeof folder);
    err = (yoke_err){ YOKE_OK, "" };
    if (yk_fmi_read_interface(&i, text, "yoke.txt", &err) == YOKE_OK)
        check_interface(&i);
    else
        check(err.text[0] != '\0');
    yk_fmi_clear_interface(&i);
    return 0;
}

FUZZ_MAIN("interface");
