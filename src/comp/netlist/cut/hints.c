/* comp/netlist/cut/hints.c -- the `* yoke:` lines of a netlist.
 *
 *     * yoke: partition none | cells [size] | hierarchy [depth] | auto [parts]
 *     * yoke: part NAME node...          with wildcards; the others are `rest`
 *     * yoke: cut voltage element...
 *     * yoke: cut current [first|second] element...
 *     * yoke: overlap layers
 *     * yoke: latent yes | no
 *     * yoke: stepper METHOD [step]
 */
#include "comp/netlist/cut/cut.h"

#include "base/near.h"
#include "model/names.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 1000, MOST_LAYERS = 1000, MOST_DEPTH = 64 };

typedef struct taker {
    yk_netlist *net;
    yk_file_hints *out;
    int cuts;          /* at most so many nodes are put in */
    const char **name; /* of parts, as many as there are hints */
    yk_net_place overlap_at;
    int *hand; /* of each node */
    int *line; /* of each node: where it got its part */
} taker;

static yoke_status refuse(const yk_net_hint *h, yoke_err *err)
{
    return yk_net_fail(
        err, YOKE_E_FILE, h->at,
        "\"%.40s%s%.40s%s%.40s\" after \"* yoke:\" is not known; there are "
        "partition none, partition cells [size], partition hierarchy [depth], "
        "partition auto [parts], part NAME nodes, cut voltage elements, cut "
        "current [first|second] elements, overlap layers, latent yes, latent "
        "no and stepper METHOD [step]",
        h->words > 0 ? h->word[0] : "", h->words > 1 ? " " : "",
        h->words > 1 ? h->word[1] : "", h->words > 2 ? " " : "",
        h->words > 2 ? h->word[2] : "");
}

static bool is_word(const yk_net_hint *h, int i, const char *word)
{
    return i < h->words && strcmp(h->word[i], word) == 0;
}

static yoke_status take_number(const yk_net_hint *h, int i, long most, int *out,
                               yoke_err *err)
{
    char *end = NULL;

    if (!isdigit((unsigned char)h->word[i][0])) return refuse(h, err);
    const long value = strtol(h->word[i], &end, 10);
    if (*end || value < 1 || value > most)
        return yk_net_fail(
            err, YOKE_E_FILE, h->at,
            "\"%.40s\" after \"* yoke: %.40s\" is not a number from 1 to %ld",
            h->word[i], h->word[0], most);
    *out = (int)value;
    return YOKE_OK;
}

static yoke_status take_partition(taker *t, const yk_net_hint *h, yoke_err *err)
{
    static const struct {
        const char *word;
        yk_cut cut;
        long most; /* of the number behind it; 0: there is none */
    } known[] = { { "none", YK_CUT_NONE, 0 },
                  { "cells", YK_CUT_CELLS, 1000000 },
                  { "hierarchy", YK_CUT_HIERARCHY, MOST_DEPTH },
                  { "auto", YK_CUT_AUTO, MOST_PARTS } };
    enum { KNOWN = sizeof known / sizeof *known };
    yk_partition_options *o = &t->out->o;
    int k = 0, number = 0;

    while (k < KNOWN && !is_word(h, 1, known[k].word)) k++;
    if (k == KNOWN || h->words > (known[k].most ? 3 : 2)) return refuse(h, err);
    if (h->words == 3) YK_TRY(take_number(h, 2, known[k].most, &number, err));
    o->cut = known[k].cut;
    t->out->asked = known[k].word;
    t->out->at = h->at;
    if (o->cut == YK_CUT_AUTO) o->parts = number;
    if (number > 0 && o->cut == YK_CUT_CELLS) o->size = number;
    if (number > 0 && o->cut == YK_CUT_HIERARCHY) o->depth = number;
    return YOKE_OK;
}

/* ---- parts by hand ------------------------------------------------------- */

static yoke_status no_node(const taker *t, const yk_net_hint *h,
                           const char *word, yoke_err *err)
{
    enum { LOOKED_AT = 20000 };
    const char *nearest = NULL;
    int least = 3;

    for (int n = 1; n < t->net->nodes && n < LOOKED_AT; n++) {
        if (yk_net_is_probe(t->net, n)) continue;
        const int d = yk_word_distance(word, t->net->node[n]);
        if (d >= least) continue;
        least = d;
        nearest = t->net->node[n];
    }
    return yk_net_fail(err, YOKE_E_FILE, h->at,
                       "part \"%.60s\": there is no node \"%.80s\"%s%.80s%s",
                       h->word[1], word, nearest ? "; is it \"" : "",
                       nearest ? nearest : "", nearest ? "\"?" : "");
}

