/* comp/fmu/ssp/text.c -- a package as the text of a system file.
 *
 *     subsystems:
 *       drive.motor: {fmu: ".../motor.fmu", inputs: [u], parameters: {R: 2}}
 *     couplings:
 *       - {signal: drive.motor.u = 2*control.y + 1, units: ignore}
 *     run: {start: 0, stop: 10}
 *
 * Units were converted here, so signals do not compare them once more.
 */
#include "comp/fmu/ssp/ssp.h"

#include "base/quoted.h"
#include "base/texts.h"
#include "comp/fmu/ssp/policy.h"
#include "comp/fmu/ssp/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *yk_ssp_number(double value, char text[YK_SSP_NUMBER])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, YK_SSP_NUMBER, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return text;
}

/* Characters that YAML does not take, or takes for the end of a line, in UTF-8:
 * U+0080 to U+009F, U+2028, U+2029, U+FEFF.  *length bytes; 0: another one. */
static unsigned odd_character(const char *text, int *length)
{
    const unsigned char *p = (const unsigned char *)text;

    *length = 0;
    if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f) {
        *length = 2;
        return p[1];
    }
    if (p[0] == 0xe2 && p[1] == 0x80 && (p[2] == 0xa8 || p[2] == 0xa9)) {
        *length = 3;
        return 0x2000u + (p[2] & 0x3fu);
    }
    if (p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf) {
        *length = 3;
        return 0xfeff;
    }
    return 0;
}

/* In double quotes, as YAML wants it. */
static yoke_status put_quoted(yk_text *b, const char *text, yoke_err *err)
{
    YK_TRY(yk_text_print(b, err, "\""));
    for (const char *p = text; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        int length = 0;
        const unsigned odd = odd_character(p, &length);

        if (length > 0) {
            YK_TRY(yk_text_print(b, err, "\\u%04x", odd));
            p += length - 1;
        } else if (c == '"' || c == '\\')
            YK_TRY(yk_text_print(b, err, "\\%c", c));
        else if (c < 32 || c == 127)
            YK_TRY(yk_text_print(b, err, "\\x%02x", c));
        else
            YK_TRY(yk_text_print(b, err, "%c", c));
    }
    return yk_text_print(b, err, "\"");
}

/* ---- components -------------------------------------------------------- */

/* What the connections make of a component. */
typedef struct ports {
    yk_ssp_element *element;
    bool *fed;         /* of each variable: a signal does */
    bool *read;        /* of each variable: a signal reads it */
    const char **text; /* of each variable: its value, or NULL */
} ports;

static bool is_whole(const yk_fmu_variable *v)
{
    return v->type != YK_FMU_FLOAT64 && v->type != YK_FMU_FLOAT32;
}

static yoke_status check_signal(const yk_ssp_connector *to,
                                const yk_fmu_variable *v,
                                const yk_fmu_variable *from,
                                const yk_ssp_feed *feed, yoke_err *err)
{
    const char *why = NULL;

    if (v->type >= YK_FMU_STRING || from->type >= YK_FMU_STRING)
        why = "texts, binary values and clocks cannot be signals";
    else if (v->count != from->count)
        why = "the arrays have different numbers of elements";
    else if (is_whole(v) && !is_whole(from))
        why = "a real number cannot feed a whole number or a truth value";
    else if (v->type == YK_FMU_BOOLEAN && from->type != YK_FMU_BOOLEAN)
        why = "a number cannot feed a truth value";
    else if (is_whole(v) && (feed->factor != floor(feed->factor) ||
                             feed->offset != floor(feed->offset)))
        why = "a whole number cannot be transformed in this way";
    if (!why) return YOKE_OK;
    return yk_ssp_fail(to->from_file, to->from_line, err,
                       "\"%.100s\" of %s from \"%.100s\" of %s: %s", to->name,
                       to->owner->path, feed->from->name,
                       feed->from->owner->path, why);
}

/* A parameter that another component computes would have to be known before
 * the run begins. */
static yoke_status refuse_computed(const yk_ssp_connector *to,
                                   const yk_ssp_feed *feed, yoke_err *err)
{
    return yk_ssp_fail(to->from_file, to->from_line, err,
                       "the parameter \"%.100s\" of %s is computed by %s: this "
                       "is not supported; give it a value",
                       to->name, to->owner->path, feed->from->owner->path);
}

static yoke_status put_address(yk_text *b, const yk_ssp_element *e,
                               const yk_fmu_variable *v, int element,
                               yoke_err *err)
{
    char *quoted = NULL, *name = NULL;

    if (strlen(v->name) > YK_SSP_LONGEST_NAME)
        return yk_ssp_fail(e->file, e->line, err,
                           "the name of the variable \"%.50s...\" of %s is too "
                           "long; at most %d bytes can be connected",
                           v->name, e->path, YK_SSP_LONGEST_NAME);
    YK_TRY(v->array ? yk_print(&name, err, "%s[%d]", v->name, element + 1)
                    : yk_copy_text(&name, v->name, err));
    yoke_status status = yk_quote(&quoted, name, err);
    if (status == YOKE_OK)
        status = yk_text_print(b, err, "%s.%s", e->path, quoted);
    YK_FREE(quoted, name);
    return status;
}

