/* comp/equation/front/front.c -- from the text of a file to a flat model. */
#include "base/near.h"
#include "base/text.h"
#include "comp/equation/front/translate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Messages ----------------------------------------------------------- */

/* The values of the loops that are numbers now: "at i = 3, j = 1". */
static void add_rounds(yk_translator *t)
{
    bool first = true;

    for (int i = t->base; i < t->frames; i++) {
        const yk_frame *f = &t->frame[i];
        if (!f->name || f->symbolic || f->value.kind != YK_VALUE_NUMBER)
            continue;
        yk_suffix(t->err, "%s%s = %g", first ? " (at " : ", ", f->name,
                  f->value.number);
        first = false;
    }
    if (!first) yk_suffix(t->err, ")");
}

yoke_status yk_refuse(yk_translator *t, yk_place at, const char *format, ...)
{
    va_list args;

    if (!t->err) return YOKE_E_MODEL;
    t->err->status = YOKE_E_MODEL;
    va_start(args, format);
    vsnprintf(t->err->text, sizeof t->err->text, format, args);
    va_end(args);
    yk_prefix(t->err, "%s:%d:%d", t->source->path, at.line, at.column);
    add_rounds(t);
    return YOKE_E_MODEL;
}

bool yk_goes_on(yk_translator *t, yoke_status status)
{
    const bool on = yk_err_gather(&t->failed, status, &t->one, t->all);

    for (int i = 0; status != YOKE_OK && i < t->symbol.count; i++) {
        yk_symbol *s = t->symbol.item[i];
        /* Who needs it fails in the same way, which is told once. */
        if (s->shaped == YK_AT_WORK) s->shaped = YK_NOT_YET;
        if (s->valued == YK_AT_WORK) s->valued = YK_NOT_YET;
    }
    return on;
}

yoke_status yk_blame(yk_translator *t, const yk_value *value)
{
    if (value->kind != YK_VALUE_AFFINE) return yk_blame_all(t);
    for (int s = 0; s < t->slots; s++)
        if (value->k[s]) t->blame |= 1ull << t->slot_frame[s];
    return YOKE_RETRY;
}

yoke_status yk_blame_all(yk_translator *t)
{
    for (int s = 0; s < t->slots; s++) t->blame |= 1ull << t->slot_frame[s];
    return t->slots ? YOKE_RETRY : YOKE_OK;
}

const char *yk_nearest(const yk_names *names, const char *name)
{
    const char *best = NULL;
    int least = strlen(name) < 4 ? 2 : 4;

    for (size_t i = 0; i < names->room; i++) {
        if (!names->slot[i].name) continue;
        const int d = yk_word_distance(names->slot[i].name, name);
        if (d > least || d >= (int)strlen(name) ||
            (d == least && (!best || strcmp(names->slot[i].name, best) > 0)))
            continue;
        least = d;
        best = names->slot[i].name;
    }
    return best;
}

yk_aside yk_put_aside(yk_translator *t, const char *constant)
{
    const yk_aside aside = { t->scope,    t->base,    t->end_base,
                             t->constant, t->in_when, t->condition,
                             t->quiet,    t->varies,  t->runs };

    t->scope = NULL;
    t->base = t->frames;
    t->end_base = t->ends;
    t->constant = constant;
    t->in_when = t->condition = false;
    t->quiet = 0;
    return aside;
}

void yk_take_back(yk_translator *t, const yk_aside *aside)
{
    t->scope = aside->scope;
    t->base = aside->base;
    t->end_base = aside->end_base;
    t->constant = aside->constant;
    t->in_when = aside->in_when;
    t->condition = aside->condition;
    t->quiet = aside->quiet;
    t->varies = aside->varies;
    t->runs = aside->runs;
}

/* ---- The model ---------------------------------------------------------- */

static yoke_status add_classes(yk_translator *t)
{
    for (int i = 0; i < t->source->classes; i++) {
        const yk_class *c = t->source->class_[i];
        const int other = yk_names_find(&t->classes, c->path);
        if (other >= 0)
            return yk_refuse(t, c->at, "%s is defined already in line %d",
                             c->path, t->source->class_[other]->at.line);
        YK_TRY(yk_names_add(&t->classes, c->path, i, t->err));
    }
    for (int i = 0; i < t->source->classes; i++) {
        const yk_class *c = t->source->class_[i];
        if (yk_names_find(&t->classes, c->name) < 0)
            YK_TRY(yk_names_add(&t->classes, c->name, i, t->err));
    }
    return YOKE_OK;
}