static yoke_status put_node(taker *t, const yk_net_hint *h, int part, int node,
                            yoke_err *err)
{
    if (t->hand[node] >= 0 && t->hand[node] != part)
        return yk_net_fail(err, YOKE_E_FILE, h->at,
                           "node \"%.80s\" is to be in the parts \"%.60s\" "
                           "(line %d) and \"%.60s\"; it can be in one only",
                           t->net->node[node], t->name[t->hand[node]],
                           t->line[node], h->word[1]);
    t->hand[node] = part;
    t->line[node] = h->at.line;
    return YOKE_OK;
}

static yoke_status put_nodes(taker *t, const yk_net_hint *h, int part,
                             const char *word, yoke_err *err)
{
    const bool has_star = strchr(word, '*') != NULL;
    bool found = false;

    if (!has_star) {
        const int node = yk_net_find_node(t->net, word);
        if (node < 0 || yk_net_is_probe(t->net, node))
            return no_node(t, h, word, err);
        if (node == 0)
            return yk_net_fail(err, YOKE_E_FILE, h->at,
                               "part \"%.60s\": ground is in no part",
                               h->word[1]);
        return put_node(t, h, part, node, err);
    }
    for (int n = 1; n < t->net->nodes; n++) {
        if (yk_net_is_probe(t->net, n) ||
            !yk_glob(word, strlen(word), t->net->node[n]))
            continue;
        YK_TRY(put_node(t, h, part, n, err));
        found = true;
    }
    return found ? YOKE_OK : no_node(t, h, word, err);
}

/* Names stand in schedules and in front of variables: "a + b > c", "a.v(n)". */
static yoke_status check_name(const yk_net_hint *h, yoke_err *err)
{
    const char *name = h->word[1];
    bool good = isalpha((unsigned char)name[0]) || name[0] == '_';

    for (const char *p = name; *p; p++)
        good = good && (isalnum((unsigned char)*p) || *p == '_');
    if (strlen(name) > 60 || !good || strcmp(name, "rest") == 0)
        return yk_net_fail(err, YOKE_E_FILE, h->at,
                           "\"%.60s\" is not a name of a part: at most 60 "
                           "letters, digits and _, a letter first, and not "
                           "\"rest\", which has the nodes that are left over",
                           name);
    return YOKE_OK;
}

static yoke_status take_part(taker *t, const yk_net_hint *h, yoke_err *err)
{
    yk_partition_options *o = &t->out->o;
    int part = 0;

    if (h->words < 3)
        return yk_net_fail(err, YOKE_E_FILE, h->at,
                           "a part needs a name and nodes: * yoke: part amp "
                           "x1.* out");
    YK_TRY(check_name(h, err));
    if (!t->hand) {
        YK_TRY(YK_TAKE(&t->net->arena, &t->hand, t->net->nodes + t->cuts + 1,
                       err));
        YK_TRY(YK_TAKE(&t->net->arena, &t->line, t->net->nodes + 1, err));
        for (int n = 0; n <= t->net->nodes + t->cuts; n++) t->hand[n] = -1;
    }
    while (part < o->names && strcmp(t->name[part], h->word[1]) != 0) part++;
    if (part == MOST_PARTS)
        return yk_net_fail(err, YOKE_E_FILE, h->at,
                           "more than %d parts by hand", MOST_PARTS);
    t->name[part] = h->word[1];
    if (part == o->names) o->names++;
    for (int k = 2; k < h->words; k++)
        YK_TRY(put_nodes(t, h, part, h->word[k], err));
    if (!t->out->at.file) t->out->at = h->at;
    return YOKE_OK;
}

/* ---- cut elements -------------------------------------------------------- */