static yoke_status put_signal(yk_text *b, const yk_ssp_element *e,
                              const yk_fmu_variable *v,
                              const yk_ssp_element *other,
                              const yk_fmu_variable *from,
                              const yk_ssp_feed *feed, yoke_err *err)
{
    yk_text line = { 0 };
    yoke_status status = YOKE_OK;
    char number[YK_SSP_NUMBER];

    for (int k = 0; k < v->count; k++) {
        line.length = 0;
        YK_GO(put_address(&line, e, v, k, err));
        YK_GO(yk_text_print(&line, err, " = "));
        if (feed->factor != 1.0)
            YK_GO(yk_text_print(&line, err, "%s*",
                                yk_ssp_number(feed->factor, number)));
        YK_GO(put_address(&line, other, from, k, err));
        if (feed->offset != 0.0)
            YK_GO(yk_text_print(&line, err, " %c %s",
                                feed->offset < 0.0 ? '-' : '+',
                                yk_ssp_number(fabs(feed->offset), number)));
        YK_GO(yk_text_print(b, err, "  - {signal: "));
        YK_GO(put_quoted(b, line.at, err));
        YK_GO(yk_text_print(b, err, ", units: ignore}\n"));
    }
done:
    yk_free(line.at);
    return status;
}

/* Which of the `ports` belongs to the element. */
static ports *ports_of(ports *all, int count, const yk_ssp_element *e)
{
    for (int i = 0; i < count; i++)
        if (all[i].element == e) return &all[i];
    return NULL;
}

static yoke_status take_connector(yk_ssp *ssp, ports *all, ports *own,
                                  yk_ssp_connector *c, yk_text *signals,
                                  yoke_err *err)
{
    const yk_ssp_element *e = own->element;
    const yk_fmu_variable *v = NULL, *from = NULL;
    yk_ssp_feed feed;

    if (!c->from) return YOKE_OK;
    YK_TRY(yk_ssp_variable(c, &v, err));
    YK_TRY(yk_ssp_trace(ssp, c, &feed, err));
    const yk_ssp_element *other = feed.from->owner;
    if (!other->fmu)
        return feed.from->value
                   ? yk_ssp_convert(ssp, e->fmu, v, feed.from->value, &feed,
                                    &own->text[c->variable], err)
                   : YOKE_OK;
    from = &other->fmu->description->variable[feed.from->variable];
    if (v->causality != YK_FMU_INPUT) return refuse_computed(c, &feed, err);
    YK_TRY(check_signal(c, v, from, &feed, err));
    own->fed[c->variable] = true;
    ports_of(all, ssp->components.count, other)->read[feed.from->variable] =
        true;
    return put_signal(signals, e, v, other, from, &feed, err);
}

static yoke_status take_component(yk_ssp *ssp, ports *all, ports *own,
                                  yk_text *signals, yoke_err *err)
{
    yk_ssp_element *e = own->element;
    const yk_fmu_description *d = e->fmu->description;

    for (int i = 0; i < d->variables; i++)
        if (e->value[i])
            YK_TRY(yk_ssp_convert(ssp, e->fmu, &d->variable[i], e->value[i],
                                  NULL, &own->text[i], err));
    for (int i = 0; i < e->connectors.count; i++)
        YK_TRY(
            take_connector(ssp, all, own, e->connectors.item[i], signals, err));
    return YOKE_OK;
}

/* ---- subsystems -------------------------------------------------------- */

static yoke_status put_names(yk_text *b, const ports *p, const char *key,
                             const bool *listed, yoke_err *err)
{
    const yk_fmu_description *d = p->element->fmu->description;
    const char *comma = "";

    YK_TRY(yk_text_print(b, err, ",\n    %s: [", key));
    for (int i = 0; i < d->variables; i++) {
        if (!listed[i]) continue;
        YK_TRY(yk_text_print(b, err, "%s", comma));
        YK_TRY(put_quoted(b, d->variable[i].name, err));
        comma = ", ";
    }
    return yk_text_print(b, err, "]");
}

/* The outputs of the FMU, and what else is read. */
static yoke_status put_outputs(yk_text *b, const ports *p, yoke_err *err)
{
    const yk_fmu_description *d = p->element->fmu->description;
    bool more = false;

    for (int i = 0; i < d->variables; i++) {
        const bool output = d->variable[i].causality == YK_FMU_OUTPUT;

        more = more || (p->read[i] && !output);
        if (output && d->variable[i].type < YK_FMU_STRING) p->read[i] = true;
    }
    return more ? put_names(b, p, "outputs", p->read, err) : YOKE_OK;
}