static yoke_status no_model(yk_translator *t, const char *name)
{
    char list[300] = "";
    int models = 0;

    for (int i = 0; i < t->source->classes; i++) {
        if (t->source->class_[i]->kind != YK_CLASS_MODEL) continue;
        yk_append(list, sizeof list, "%s%s", models++ ? ", " : "; there is ",
                  t->source->class_[i]->path);
    }
    if (!name)
        return yk_fail(t->err, YOKE_E_FILE,
                       "%s: there is no model in this file; write, for "
                       "example, model NAME Real x(start = 1); equation "
                       "der(x) = -x; end NAME;",
                       t->source->path);
    return yk_fail(t->err, YOKE_E_ARG, "%s: there is no model %s%s",
                   t->source->path, name, list);
}

/* The one that is asked for, or the last. */
static yoke_status choose_model(yk_translator *t, const yk_class **out)
{
    const char *name = t->options ? t->options->model : NULL;
    const yk_class *found = NULL;

    for (int i = 0; i < t->source->classes; i++) {
        const yk_class *c = t->source->class_[i];
        if (c->kind != YK_CLASS_MODEL || c->is_partial) continue;
        if (!name || strcmp(c->name, name) == 0 || strcmp(c->path, name) == 0)
            found = c;
    }
    if (!found) return no_model(t, name);
    *out = found;
    return YOKE_OK;
}

static yoke_status translate(yk_translator *t)
{
    const yk_class *model = NULL;
    char *bottom = NULL;

    /* a first block that release never gives back */
    YK_TRY(YK_SCRATCH(t, &bottom, 1));
    YK_TRY(add_classes(t));
    YK_TRY(choose_model(t, &model));
    YK_TRY(yk_flat_create(&t->flat, t->source->path, model->name, t->err));
    YK_TRY(yk_declare_all(t, model));
    YK_TRY(yk_eq_read_starts(t, model));
    YK_TRY(yk_check_overrides(t));
    return yk_flatten(t, model);
}

/* What the translation says about its failure stays. */
static yoke_status see(yk_translator *t, const yk_look *look,
                       yoke_status status, yoke_err *err)
{
    yoke_err own = { YOKE_OK, "" };

    t->err = &own;
    const yoke_status seen = look->see(look->self, t, &own);
    t->err = &t->one;
    if (status != YOKE_OK || seen == YOKE_OK) return status;
    return yk_fail(err, seen, "%s", own.text);
}

static void clear(yk_translator *t)
{
    yk_names_clear(&t->classes);
    yk_names_clear(&t->symbols);
    yk_names_clear(&t->instances);
    yk_names_clear(&t->written);
    yk_names_clear(&t->expanded);
    yk_arena_clear(&t->scratch);
    for (int i = 0; i < YK_CALLS; i++) yk_free(t->call[i].result);
}

yoke_status yk_equation_look(yk_flat **out, const char *path, const char *text,
                             size_t length,
                             const yoke_equation_options *options,
                             const yk_look *look, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_arena arena = { NULL };
    yk_source source = { .path = path };
    yk_translator *t = NULL;

    YK_GO(yk_parse(&source, &arena, path, text, length, err));
    YK_GO(yk_library_add(&source, &arena, err));
    YK_GO(YK_NEW(&t, 1, err));
    t->source = &source;
    t->options = options;
    t->arena = &arena;
    t->err = &t->one;
    t->all = err;
    (void)yk_goes_on(t, translate(t));
    status = t->failed;
    if (look && t->flat)
        YK_GO(see(t, look, status, err));
    else if (status != YOKE_OK)
        goto done;
    *out = t->flat;
    t->flat = NULL;
done:
    if (t) {
        yk_flat_free(t->flat);
        clear(t);
    }
    yk_free(t);
    yk_arena_clear(&arena);
    return status;
}

yoke_status yk_equation_front(yk_flat **out, const char *path, const char *text,
                              size_t length,
                              const yoke_equation_options *options,
                              yoke_err *err)
{
    return yk_equation_look(out, path, text, length, options, NULL, err);
}

yoke_status yk_equation_experiment(const char *path, yk_experiment *out,
                                   char *name, size_t room, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_arena arena = { NULL };
    yk_source source = { .path = path };
    char *text = NULL;
    size_t length = 0;

    YK_GO(yk_equation_text(path, &text, &length, err));
    YK_GO(yk_parse(&source, &arena, path, text, length, err));
    snprintf(name, room, "model");
    for (int i = 0; i < source.classes; i++) {
        const yk_class *c = source.class_[i];
        if (c->kind != YK_CLASS_MODEL || c->is_partial) continue;
        snprintf(name, room, "%s", c->name);
        if (c->experiment.line > 0) *out = c->experiment;
    }
done:
    yk_free(text);
    yk_arena_clear(&arena);
    return status;
}
