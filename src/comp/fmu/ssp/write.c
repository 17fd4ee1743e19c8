/* comp/fmu/ssp/write.c -- a system of FMUs as a package.
 *
 * Subsystems become components, in systems where their names are paths; signals
 * become connections, which pass through connectors of these systems.
 */
#define _POSIX_C_SOURCE 200809L
#include "comp/fmu/ssp/out.h"

#include "comp/fmu/archive.h"
#include "comp/fmu/ssp/policy.h"
#include "yoke/ssp.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- XML --------------------------------------------------------------- */

/* name="value", with what XML reserves replaced. */
yoke_status yk_ssp_attribute(yk_text *b, const char *name, const char *value,
                             yoke_err *err)
{
    YK_TRY(yk_text_print(b, err, " %s=\"", name));
    for (const char *p = value; *p; p++) {
        const unsigned char c = (unsigned char)*p;

        if (c == '&' || c == '<' || c == '"' || c < 32)
            YK_TRY(yk_text_print(b, err, "&#%d;", c));
        else
            YK_TRY(yk_text_print(b, err, "%c", c));
    }
    return yk_text_print(b, err, "\"");
}

static yoke_status put_option(yk_text *b, const char *name, const char *value,
                              yoke_err *err)
{
    YK_TRY(yk_text_print(b, err, "<yoke:Option"));
    YK_TRY(yk_ssp_attribute(b, "name", name, err));
    YK_TRY(yk_ssp_attribute(b, "value", value, err));
    return yk_text_print(b, err, "/>");
}

/* Around options, if there are any. */
static yoke_status put_annotation(yk_text *b, const yk_text *inside,
                                  yoke_err *err)
{
    if (inside->length == 0) return YOKE_OK;
    return yk_text_print(b, err,
                         "<ssd:Annotations><ssc:Annotation type=\"%s\">%s"
                         "</ssc:Annotation></ssd:Annotations>\n",
                         YK_SSP_ANNOTATION, inside->at);
}

/* ---- components -------------------------------------------------------- */

static const char *type_name(const yk_ssp_out *o, const yk_fmu_variable *v)
{
    if (v->enumeration) return NULL; /* the name of its type would be needed */
    if (o->version == 2) return yk_fmu_type_name(v->type);
    switch (v->type) {
    case YK_FMU_FLOAT64:
        return "Real";
    case YK_FMU_BOOLEAN:
        return "Boolean";
    case YK_FMU_STRING:
        return "String";
    default:
        return "Integer";
    }
}

static yoke_status put_connector(yk_ssp_out *o, const yk_fmu_description *d,
                                 const yk_fmu_variable *v, const char *kind,
                                 yoke_err *err)
{
    yk_text *b = &o->xml;
    const char *type = type_name(o, v);
    const bool unit = v->unit && type && yk_ssp_out_unit(o, d, v->unit);

    YK_TRY(yk_text_print(b, err, "<ssd:Connector"));
    YK_TRY(yk_ssp_attribute(b, "name", v->name, err));
    YK_TRY(yk_text_print(b, err, " kind=\"%s\">", kind));
    if (type) YK_TRY(yk_text_print(b, err, "<ssc:%s", type));
    if (unit) YK_TRY(yk_ssp_attribute(b, "unit", v->unit, err));
    if (type) YK_TRY(yk_text_print(b, err, "/>"));
    if (v->array) YK_TRY(yk_text_print(b, err, "<ssc:Dimension/>"));
    return yk_text_print(b, err, "</ssd:Connector>\n");
}

static const char *kind_of(const yk_fmu_variable *v)
{
    switch (v->causality) {
    case YK_FMU_INPUT:
        return "input";
    case YK_FMU_CALCULATED:
        return "calculatedParameter";
    case YK_FMU_LOCAL:
        return "local";
    default:
        return "output";
    }
}

