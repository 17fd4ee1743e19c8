/* file/facts.c -- what a system file contains, kept for `yoke info`. */
#include "file/reader.h"

#include <stdio.h>
#include <string.h>

static void part_clear(yk_file_part *p)
{
    YK_FREE(p->name, p->path, p->shown, p->class_name, p->code_text, p->file);
    for (int i = 0; i < p->parameters; i++)
        YK_FREE(p->parameter_name[i], p->parameter_text[i]);
    YK_FREE(p->parameter, p->parameter_name, p->parameter_text);
}

static void coupling_clear(yk_file_coupling *c)
{
    for (int i = 0; i < c->count; i++) YK_FREE(c->key[i], c->text[i]);
    YK_FREE(c->key, c->text, c->name);
}

void yk_facts_clear(yk_file_facts *facts)
{
    for (int i = 0; i < facts->parts; i++) part_clear(&facts->part[i]);
    for (int i = 0; i < facts->couplings; i++)
        coupling_clear(&facts->coupling[i]);
    YK_FREE(facts->part, facts->coupling);
}

/* ---- subsystems ---------------------------------------------------------- */

static yoke_status copy_parameters(yk_file_part *p, const yk_entries *entries,
                                   yoke_err *err)
{
    const int count = entries->count;

    YK_TRY(YK_NEW(&p->parameter, count, err));
    YK_TRY(YK_NEW(&p->parameter_name, count, err));
    YK_TRY(YK_NEW(&p->parameter_text, count, err));
    p->parameters = count;
    for (int i = 0; i < count; i++) {
        const yk_file_value *e = &entries->entry[i];
        YK_TRY(yk_copy_text(&p->parameter_name[i], e->name, err));
        YK_TRY(yk_copy_text(&p->parameter_text[i], e->text, err));
        p->parameter[i] = (yoke_file_parameter){
            .name = p->parameter_name[i],
            .text = p->parameter_text[i],
            .value = entries->value ? entries->value[i] : 0.0,
            .has_value = entries->value != NULL,
            .origin = e->setting ? YOKE_FROM_COMMAND : YOKE_FROM_FILE,
            .line = e->at ? e->at->line : 0,
        };
    }
    return YOKE_OK;
}

yoke_status yk_facts_part(yk_file_facts *facts, const char *name,
                          const char *source, const char *path,
                          const char *class_name, const yk_entries *parameters,
                          yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_file_part p = { .source = source };

    YK_GO(yk_copy_text(&p.name, name, err));
    YK_GO(yk_copy_text(&p.path, path, err));
    YK_GO(yk_copy_text(&p.class_name, class_name, err));
    YK_GO(copy_parameters(&p, parameters, err));
    YK_GO(yk_grow((void **)&facts->part, &facts->part_room,
                  (size_t)facts->parts + 1, sizeof p, err));
    facts->part[facts->parts++] = p;
    return YOKE_OK;
done:
    part_clear(&p);
    return status;
}

/* ---- couplings ----------------------------------------------------------- */

static yoke_status add_text(yk_file_coupling *c, const char *key,
                            const char *text, yoke_err *err)
{
    YK_TRY(YK_GROW(&c->key, &c->key_room, c->count + 1, err));
    YK_TRY(YK_GROW(&c->text, &c->text_room, c->count + 1, err));
    c->key[c->count] = c->text[c->count] = NULL;
    c->count++; /* so that clear finds what is there */
    YK_TRY(yk_copy_text(&c->key[c->count - 1], key, err));
    return yk_copy_text(&c->text[c->count - 1], text, err);
}

/* A text, or each text of a list. */
static yoke_status add_value(yk_file_coupling *c, const char *key,
                             const yk_yaml *value, yoke_err *err)
{
    if (value->kind == YK_YAML_TEXT) return add_text(c, key, value->text, err);
    for (const yk_yaml *e = value->first; e; e = e->next)
        if (e->kind == YK_YAML_TEXT) YK_TRY(add_text(c, key, e->text, err));
    return YOKE_OK;
}

