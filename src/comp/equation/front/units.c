/* comp/equation/front/units.c -- the units that a model declares. */
#include "comp/equation/front/units.h"

#include "comp/equation/front/front.h"
#include "comp/equation/front/translate.h"

#include <string.h>

typedef struct teller {
    yk_tell_unit tell;
    void *self;
} teller;

static yoke_status see(void *self, yk_translator *t, yoke_err *err)
{
    const teller *to = self;

    (void)err;
    for (int i = 0; i < t->symbol.count; i++) {
        const yk_symbol *s = t->symbol.item[i];
        const char *unit = s->is_global ? NULL : yk_symbol_unit(s);
        if (unit && unit[0])
            to->tell(to->self, s->name, unit,
                     s->variability != YK_PARAMETER &&
                         s->variability != YK_CONSTANT);
    }
    return YOKE_OK;
}

yoke_status yk_equation_units(const char *path,
                              const yoke_equation_options *options,
                              yk_tell_unit tell, void *self, yoke_err *err)
{
    teller to = { tell, self };
    const yk_look look = { see, &to };
    yk_flat *flat = NULL;
    yoke_err ignored; /* whoever compiles the model has the message */
    char *text = NULL;
    size_t length = 0;

    YK_TRY(yk_equation_text(path, &text, &length, err));
    if (strstr(text, "unit"))
        yk_equation_look(&flat, path, text, length, options, &look, &ignored);
    yk_flat_free(flat);
    yk_free(text);
    return YOKE_OK;
}