static yoke_status put_connectors(yk_ssp_out *o, const yk_fmu_made *m,
                                  yoke_err *err)
{
    const yk_fmu_signals *const list[] = { m->input, m->output };

    YK_TRY(yk_text_print(&o->xml, err, "<ssd:Connectors>\n"));
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < list[i]->count; k++) {
            const yk_fmu_variable *v =
                &m->description->variable[list[i]->signal[k].variable];
            const char *kind = i == 0 ? "input" : kind_of(v);

            /* SSP 1.0 has no kind for local variables. */
            if (o->version == 1 && strcmp(kind, "local") == 0) kind = "output";
            if (list[i]->signal[k].element == 0)
                YK_TRY(put_connector(o, m->description, v, kind, err));
        }
    return yk_text_print(&o->xml, err, "</ssd:Connectors>\n");
}

static yoke_status put_value(yk_ssp_out *o, const yk_fmu_variable *v,
                             const char *value, yoke_err *err)
{
    yk_text *b = &o->xml;
    const char *type = v->enumeration ? "Integer" : type_name(o, v);

    YK_TRY(yk_text_print(b, err, "<ssv:Parameter"));
    YK_TRY(yk_ssp_attribute(b, "name", v->name, err));
    YK_TRY(yk_text_print(b, err, "><ssv:%s", type));
    YK_TRY(yk_ssp_attribute(b, "value", value, err));
    YK_TRY(yk_text_print(b, err, "/>"));
    if (v->array)
        YK_TRY(yk_text_print(b, err, "<ssc:Dimension size=\"%d\"/>", v->count));
    return yk_text_print(b, err, "</ssv:Parameter>\n");
}

/* Parameters, start values, and inputs that are constant. */
static yoke_status put_values(yk_ssp_out *o, int node, const yk_fmu_made *m,
                              yoke_err *err)
{
    bool begun = false;

    for (int i = 0; i < m->settings + m->input->count; i++) {
        const bool constant = i >= m->settings;
        const int input = constant ? i - m->settings : 0;
        char text[40];
        double value = 0.0;

        if (constant ? !yk_ssp_out_constant(o, node, input, &value)
                     : strncmp(m->key[i], "start:", 6) != 0)
            continue;
        const int v = constant ? m->input->signal[input].variable
                               : yk_fmu_find(m->description, m->key[i] + 6);
        if (v < 0) continue;
        if (!begun)
            YK_TRY(yk_text_print(&o->xml, err,
                                 "<ssd:ParameterBindings><ssd:ParameterBinding>"
                                 "<ssd:ParameterValues>\n<ssv:ParameterSet "
                                 "version=\"%d.0\" name=\"values\">"
                                 "<ssv:Parameters>\n",
                                 o->version));
        begun = true;
        snprintf(text, sizeof text, "%.17g", value);
        YK_TRY(put_value(o, &m->description->variable[v],
                         constant ? text : m->value[i], err));
    }
    if (!begun) return YOKE_OK;
    return yk_text_print(&o->xml, err,
                         "</ssv:Parameters></ssv:ParameterSet>\n"
                         "</ssd:ParameterValues></ssd:ParameterBinding>"
                         "</ssd:ParameterBindings>\n");
}

static yoke_status put_number(yk_text *b, const char *name, double value,
                              double preset, yoke_err *err)
{
    char text[40];

    if (value == preset) return YOKE_OK;
    snprintf(text, sizeof text, "%.17g", value);
    return put_option(b, name, text, err);
}