static yoke_status check_kind(const yk_net_hint *h, const yk_net_element *el,
                              yk_seam seam, yoke_err *err)
{
    const bool has_branch =
        strchr("vleh", el->kind) || (el->kind == 'b' && !el->is_current);

    if (seam == YK_SEAM_VOLTAGE && has_branch)
        return yk_net_fail(err, YOKE_E_FILE, h->at,
                           "%.80s has a current of its own: cut it by that, "
                           "* yoke: cut current %.80s",
                           el->name, el->name);
    if (el->kind == 't')
        return yk_net_fail(err, YOKE_E_FILE, h->at,
                           "%.80s is a line, whose ends meet after its delay "
                           "only: it needs no cut, give its ends to different "
                           "parts (* yoke: partition cells, or part NAME "
                           "nodes)",
                           el->name);
    if (!has_branch && !strchr("rcdsw", el->kind))
        return yk_net_fail(err, YOKE_E_FILE, h->at,
                           "%.80s cannot be cut; resistors, capacitors, "
                           "diodes and switches can, and by their currents "
                           "inductors and voltage sources",
                           el->name);
    return YOKE_OK;
}

static yoke_status take_element(taker *t, const yk_net_hint *h,
                                const char *name, yk_seam seam, bool open,
                                yoke_err *err)
{
    yk_file_hints *out = t->out;
    int e = yk_net_find_element(t->net, name);

    if (e < 0)
        return yk_net_fail(err, YOKE_E_FILE, h->at,
                           "there is no element \"%.80s\" that could be cut "
                           "(inside a subcircuit x1 it is called r.x1.r1)",
                           name);
    const yk_net_element *el = &t->net->element[e];
    YK_TRY(check_kind(h, el, seam, err));
    for (int k = 0; k < out->wishes; k++)
        if (strcmp(out->wish[k].name, name) == 0)
            return yk_net_fail(err, YOKE_E_FILE, h->at,
                               "%.80s is cut twice, here and in line %d", name,
                               out->wish[k].at.line);
    if (seam != YK_SEAM_VOLTAGE && strchr("rcdsw", el->kind)) {
        const int second = el->node[1];
        YK_TRY(yk_net_put_source(t->net, e, &e, err));
        if (t->hand) t->hand[t->net->nodes - 1] = t->hand[second];
    }
    out->wish[out->wishes++] = (yk_seam_wish){ e, name, h->at, open };
    out->seam[e] = seam;
    return YOKE_OK;
}

static yoke_status take_cut(taker *t, const yk_net_hint *h, yoke_err *err)
{
    yk_seam seam = YK_SEAM_VOLTAGE;
    bool open = false;
    int at = 2;

    if (is_word(h, 1, "current")) {
        seam = is_word(h, 2, "first") ? YK_SEAM_FIRST : YK_SEAM_SECOND;
        open = !is_word(h, 2, "first") && !is_word(h, 2, "second");
        at += !open;
    } else if (!is_word(h, 1, "voltage"))
        return refuse(h, err);
    if (at >= h->words)
        return yk_net_fail(err, YOKE_E_FILE, h->at,
                           "no element is named after \"* yoke: cut %.40s\"",
                           h->word[1]);
    for (; at < h->words; at++)
        YK_TRY(take_element(t, h, h->word[at], seam, open, err));
    return YOKE_OK;
}

static yoke_status take_stepper(taker *t, const yk_net_hint *h, yoke_err *err)
{
    char *end = NULL;

    t->out->method = h->word[1];
    t->out->method_at = h->at;
    if (h->words < 3) return YOKE_OK;
    t->out->step = strtod(h->word[2], &end);
    if (*end || !(t->out->step > 0.0) || !isfinite(t->out->step))
        return yk_net_fail(err, YOKE_E_FILE, h->at,
                           "\"%.40s\" is not a step in seconds", h->word[2]);
    return YOKE_OK;
}

/* ---- all ----------------------------------------------------------------- */

static yoke_status take(taker *t, const yk_net_hint *h, yoke_err *err)
{
    if (h->instance != 0)
        return yk_net_fail(err, YOKE_E_FILE, h->at,
                           "\"* yoke:\" lines stand outside of subcircuits; "
                           "there nodes and elements have their full names");
    if (is_word(h, 0, "partition") && h->words >= 2)
        return take_partition(t, h, err);
    if (is_word(h, 0, "part")) return take_part(t, h, err);
    if (is_word(h, 0, "cut") && h->words >= 2) return take_cut(t, h, err);
    if (is_word(h, 0, "overlap") && h->words == 2) {
        t->overlap_at = h->at;
        return take_number(h, 1, MOST_LAYERS, &t->out->o.overlap, err);
    }
    if (is_word(h, 0, "stepper") && (h->words == 2 || h->words == 3))
        return take_stepper(t, h, err);
    if (is_word(h, 0, "latent") && h->words == 2 &&
        (is_word(h, 1, "yes") || is_word(h, 1, "no"))) {
        t->out->latent = is_word(h, 1, "yes");
        return YOKE_OK;
    }
    return refuse(h, err);
}