static yoke_status put_values(yk_text *b, const ports *p, yoke_err *err)
{
    const yk_fmu_description *d = p->element->fmu->description;
    const char *comma = "";

    YK_TRY(yk_text_print(b, err, ",\n    parameters: {"));
    for (int i = 0; i < d->variables; i++) {
        if (!p->text[i] || p->fed[i]) continue;
        /* "? " begins a key of any length. */
        YK_TRY(yk_text_print(b, err, "%s%s", comma,
                             strlen(d->variable[i].name) > 500 ? "? " : ""));
        YK_TRY(put_quoted(b, d->variable[i].name, err));
        YK_TRY(yk_text_print(b, err, ": "));
        YK_TRY(put_quoted(b, p->text[i], err));
        comma = ", ";
    }
    return yk_text_print(b, err, "}");
}

/* Our annotation may set options, but what is said elsewhere, and nothing that
 * names a file. */
static bool is_own(const char *name)
{
    static const char *const never[] = { "start",      "stop",   "output",
                                         "fmu",        "kind",   "inputs",
                                         "parameters", "outputs" };

    return yk_texts_find(never, sizeof never / sizeof never[0], name) < 0;
}

static yoke_status put_options(yk_text *b, const yk_list *options,
                               yoke_err *err)
{
    for (int i = 0; i + 1 < options->count; i += 2) {
        if (!is_own(options->item[i])) continue;
        YK_TRY(yk_text_print(b, err, ", "));
        YK_TRY(put_quoted(b, options->item[i], err));
        YK_TRY(yk_text_print(b, err, ": "));
        YK_TRY(put_quoted(b, options->item[i + 1], err));
    }
    return YOKE_OK;
}

static yoke_status put_component(yk_text *b, const ports *p, yoke_err *err)
{
    const yk_ssp_element *e = p->element;

    YK_TRY(yk_text_print(b, err, "  "));
    YK_TRY(put_quoted(b, e->path, err));
    YK_TRY(yk_text_print(b, err, ": {fmu: "));
    YK_TRY(put_quoted(b, e->fmu->path, err));
    if (e->implementation)
        YK_TRY(yk_text_print(b, err, ", kind: %s", e->implementation));
    YK_TRY(put_options(b, &e->options, err));
    YK_TRY(put_names(b, p, "inputs", p->fed, err));
    YK_TRY(put_outputs(b, p, err));
    YK_TRY(put_values(b, p, err));
    return yk_text_print(b, err, "}\n");
}

static yoke_status put_run(yk_ssp *ssp, yk_text *b, yoke_err *err)
{
    YK_TRY(yk_text_print(b, err, "run: {start: %.17g",
                         isfinite(ssp->start) ? ssp->start : 0.0));
    if (isfinite(ssp->stop))
        YK_TRY(yk_text_print(b, err, ", stop: %.17g", ssp->stop));
    YK_TRY(put_options(b, &ssp->options, err));
    return yk_text_print(b, err, "}\n");
}

/* ---- the whole --------------------------------------------------------- */

static yoke_status make_ports(yk_ssp *ssp, ports **out, yoke_err *err)
{
    YK_TRY(YK_TAKE(&ssp->arena, out, ssp->components.count, err));
    for (int i = 0; i < ssp->components.count; i++) {
        ports *p = &(*out)[i];
        p->element = ssp->components.item[i];
        const int n = p->element->fmu->description->variables + 1;

        YK_TRY(YK_TAKE(&ssp->arena, &p->fed, n, err));
        YK_TRY(YK_TAKE(&ssp->arena, &p->read, n, err));
        YK_TRY(YK_TAKE(&ssp->arena, &p->text, n, err));
    }
    return YOKE_OK;
}

yoke_status yk_ssp_text(yk_ssp *ssp, char **text, yoke_err *err)
{
    yk_text b = { 0 }, signals = { 0 };
    ports *all = NULL;
    yoke_status status;

    YK_GO(make_ports(ssp, &all, err));
    for (int i = 0; i < ssp->components.count; i++)
        YK_GO(take_component(ssp, all, &all[i], &signals, err));
    YK_GO(yk_text_print(&b, err, "yoke: 1\nname: "));
    YK_GO(put_quoted(&b, ssp->name ? ssp->name : "", err));
    YK_GO(yk_text_print(&b, err, "\nsubsystems:\n"));
    for (int i = 0; i < ssp->components.count; i++)
        YK_GO(put_component(&b, &all[i], err));
    if (signals.length > 0)
        YK_GO(yk_text_print(&b, err, "couplings:\n%s", signals.at));
    YK_GO(put_run(ssp, &b, err));
    *text = b.at;
    b.at = NULL;
done:
    YK_FREE(b.at, signals.at);
    return status;
}
