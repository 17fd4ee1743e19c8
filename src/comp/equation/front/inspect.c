/* comp/equation/front/inspect.c -- what is in a file of equation models. */
#include "comp/equation/front/front.h"
#include "comp/equation/front/translate.h"

#include <string.h>

typedef struct facts {
    yoke_equation_facts about; /* first: what the caller sees */
    yk_arena arena;
} facts;

static yoke_status keep_text(facts *f, const char *text, const char **out,
                             yoke_err *err)
{
    return yk_arena_print(&f->arena, out, err, "%s", text ? text : "");
}

/* ---- Classes and symbols ------------------------------------------------- */

static const char *kind_text(yk_class_kind kind)
{
    static const char *const text[] = {
        [YK_CLASS_MODEL] = "model",
        [YK_CLASS_FUNCTION] = "function",
        [YK_CLASS_CONNECTOR] = "connector",
        [YK_CLASS_RECORD] = "record",
        [YK_CLASS_TYPE] = "type",
        [YK_CLASS_PACKAGE] = "package",
        [YK_CLASS_ENUMERATION] = "enumeration",
        [YK_CLASS_OBJECT] = "external object",
    };

    return text[kind];
}

static yoke_status list_classes(facts *f, const yk_source *source,
                                yoke_err *err)
{
    yoke_equation_class *list = NULL;

    YK_TRY(YK_TAKE(&f->arena, &list, source->classes, err));
    for (int i = 0; i < source->classes; i++) {
        const yk_class *c = source->class_[i];
        YK_TRY(keep_text(f, c->path, &list[i].name, err));
        list[i].kind = kind_text(c->kind);
        list[i].line = c->at.line;
    }
    f->about.class_ = list;
    f->about.classes = source->classes;
    return YOKE_OK;
}

static yoke_equation_role role(const yk_symbol *s)
{
    if (s->variability == YK_PARAMETER) return YOKE_ROLE_PARAMETER;
    if (s->variability == YK_CONSTANT) return YOKE_ROLE_CONSTANT;
    if (s->is_input) return YOKE_ROLE_INPUT;
    return s->is_output ? YOKE_ROLE_OUTPUT : YOKE_ROLE_VARIABLE;
}

/* What cannot be found stays unknown: the reason is the problem of the model
 * or, in a parameter that nothing uses, of no interest. */
static yoke_status find_sizes(facts *f, yk_translator *t, yk_symbol *s,
                              yoke_equation_symbol *out, yoke_err *err)
{
    const bool known = s->variability >= YK_PARAMETER;
    double *value = NULL;

    yoke_status status = yk_symbol_shape(t, s);
    if (status != YOKE_OK) return status == YOKE_E_MEMORY ? status : YOKE_OK;
    out->dims = s->shape.dims;
    memcpy(out->size, s->shape.size, sizeof out->size);
    out->count = s->count;
    if (!known || s->shape.type == YK_TYPE_STRING) return YOKE_OK;
    status = yk_symbol_value(t, s);
    if (status != YOKE_OK) return status == YOKE_E_MEMORY ? status : YOKE_OK;
    YK_TRY(YK_TAKE(&f->arena, &value, s->count, err));
    memcpy(value, s->value, (size_t)s->count * sizeof *value);
    out->value = value;
    return YOKE_OK;
}

static yoke_status list_symbols(facts *f, yk_translator *t, yoke_err *err)
{
    yoke_equation_symbol *list = NULL;

    YK_TRY(YK_TAKE(&f->arena, &list, t->symbol.count, err));
    f->about.symbol = list;
    for (int i = 0; i < t->symbol.count; i++) {
        yk_symbol *s = t->symbol.item[i];
        yoke_equation_symbol *out = &list[f->about.symbols];
        if (s->is_global) continue;
        YK_TRY(keep_text(f, s->name, &out->name, err));
        YK_TRY(keep_text(f, yk_symbol_unit(s), &out->unit, err));
        YK_TRY(keep_text(f, s->text, &out->text, err));
        out->role = role(s);
        out->is_flow = s->is_flow;
        out->is_final = s->is_final;
        out->is_given = s->override.count > 0;
        out->line = s->at.line;
        YK_TRY(find_sizes(f, t, s, out, err));
        f->about.symbols++;
    }
    return YOKE_OK;
}