/* Parts by hand and partition exclude each other, as do cuts without parts and
 * partition none. */
static yoke_status combine(taker *t, yoke_err *err)
{
    yk_file_hints *out = t->out;
    yk_partition_options *o = &out->o;

    if (out->asked && t->hand)
        return yk_net_fail(
            err, YOKE_E_FILE, out->at,
            "\"part\" and \"partition %s\" cannot be used together: give the "
            "parts by hand or leave them to Yoke",
            out->asked);
    if (out->asked && o->cut == YK_CUT_NONE && out->wishes)
        return yk_net_fail(
            err, YOKE_E_FILE, out->wish[0].at,
            "\"cut\" and \"partition none\" cannot be used together");
    if (t->hand) {
        o->cut = YK_CUT_HAND;
        o->hand = t->hand;
        o->name = t->name;
        out->asked = "by hand";
    } else if (!out->asked && out->wishes) {
        o->cut = YK_CUT_SEAMS;
        out->asked = "at the elements named";
    }
    if (out->wishes) o->seam = out->seam;
    if (o->overlap && o->cut == YK_CUT_NONE)
        return yk_net_fail(err, YOKE_E_FILE, t->overlap_at,
                           "\"overlap\" needs parts that overlap: a line "
                           "\"* yoke: partition\", \"part\" or \"cut\"");
    return YOKE_OK;
}

static int count_words(const yk_netlist *net, const char *first)
{
    int count = 0;

    for (int k = 0; k < net->hints; k++)
        if (is_word(&net->hint[k], 0, first)) count += net->hint[k].words;
    return count;
}

yoke_status yk_file_take_hints(yk_netlist *net, const yk_net_task *tran,
                               yk_file_hints *out, yoke_err *err)
{
    const int cuts = count_words(net, "cut");
    taker t = { .net = net, .out = out, .cuts = cuts };

    *out = (yk_file_hints){ .o = yk_partition_defaults(),
                            .latent = !yk_net_has_mirrors(net) };
    if (tran) {
        out->span = tran->tstop - tran->tstart;
        out->uic = tran->uic;
        out->o.step = fmin(tran->tstep, out->span / 100.0);
    }
    YK_TRY(YK_TAKE(&net->arena, &t.name, net->hints + 1, err));
    YK_TRY(YK_TAKE(&net->arena, &out->wish, cuts + 1, err));
    if (cuts > 0) /* every cut may put in a source */
        YK_TRY(YK_TAKE(&net->arena, &out->seam, net->elements + cuts + 1, err));
    /* Cuts put in nodes that parts may not know: parts come first. */
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < net->hints; k++)
            if (is_word(&net->hint[k], 0, "cut") == (pass == 1))
                YK_TRY(take(&t, &net->hint[k], err));
    return combine(&t, err);
}

yoke_status yk_file_check_seams(const yk_circuit *c, const yk_file_hints *hints,
                                yoke_err *err)
{
    for (int k = 0; k < hints->wishes; k++) {
        const yk_seam_wish *w = &hints->wish[k];
        const yk_net_element *el = &c->net->element[w->element];
        for (int j = 0; j < 2; j++)
            if (!yk_circuit_has(c, el->node[j]))
                return yk_net_fail(
                    err, YOKE_E_FILE, w->at,
                    "%.80s cannot be cut: node \"%.80s\" is %s, so there is "
                    "nothing to divide",
                    w->name, c->net->node[el->node[j]],
                    el->node[j] == 0 ? "ground" : "driven by a source");
    }
    return YOKE_OK;
}

void yk_file_bridge(const yk_netlist *net, const yk_file_hints *hints,
                    double *voltage)
{
    for (int k = 0; k < hints->wishes; k++) {
        const yk_net_element *el = &net->element[hints->wish[k].element];
        if (strcmp(el->name, hints->wish[k].name) != 0)
            voltage[el->node[1]] = voltage[el->node[0]];
    }
}