/* What SSP has no place for: steps, tolerances, limits. */
static yoke_status put_part_options(yk_ssp_out *o, int node,
                                    const yk_fmu_made *m, yoke_err *err)
{
    const yoke_stepper_options preset = yoke_stepper_defaults();
    const yoke_stepper_options *s = yoke_model_stepper(o->model, node);
    yk_text b = { 0 };
    yoke_status status;

    if (!s) s = &preset;
    if (strcmp(s->method, preset.method) != 0)
        YK_GO(put_option(&b, "stepper", s->method, err));
    YK_GO(put_number(&b, "step", s->step, preset.step, err));
    YK_GO(put_number(&b, "rtol", s->rtol, preset.rtol, err));
    YK_GO(put_number(&b, "atol", s->atol, preset.atol, err));
    YK_GO(put_number(&b, "min_step", s->min_step, preset.min_step, err));
    YK_GO(put_number(&b, "max_step", s->max_step, preset.max_step, err));
    YK_GO(put_number(&b, "time_limit", m->seconds, 600.0, err));
    YK_GO(put_number(&b, "memory_limit", m->bytes / 1e6, 8000.0, err));
    if (m->replay) YK_GO(put_option(&b, "replay", "true", err));
    YK_GO(put_annotation(&o->xml, &b, err));
done:
    yk_free(b.at);
    return status;
}

yoke_status yk_ssp_put_component(yk_ssp_out *o, int node, const char *name,
                                 yoke_err *err)
{
    yk_text *b = &o->xml;
    yk_fmu_made m;

    yk_fmu_made_of(yoke_graph_system(o->graph, node), &m);
    YK_TRY(yk_text_print(b, err, "<ssd:Component"));
    YK_TRY(yk_ssp_attribute(b, "name", name, err));
    YK_TRY(yk_text_print(b, err, " type=\"application/x-fmu-sharedlibrary\""));
    YK_TRY(yk_ssp_attribute(b, "source", o->resource[node], err));
    YK_TRY(yk_text_print(b, err, " implementation=\"%s\">\n",
                         m.exchange ? "ModelExchange" : "CoSimulation"));
    YK_TRY(put_connectors(o, &m, err));
    YK_TRY(put_values(o, node, &m, err));
    YK_TRY(put_part_options(o, node, &m, err));
    return yk_text_print(b, err, "</ssd:Component>\n");
}

/* ---- the whole --------------------------------------------------------- */

static yoke_status put_experiment(yk_ssp_out *o, const yoke_run_options *run,
                                  yoke_err *err)
{
    yk_text b = { 0 };
    yoke_option_text text;
    char scratch[64], preset[64];
    const yoke_run_options presets = yoke_run_defaults();
    yoke_status status;

    for (int i = 0; yoke_run_list(i, &text); i++) {
        const char *value = yoke_run_get(run, i, scratch);

        if (strcmp(text.name, "start") == 0 || strcmp(text.name, "stop") == 0 ||
            strcmp(text.name, "output") == 0 ||
            strcmp(value, yoke_run_get(&presets, i, preset)) == 0)
            continue;
        YK_GO(put_option(&b, text.name, value, err));
    }
    YK_GO(yk_text_print(&o->xml, err,
                        "<ssd:DefaultExperiment startTime=\"%.17g\" "
                        "stopTime=\"%.17g\">\n",
                        run->start, run->stop));
    YK_GO(put_annotation(&o->xml, &b, err));
    YK_GO(yk_text_print(&o->xml, err, "</ssd:DefaultExperiment>\n"));
done:
    yk_free(b.at);
    return status;
}

static yoke_status put_units(yk_ssp_out *o, yoke_err *err)
{
    static const char *const power[] = { "kg", "m",   "s",  "A",
                                         "K",  "mol", "cd", "rad" };
    yk_text *b = &o->xml;

    if (o->units == 0) return YOKE_OK;
    YK_TRY(yk_text_print(b, err, "<ssd:Units>\n"));
    for (int i = 0; i < o->units; i++) {
        const yk_fmu_unit *u = o->unit[i];

        YK_TRY(yk_text_print(b, err, "<ssc:Unit"));
        YK_TRY(yk_ssp_attribute(b, "name", u->name, err));
        YK_TRY(yk_text_print(b, err, "><ssc:BaseUnit"));
        for (int k = 0; k < 8; k++)
            if (u->power[k])
                YK_TRY(
                    yk_text_print(b, err, " %s=\"%d\"", power[k], u->power[k]));
        if (u->factor != 1.0)
            YK_TRY(yk_text_print(b, err, " factor=\"%.17g\"", u->factor));
        if (u->offset != 0.0)
            YK_TRY(yk_text_print(b, err, " offset=\"%.17g\"", u->offset));
        YK_TRY(yk_text_print(b, err, "/></ssc:Unit>\n"));
    }
    return yk_text_print(b, err, "</ssd:Units>\n");
}