static yoke_status see(void *self, yk_translator *t, yoke_err *err)
{
    facts *f = self;

    YK_TRY(keep_text(f, t->flat->name, &f->about.model, err));
    return list_symbols(f, t, err);
}

/* ---- Events and tables --------------------------------------------------- */

static bool of_time(const yk_flat *flat, int node)
{
    const yk_flat_node *n = &flat->node[node];

    if (n->variable >= 0 &&
        (n->op == YK_OP_REFER || n->op == YK_OP_DER || n->op == YK_OP_PRE))
        return flat->variable[n->variable].kind >= YK_FLAT_TABLE;
    if (n->op == YK_OP_INDEX || n->op == YK_OP_NUMBER) return true;
    return (n->a < 0 || of_time(flat, n->a)) &&
           (n->b < 0 || of_time(flat, n->b)) &&
           (n->c < 0 || of_time(flat, n->c));
}

static void count_events(facts *f, const yk_flat *flat)
{
    f->about.time_events = flat->samples;
    for (int i = 0; i < flat->relations; i++)
        *(of_time(flat, flat->relation[i].node) ? &f->about.time_events
                                                : &f->about.state_events) += 1;
}

static yoke_status list_tables(facts *f, const yk_flat *flat, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const char **list = NULL;
    bool *is_table = NULL;

    YK_GO(YK_NEW(&is_table, flat->variables, err));
    YK_GO(YK_TAKE(&f->arena, &list, flat->variables, err));
    f->about.table = list;
    for (int i = 0; i < flat->nodes; i++)
        if (flat->node[i].op == YK_OP_INTERPOLATE)
            is_table[flat->node[i].variable] = true;
    for (int i = 0; i < flat->variables; i++) {
        if (!is_table[i]) continue;
        YK_GO(
            keep_text(f, flat->variable[i].name, &list[f->about.tables], err));
        f->about.tables++;
    }
done:
    yk_free(is_table);
    return status;
}

/* ---- The whole ----------------------------------------------------------- */

/* The classes also of a file whose model is wrong. */
static yoke_status read_classes(facts *f, const char *path, const char *text,
                                size_t length, yoke_err *err)
{
    yk_arena arena = { NULL };
    yk_source source = { .path = path };
    yoke_status status = yk_parse(&source, &arena, path, text, length, err);

    if (status == YOKE_OK) status = list_classes(f, &source, err);
    yk_arena_clear(&arena);
    return status;
}

static yoke_status inspect(facts *f, const char *path, const char *text,
                           size_t length, const yoke_equation_options *options,
                           yoke_err *err)
{
    const yk_look look = { see, f };
    yk_flat *flat = NULL;

    YK_TRY(read_classes(f, path, text, length, err));
    yoke_status status = yk_equation_look(&flat, path, text, length, options,
                                          &look, &f->about.problem);
    if (status == YOKE_OK) {
        count_events(f, flat);
        status = list_tables(f, flat, &f->about.problem);
    }
    yk_flat_free(flat);
    if (status == YOKE_OK)
        status = yoke_equation_parse(&f->about.system, f->about.model, path,
                                     text, length, options, &f->about.report,
                                     &f->about.problem);
    f->about.problem.status = status;
    return status == YOKE_E_MEMORY ? yk_fail(err, status, "out of memory")
                                   : YOKE_OK;
}

yoke_status yoke_equation_inspect(yoke_equation_facts **out, const char *path,
                                  const yoke_equation_options *options,
                                  yoke_err *err)
{
    YK_POINT;
    yoke_status status = YOKE_OK;
    facts *f = NULL;
    char *text = NULL;
    size_t length = 0;

    YK_GO(yk_equation_text(path, &text, &length, err));
    YK_GO(YK_NEW(&f, 1, err));
    YK_GO(inspect(f, path, text, length, options, err));
    *out = &f->about;
    f = NULL;
done:
    if (f) yoke_equation_facts_free(&f->about);
    yk_free(text);
    return status;
}

void yoke_equation_facts_free(yoke_equation_facts *about)
{
    facts *f = (facts *)(void *)about;

    if (!f) return;
    yoke_system_free(about->system);
    yk_arena_clear(&f->arena);
    yk_free(f);
}
