/* comp/mechanism/read_formulation.c -- how constraints enter, as written. */
#include "comp/mechanism/read.h"

#include <string.h>

yoke_status yk_read_formulation(const yk_reader *r, const yk_yaml *map,
                                const yk_unit_scope *scope, double preset,
                                yoke_formulation *formulation, double *eta,
                                yoke_err *err)
{
    static const char *const word[] = { "position", "velocity", "stabilised",
                                        "ggl", "projected" };
    enum { WORDS = sizeof word / sizeof *word };
    const yk_yaml *given = yk_yaml_find(map, "formulation");
    const char *text = "stabilised";

    if (given) YK_TRY(yk_file_text(r, given, &text, err));
    for (int i = 0; i < WORDS; i++)
        if (strcmp(word[i], text) == 0) {
            *formulation = (yoke_formulation)i;
            if (*formulation == YOKE_PROJECTED) preset = 0.0;
            return yk_file_setting(r, map, "eta", "1/s", scope, preset, eta,
                                   err);
        }
    yk_fail(err, YOKE_E_FILE, "there is no formulation \"%.100s\"", text);
    yk_file_suggest(err, text, WORDS, word);
    return yk_file_place(r, given, 0, YOKE_E_FILE, err);
}
