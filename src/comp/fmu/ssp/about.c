/* comp/fmu/ssp/about.c -- what a package says of itself, for `yoke info`. */
#include "base/text.h"
#include "comp/fmu/ssp/ssp.h"

#include <stdio.h>
#include <string.h>

static yoke_status note_variants(yk_ssp *ssp, yoke_err *err)
{
    char list[700] = "";

    if (!ssp->variant)
        return yk_ssp_say(ssp, &ssp->notes, err, "SSP %d.0 description",
                          ssp->version);
    for (int i = 0; i < ssp->variants.count; i++) {
        const char *name = ssp->variants.item[i];
        if (strcmp(name, ssp->variant) != 0)
            yk_append(list, sizeof list, "%s%s",
                      list[0] ? ", " : "; other variants (--variant): ", name);
    }
    return yk_ssp_say(ssp, &ssp->notes, err, "SSP %d.0 package, %s%s",
                      ssp->version, ssp->variant, list);
}

/* An output of the system is what feeds it. */
static yoke_status note_output(yk_ssp *ssp, yk_ssp_connector *c, yoke_err *err)
{
    char factor[40] = "", offset[40] = "";
    yk_ssp_feed feed;

    if (!c->from) return YOKE_OK;
    YK_TRY(yk_ssp_trace(ssp, c, &feed, err));
    if (feed.factor != 1.0)
        snprintf(factor, sizeof factor, "%.12g*", feed.factor);
    if (feed.offset != 0.0)
        snprintf(offset, sizeof offset, " %+.12g", feed.offset);
    return yk_ssp_say(
        ssp, &ssp->notes, err, "output %.200s = %s%.200s%s%.200s%s%s%.60s",
        c->name, factor, feed.from->owner->path ? feed.from->owner->path : "",
        feed.from->owner->path ? "." : "", feed.from->name, offset,
        c->unit ? " in " : "", c->unit ? c->unit : "");
}

static yoke_status note_input(yk_ssp *ssp, const yk_ssp_connector *c,
                              yoke_err *err)
{
    if (c->value)
        return yk_ssp_say(ssp, &ssp->notes, err, "%s %.200s = %.200s%s%.60s",
                          yk_ssp_kind_name(c->kind), c->name, c->value->text,
                          c->value->unit ? " " : "",
                          c->value->unit ? c->value->unit : "");
    return yk_ssp_say(ssp, &ssp->notes, err,
                      "%s %.200s has no value: what it feeds keeps its own",
                      yk_ssp_kind_name(c->kind), c->name);
}

yoke_status yk_ssp_about(yk_ssp *ssp, yoke_err *err)
{
    YK_TRY(note_variants(ssp, err));
    for (int i = 0; i < ssp->root->connectors.count; i++) {
        yk_ssp_connector *c = ssp->root->connectors.item[i];
        const bool takes = c->kind == YK_SSP_INPUT ||
                           c->kind == YK_SSP_PARAMETER ||
                           c->kind == YK_SSP_STRUCTURAL;

        YK_TRY(takes ? note_input(ssp, c, err) : note_output(ssp, c, err));
    }
    return YOKE_OK;
}