static yoke_status fill(yk_file_coupling *c, const yk_yaml *value,
                        yoke_err *err)
{
    if (value->kind != YK_YAML_MAP)
        return add_value(c, strcmp(c->kind, "connect") == 0 ? "ports" : c->kind,
                         value, err);
    for (const yk_yaml *e = value->first; e; e = e->next)
        if (strcmp(e->key, "name") != 0) YK_TRY(add_value(c, e->key, e, err));
    return YOKE_OK;
}

yoke_status yk_facts_coupling(yk_file_facts *facts, const char *kind,
                              const char *name, const yk_yaml *value,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_file_coupling c = { .kind = kind, .line = value->line };

    YK_GO(yk_copy_text(&c.name, name, err));
    YK_GO(fill(&c, value, err));
    YK_GO(yk_grow((void **)&facts->coupling, &facts->coupling_room,
                  (size_t)facts->couplings + 1, sizeof c, err));
    facts->coupling[facts->couplings++] = c;
    return YOKE_OK;
done:
    coupling_clear(&c);
    return status;
}

/* The path with `shown` instead of its folder; NULL: it has another one. */
static yoke_status show_path(yk_file_part *p, const char *folder,
                             const char *shown, yoke_err *err)
{
    const size_t length = strlen(folder);

    if (!p->path || p->shown || strncmp(p->path, folder, length) != 0)
        return YOKE_OK;
    return yk_print(&p->shown, err, "%s%s", shown, p->path + length);
}

yoke_status yk_facts_wrapped(yk_file_facts *facts, int folders,
                             const char *const *folder,
                             const char *const *shown, yoke_err *err)
{
    for (int i = 0; i < facts->couplings; i++) facts->coupling[i].line = 0;
    for (int i = 0; i < YK_MOST_OPTIONS; i++) facts->option[i].line = 0;
    for (int i = 0; i < facts->parts; i++) {
        yk_file_part *p = &facts->part[i];

        for (int k = 0; k < p->parameters; k++) p->parameter[k].line = 0;
        for (int k = 0; k < folders; k++)
            YK_TRY(show_path(p, folder[k], shown[k], err));
    }
    return YOKE_OK;
}

/* ---- the interface ------------------------------------------------------- */

bool yoke_file_subsystem_at(const yoke_file *file, int i,
                            yoke_file_subsystem *out)
{
    YK_POINT;

    if (i < 0 || i >= file->facts.parts) return false;
    const yk_file_part *p = &file->facts.part[i];
    *out = (yoke_file_subsystem){
        .name = p->name,
        .source = p->source,
        .path = p->shown ? p->shown : p->path,
        .class_name = p->class_name,
        .stepper = p->stepper,
        .parameters = p->parameters,
        .parameter = p->parameter,
        .report = yoke_file_report(file, i),
        .compiled = p->compiled,
        .code_text = p->code_text,
    };
    return true;
}

const char *yoke_file_told(const yoke_file *file)
{
    return file->told;
}

const char *yoke_file_note(const yoke_file *file, int i)
{
    return i >= 0 && i < file->notes ? file->note[i] : NULL;
}

bool yoke_file_coupling_at(const yoke_file *file, int i,
                           yoke_file_coupling *out)
{
    if (i < 0 || i >= file->facts.couplings) return false;
    const yk_file_coupling *c = &file->facts.coupling[i];
    *out = (yoke_file_coupling){
        .kind = c->kind,
        .name = c->name,
        .line = c->line,
        .texts = c->count,
        .key = (const char *const *)c->key,
        .text = (const char *const *)c->text,
    };
    return true;
}

yoke_origin yoke_file_option_origin(const yoke_file *file, int i, int *line)
{
    if (i < 0 || i >= YK_MOST_OPTIONS) return YOKE_FROM_DEFAULT;
    if (line) *line = file->facts.option[i].line;
    return file->facts.option[i].origin;
}