static yoke_status put_all(yk_ssp_out *o, const char *name,
                           const yoke_run_options *run, yoke_err *err)
{
    static const char space[] = "http://ssp-standard.org/SSP1/SystemStructure";

    YK_TRY(yk_text_print(&o->xml, err,
                         "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<ssd:SystemStructureDescription\n"
                         "    xmlns:ssd=\"%sDescription\"\n"
                         "    xmlns:ssc=\"%sCommon\"\n"
                         "    xmlns:ssv=\"%sParameterValues\"\n"
                         "    xmlns:yoke=\"urn:yoke:options\"\n"
                         "    version=\"%d.0\" generationTool=\"Yoke\"",
                         space, space, space, o->version));
    YK_TRY(yk_ssp_attribute(&o->xml, "name", name, err));
    YK_TRY(yk_text_print(&o->xml, err, ">\n"));
    YK_TRY(yk_ssp_put_systems(o, name, err));
    YK_TRY(put_units(o, err));
    YK_TRY(put_experiment(o, run, err));
    return yk_text_print(&o->xml, err, "</ssd:SystemStructureDescription>\n");
}

/* An FMU that is a folder is packed first, into a file beside the package. */
static yoke_status pack_folder(yk_ssp_out *o, const char *path, int number,
                               yk_archive_item *item, yoke_err *err)
{
    const char *own = NULL;
    struct stat about;

    if (stat(item->file, &about) != 0 || !S_ISDIR(about.st_mode))
        return YOKE_OK;
    YK_TRY(yk_arena_print(&o->arena, &own, err, "%s.%d.part", path, number));
    YK_TRY(yk_archive_pack(own, item->file, err));
    item->file = own;
    return yk_list_push(&o->arena, &o->packed, (void *)(size_t)own, err);
}

static yoke_status pack(yk_ssp_out *o, const yoke_file *file, const char *path,
                        yoke_err *err)
{
    yk_archive_item *item = NULL;
    yoke_status status = YOKE_OK;
    int count = 0;

    YK_TRY(YK_NEW(&item, file->facts.parts + 1, err));
    item[count++] =
        (yk_archive_item){ .name = "SystemStructure.ssd", .text = o->xml.at };
    for (int i = 0; i < file->facts.parts; i++) {
        bool there = false;

        for (int k = 1; k < count; k++)
            there = there || strcmp(item[k].name, o->resource[i]) == 0;
        if (!there)
            item[count++] =
                (yk_archive_item){ .name = o->resource[i],
                                   .file = file->facts.part[i].path };
    }
    for (int i = 1; status == YOKE_OK && i < count; i++)
        status = pack_folder(o, path, i, &item[i], err);
    if (status == YOKE_OK) status = yk_archive_write(path, count, item, err);
    for (int i = 0; i < o->packed.count; i++) remove(o->packed.item[i]);
    yk_free(item);
    return status;
}

yoke_status yoke_ssp_write(yoke_file *file, const yoke_run_options *run,
                           const char *path, yoke_err *err)
{
    YK_POINT;
    yk_ssp_out o = { .version = 1 };
    yoke_status status;

    YK_GO(yk_ssp_out_create(&o, file, err));
    YK_GO(
        put_all(&o, file->name ? file->name : "", run ? run : &file->run, err));
    YK_GO(pack(&o, file, path, err));
done:
    yk_ssp_out_clear(&o);
    return status;
}
