/* comp/netlist/read/command.c -- lines that begin with a dot: analyses, initial
 * values, options. */
#include "comp/netlist/read/command.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- lists in the netlist ------------------------------------------------ */

/* Room for one more in an array of the arena, by doubling. */
yoke_status yk_net_push(yk_net_reader *r, void **array, int count, size_t size,
                        yoke_err *err)
{
    void *larger = NULL;

    if (count > 0 && (count & (count - 1)) != 0) return YOKE_OK;
    YK_TRY(yk_arena_take(&r->net->arena, &larger, count ? 2 * (size_t)count : 1,
                         size, err));
    if (count) memcpy(larger, *array, (size_t)count * size);
    *array = larger;
    return YOKE_OK;
}

static yoke_status word_value(yk_net_command_parse *c, const char *what,
                              double *value, yoke_err *err)
{
    yk_net_reader *r = c->r;

    while (c->next < r->words && r->word[c->next].kind == YK_COMMA) c->next++;
    if (c->next >= r->words)
        return yk_net_fail(err, YOKE_E_ARG, c->at, "%s needs %s", c->name,
                           what);
    return yk_net_word_value(r, c->env, &r->word[c->next++], c->at, what, value,
                             err);
}

static yoke_status too_many(const yk_net_command_parse *c, yoke_err *err)
{
    const yk_net_word *w = &c->r->word[c->next];

    if (c->next >= c->r->words) return YOKE_OK;
    return yk_net_fail(err, YOKE_E_ARG, yk_net_at(c->r, c->at, w->text),
                       "%s: unexpected word \"%.*s\"", c->name,
                       w->length > 80 ? 80 : w->length, w->text);
}

/* ---- analyses ------------------------------------------------------------ */

static yoke_status add_task(yk_net_command_parse *c, const yk_net_task *task,
                            yoke_err *err)
{
    yk_netlist *net = c->r->net;

    YK_TRY(too_many(c, err));
    YK_TRY(
        yk_net_push(c->r, (void **)&net->task, net->tasks, sizeof *task, err));
    net->task[net->tasks++] = *task;
    return YOKE_OK;
}

static yoke_status read_op(yk_net_command_parse *c, yoke_err *err)
{
    const yk_net_task task = { .kind = YK_TASK_OP, .at = c->at };

    return add_task(c, &task, err);
}

static bool tran_number(const yk_net_command_parse *c)
{
    static const char *const word[] = { "uic", "startup", "steady", "nodiscard",
                                        "skipbp" };

    if (c->next >= c->r->words) return false;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (yk_net_is(&c->r->word[c->next], word[i])) return false;
    return true;
}

/* Behind the numbers; some are those of LTspice and PSpice. */
static yoke_status tran_words(yk_net_command_parse *c, yk_net_task *task,
                              yoke_err *err)
{
    yk_net_reader *r = c->r;

    for (; c->next < r->words && !tran_number(c); c->next++) {
        const yk_net_word *w = &r->word[c->next];
        if (yk_net_is(w, "uic") || yk_net_is(w, "skipbp"))
            task->uic = true;
        else if (!yk_net_is(w, "nodiscard"))
            YK_TRY(yk_net_warn(r->net, err, c->at,
                               ".tran: \"%.*s\" is not done; sources have "
                               "their values from the start, and the run goes "
                               "to its end",
                               w->length, w->text));
    }
    return YOKE_OK;
}

static yoke_status read_tran(yk_net_command_parse *c, yoke_err *err)
{
    yk_net_task task = { .kind = YK_TASK_TRAN, .at = c->at };
    double *const to[] = { &task.tstep, &task.tstop, &task.tstart, &task.tmax };
    static const char *const what[] = { "a step", "an end", "a start",
                                        "a largest step" };
    yk_net_reader *r = c->r;

    int k = 0;
    for (; k < 4 && (k == 0 || tran_number(c)); k++)
        YK_TRY(word_value(c,
                          k == 0 && c->next + 1 >= r->words ? what[1] : what[k],
                          to[k], err));
    if (k == 1) { /* the end alone, as LTspice has it */
        task.tstop = task.tstep;
        task.tstep = 0.0;
    }
    YK_TRY(tran_words(c, &task, err));
    if (task.tstep == 0.0) task.tstep = task.tstop / 1000.0;
    if (!(task.tstep > 0.0) || !(task.tstop > 0.0) || !(task.tstart >= 0.0) ||
        !(task.tmax >= 0.0) || !(task.tstart < task.tstop))
        return yk_net_fail(err, YOKE_E_ARG, c->at,
                           "%s: step %g, end %g, start %g, largest step %g: "
                           "step and end must be positive, the start before "
                           "the end",
                           c->name, task.tstep, task.tstop, task.tstart,
                           task.tmax);
    return add_task(c, &task, err);
}

static yoke_status read_dc(yk_net_command_parse *c, yoke_err *err)
{
    yk_net_task task = { .kind = YK_TASK_DC, .at = c->at };
    yk_net_reader *r = c->r;

    for (int k = 0; k < 2 && (k == 0 || c->next < r->words); k++) {
        yk_net_sweep *s = &task.sweep[k];
        if (c->next >= r->words || r->word[c->next].kind != YK_NET_WORD)
            return yk_net_fail(err, YOKE_E_ARG, c->at,
                               "%s needs source, start, stop, step", c->name);
        YK_TRY(yk_net_copy(&r->net->arena, &s->name, r->word[c->next].text,
                           r->word[c->next].length, err));
        c->next++;
        YK_TRY(word_value(c, "a start", &s->start, err));
        YK_TRY(word_value(c, "a stop", &s->stop, err));
        YK_TRY(word_value(c, "a step", &s->step, err));
        if (s->step == 0.0 || (s->stop - s->start) * s->step < 0.0)
            return yk_net_fail(err, YOKE_E_ARG, c->at,
                               "%s: the step %g does not lead from %g to %g",
                               c->name, s->step, s->start, s->stop);
        if (fabs((s->stop - s->start) / s->step) > 1e8)
            return yk_net_fail(err, YOKE_E_ARG, c->at,
                               "%s: more than 1e8 points from %g to %g by %g",
                               c->name, s->start, s->stop, s->step);
        task.sweeps++;
    }
    return add_task(c, &task, err);
}

static yoke_status read_ac(yk_net_command_parse *c, yoke_err *err)
{
    yk_net_task task = { .kind = YK_TASK_AC, .at = c->at };
    yk_net_reader *r = c->r;
    const yk_net_word *w = c->next < r->words ? &r->word[c->next] : NULL;
    double points;

    if (!w ||
        !(yk_net_is(w, "dec") || yk_net_is(w, "oct") || yk_net_is(w, "lin")))
        return yk_net_fail(err, YOKE_E_ARG, c->at,
                           "%s needs dec, oct or lin, a number of points and "
                           "two frequencies",
                           c->name);
    task.scale = w->text[0];
    c->next++;
    YK_TRY(word_value(c, "a number of points", &points, err));
    YK_TRY(word_value(c, "a first frequency", &task.fstart, err));
    YK_TRY(word_value(c, "a last frequency", &task.fstop, err));
    if (!(points >= 1.0 && points <= 1e8) || !(task.fstop >= task.fstart) ||
        !(task.fstart >= 0.0) || (task.scale != 'l' && task.fstart == 0.0))
        return yk_net_fail(err, YOKE_E_ARG, c->at,
                           "%s: %g points from %g to %g Hz is not possible",
                           c->name, points, task.fstart, task.fstop);
    task.points = (int)points;
    return add_task(c, &task, err);
}

/* ---- .ic, .nodeset ------------------------------------------------------- */

/* v(node) = value ... */
static yoke_status read_levels(yk_net_command_parse *c, yoke_err *err)
{
    yk_net_reader *r = c->r;
    const bool is_ic = strcmp(c->name, ".ic") == 0;

    while (c->next < r->words) {
        const yk_net_word *w = &r->word[c->next];
        yk_net_pending_level level = { .is_ic = is_ic, .at = c->at };
        if (w->kind == YK_COMMA) {
            c->next++;
            continue;
        }
        if (c->next + 5 >= r->words || !yk_net_is(w, "v") ||
            w[1].kind != YK_OPEN || w[2].kind != YK_NET_WORD ||
            w[3].kind != YK_CLOSE || w[4].kind != YK_EQUALS)
            return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, c->at, w->text),
                               "%s: expected v(node) = value at \"%.40s\"",
                               c->name, w->text);
        YK_TRY(yk_net_node_later(r, c->env, w[2].text, w[2].length, c->at,
                                 &level.node, &level.name, err));
        c->next += 5;
        YK_TRY(word_value(c, "a value", &level.value, err));
        YK_TRY(YK_GROW(&r->level, &r->level_room, r->levels + 1, err));
        r->level[r->levels++] = level;
    }
    return YOKE_OK;
}

/* As in ngspice no failure. */
static yoke_status warn_of_level(const yk_net_reader *r,
                                 const yk_net_pending_level *level,
                                 yoke_err *err)
{
    enum { LOOK = 20000 };
    char room[100];
    yk_net_near near = { .wanted = level->name };

    for (int i = 0; i < r->net->nodes && i < LOOK; i++)
        yk_net_near_try(&near, r->net->node[i]);
    return yk_net_warn(r->net, err, level->at,
                       "%s of v(%.80s) is ignored: there is no such node%s",
                       level->is_ic ? ".ic" : ".nodeset", level->name,
                       yk_net_near_text(&near, room, sizeof room));
}

static yoke_status finish_levels(yk_net_reader *r, yoke_err *err)
{
    yk_netlist *net = r->net;

    for (int i = 0; i < r->levels; i++) {
        const yk_net_pending_level *level = &r->level[i];
        yk_net_level **list = level->is_ic ? &net->ic : &net->nodeset;
        int *count = level->is_ic ? &net->ics : &net->nodesets;
        const int node =
            level->name ? yk_names_find(r->nodes, level->name) : level->node;
        if (node < 0) {
            YK_TRY(warn_of_level(r, level, err));
            continue;
        }
        YK_TRY(yk_net_push(r, (void **)list, *count, sizeof **list, err));
        (*list)[(*count)++] = (yk_net_level){ node, level->value, level->at };
    }
    return YOKE_OK;
}

/* ---- .options, .temp ----------------------------------------------------- */

static yoke_status add_option(yk_net_command_parse *c, const char *name,
                              int length, double value, yoke_err *err)
{
    yk_netlist *net = c->r->net;
    const char *copy;

    YK_TRY(yk_net_copy(&net->arena, &copy, name, length, err));
    YK_TRY(yk_net_push(c->r, (void **)&net->option, net->options,
                       sizeof *net->option, err));
    net->option[net->options++] = (yk_net_param){ copy, value, c->at };
    if (strcmp(copy, "temp") == 0) c->r->temper = value;
    return YOKE_OK;
}

/* .options maxelements, which bounds what subcircuits expand to. */
static yoke_status take_most(yk_net_command_parse *c, double value,
                             yoke_err *err)
{
    if (!(value >= 1.0 && value <= YK_NET_MOST))
        return yk_net_fail(err, YOKE_E_ARG, c->at,
                           "maxelements = %g is not in 1 .. %d", value,
                           YK_NET_MOST);
    c->r->net->most = (int)value;
    return YOKE_OK;
}

static yoke_status method_value(yk_net_command_parse *c, const yk_net_word *w,
                                double *value, yoke_err *err)
{
    *value = yk_net_is(w, "gear") ? 1.0 : 0.0;
    if (*value == 1.0 || yk_net_is(w, "trap") || yk_net_is(w, "trapezoidal"))
        return YOKE_OK;
    return yk_net_fail(err, YOKE_E_ARG, yk_net_at(c->r, c->at, w->text),
                       "method \"%.*s\" is neither trap nor gear", w->length,
                       w->text);
}

static bool is_one_of(const yk_net_word *w, const char *const *names)
{
    while (*names && !yk_net_is(w, *names)) names++;
    return *names != NULL;
}

/* Options of the solvers of SPICE, ngspice, LTspice and PSpice mean nothing here;
 * a name that none of them has is a slip.  Without a number ours would be 1. */
static yoke_status check_option(yk_net_command_parse *c, const yk_net_word *w,
                                bool has_value, yoke_err *err)
{
    static const char *const ours[] = { "reltol",      "vntol",  "temp",
                                        "tnom",        "gmin",   "scale",
                                        "cshunt",      "rshunt", "linesections",
                                        "maxelements", "meyer",  "nudge",
                                        "defl",        "defw",   NULL };
    static const char *const theirs[] = { "abstol",
                                          "chgtol",
                                          "trtol",
                                          "pivtol",
                                          "pivrel",
                                          "itl1",
                                          "itl2",
                                          "itl3",
                                          "itl4",
                                          "itl5",
                                          "itl6",
                                          "defad",
                                          "defas",
                                          "method",
                                          "maxord",
                                          "gminsteps",
                                          "srcsteps",
                                          "gmindc",
                                          "savecurrents",
                                          "interp",
                                          "acct",
                                          "list",
                                          "node",
                                          "nodes",
                                          "nopage",
                                          "nomod",
                                          "noopiter",
                                          "noacct",
                                          "noinit",
                                          "norefvalue",
                                          "opts",
                                          "probe",
                                          "post",
                                          "ingold",
                                          "numdgt",
                                          "plotwinsize",
                                          "cptime",
                                          "limpts",
                                          "lvlcod",
                                          "lvltim",
                                          "limtim",
                                          "width",
                                          "warn",
                                          "brief",
                                          "noecho",
                                          "nobias",
                                          "expand",
                                          "library",
                                          "dcap",
                                          "klu",
                                          "sparse",
                                          "keepopinfo",
                                          "trytocompact",
                                          "badmos3",
                                          "oldlimit",
                                          "minbreak",
                                          "mintimestep",
                                          "rawfile",
                                          "autostop",
                                          "rseries",
                                          "solver",
                                          "topologycheck",
                                          "seed",
                                          "seedinfo",
                                          "xmu",
                                          "xtrtol",
                                          "convstep",
                                          "ramptime",
                                          "indverbosity",
                                          "baudrate",
                                          "fastaccess",
                                          "maxclocks",
                                          "nomarch",
                                          "skipgmin",
                                          "stepgmin",
                                          "advconv",
                                          "numthread",
                                          "minstep",
                                          "maxstep",
                                          "measdgt",
                                          "gshunt",
                                          "rmin",
                                          "digfreq",
                                          "digmntymx",
                                          "threads",
                                          "ptrantau",
                                          "ptranmax",
                                          "trapratio",
                                          "debugtran",
                                          "csdf",
                                          "captab",
                                          "hier_delim",
                                          "unixcom",
                                          "scalm",
                                          "dv",
                                          "reltran",
                                          "relv",
                                          "reli",
                                          "absv",
                                          "absi",
                                          NULL };

    if (is_one_of(w, ours))
        return has_value ? YOKE_OK
                         : yk_net_fail(err, YOKE_E_ARG,
                                       yk_net_at(c->r, c->at, w->text),
                                       "option \"%.*s\" has no value",
                                       w->length, w->text);
    if (is_one_of(w, theirs)) return YOKE_OK;
    return yk_net_warn(c->r->net, err, yk_net_at(c->r, c->at, w->text),
                       "there is no option \"%.*s\": it is ignored",
                       w->length > 60 ? 60 : w->length, w->text);
}

static yoke_status read_options(yk_net_command_parse *c, yoke_err *err)
{
    yk_net_reader *r = c->r;

    while (c->next < r->words) {
        const yk_net_word *w = &r->word[c->next++];
        double value = 1.0;
        int used = 0;
        if (w->kind == YK_COMMA) continue;
        if (w->kind != YK_NET_WORD)
            return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, c->at, w->text),
                               "%s: \"%.*s\" is not a name of an option",
                               c->name, w->length, w->text);
        const bool has_value =
            c->next < r->words && r->word[c->next].kind == YK_EQUALS;
        if (has_value) {
            const yk_net_word *v = &r->word[++c->next];
            if (c->next >= r->words)
                return yk_net_fail(
                    err, YOKE_E_ARG, yk_net_at(r, c->at, w->text),
                    "option \"%.*s\" has no value", w->length, w->text);
            c->next++;
            if (v->kind == YK_NET_WORD)
                yk_net_number(v->text, v->length, &used);
            if (yk_net_is(w, "method")) {
                YK_TRY(method_value(c, v, &value, err));
            } else if (v->kind == YK_NET_WORD && used == 0 &&
                       !yk_net_find_slot(c->env, v->text, v->length)) {
                YK_TRY(yk_net_warn(r->net, err, c->at,
                                   "option \"%.*s\" is ignored: its value is "
                                   "a word",
                                   w->length, w->text));
                continue;
            } else {
                YK_TRY(yk_net_word_value(r, c->env, v, c->at, "option", &value,
                                         err));
            }
        }
        YK_TRY(check_option(c, w, has_value, err));
        if (yk_net_is(w, "maxelements")) YK_TRY(take_most(c, value, err));
        YK_TRY(add_option(c, w->text, w->length, value, err));
    }
    return YOKE_OK;
}

static yoke_status read_temp(yk_net_command_parse *c, yoke_err *err)
{
    double value;

    YK_TRY(word_value(c, "a temperature", &value, err));
    if (c->next < c->r->words) {
        double other;
        while (c->next < c->r->words)
            YK_TRY(word_value(c, "a temperature", &other, err));
        YK_TRY(yk_net_warn(c->r->net, err, c->at,
                           ".temp: only the first of several temperatures is "
                           "simulated, %g",
                           value));
    }
    return add_option(c, "temp", 4, value, err);
}

static bool is_option_line(const char *text)
{
    return strncmp(text, ".opt", 4) == 0 || strncmp(text, ".temp", 5) == 0;
}

yoke_status yk_net_option_line(yk_net_reader *r, yk_net_env *env,
                               const yk_net_line *line, yoke_err *err)
{
    yk_net_command_parse c = { .r = r, .env = env, .at = line->at, .next = 1 };

    YK_TRY(yk_net_split(r, line->text, line->at, err));
    const bool temp = yk_net_is(&r->word[0], ".temp");
    c.name = temp ? ".temp" : ".options";
    return temp ? read_temp(&c, err) : read_options(&c, err);
}

yoke_status yk_net_options(yk_net_reader *r, yk_net_env *env, yoke_err *err)
{
    bool control = false;

    for (int i = 0; i < r->top->bodies; i++) {
        const yk_net_line *line = &r->line[r->top->body[i]];
        if (strncmp(line->text, ".control", 8) == 0) control = true;
        if (strncmp(line->text, ".endc", 5) == 0) control = false;
        if (control || !is_option_line(line->text)) continue;
        yoke_err why = { YOKE_OK, "" };
        YK_TRY(yk_net_problem(
            r, line, false, yk_net_option_line(r, env, line, &why), &why, err));
    }
    return YOKE_OK;
}

/* ---- the list of commands ------------------------------------------------ */

static yoke_status done_before(yk_net_command_parse *c, yoke_err *err)
{
    if (c->env->parent)
        return yk_net_fail(err, YOKE_E_ARG, c->at,
                           "%s cannot stand in a subcircuit", c->name);
    return YOKE_OK;
}

static yoke_status ignore(yk_net_command_parse *c, yoke_err *err)
{
    return yk_net_warn(c->r->net, err, c->at, "%s is ignored", c->name);
}

static yoke_status read_title(yk_net_command_parse *c, yoke_err *err)
{
    const char *text = c->line->text + strlen(c->name);

    while (isspace((unsigned char)*text)) text++;
    return yk_net_copy(&c->r->net->arena, &c->r->net->title, text,
                       (int)strlen(text), err);
}

static yoke_status refuse(yk_net_command_parse *c, yoke_err *err)
{
    return yk_net_fail(err, YOKE_E_MISSING,
                       yk_net_at(c->r, c->at, c->line->text),
                       "%s is not supported", c->name);
}

static yoke_status silent(yk_net_command_parse *c, yoke_err *err)
{
    (void)c, (void)err;
    return YOKE_OK;
}

yoke_status yk_net_skip_request(yk_net_command_parse *c, yoke_err *err)
{
    return yk_net_warn(c->r->net, err, c->at,
                       "%s is not done; the circuit and the other analyses "
                       "are as written",
                       c->name);
}

static yoke_status skip_steps(yk_net_command_parse *c, yoke_err *err)
{
    return yk_net_warn(c->r->net, err, c->at,
                       "%s is not done: the results are those of the circuit "
                       "as written%s; `yoke sweep` varies values",
                       c->name,
                       strcmp(c->name, ".step") == 0
                           ? ", with its first value where .param has none"
                           : "");
}

static const struct {
    const char *name;
    yoke_status (*read)(yk_net_command_parse *c, yoke_err *err);
    bool anywhere; /* in a subcircuit too */
} commands[] = {
    { ".op", read_op, false },
    { ".tran", read_tran, false },
    { ".dc", read_dc, false },
    { ".ac", read_ac, false },
    { ".ic", read_levels, true },
    { ".nodeset", read_levels, true },
    { ".print", yk_net_print, false },
    { ".plot", yk_net_print, false },
    { ".save", yk_net_save, false },
    { ".probe", yk_net_save, false },
    { ".probe/csdf", yk_net_save, false }, /* of PSpice: a format */
    { ".probe64", yk_net_save, false },
    { ".measure", yk_net_measure_line, false },
    { ".meas", yk_net_measure_line, false },
    { ".options", done_before, false },
    { ".option", done_before, false },
    { ".opt", done_before, false },
    { ".temp", done_before, false },
    { ".title", read_title, false },
    { ".width", ignore, true },
    { ".protect", ignore, true },
    { ".unprotect", ignore, true },
    { ".prot", ignore, true },
    { ".unprot", ignore, true },
    { ".endc", refuse, true },
    { ".csparam", silent, true }, /* a value for scripts */
    { ".backanno", silent, true },
    { ".tf", yk_net_skip_request, true },
    { ".noise", yk_net_skip_request, true },
    { ".four", yk_net_skip_request, true },
    { ".fourier", yk_net_skip_request, true },
    { ".pz", yk_net_skip_request, true },
    { ".sens", yk_net_skip_request, true },
    { ".disto", yk_net_skip_request, true },
    { ".pss", yk_net_skip_request, true },
    { ".sp", yk_net_skip_request, true },
    { ".hb", yk_net_skip_request, true },
    { ".fft", yk_net_skip_request, true },
    { ".net", yk_net_skip_request, true },
    { ".wave", yk_net_skip_request, true },
    { ".savebias", yk_net_skip_request, true },
    { ".graph", ignore, true },
    { ".autoconverge", ignore, true }, /* of PSpice: options of its solver */
    { ".elseif", refuse, true },
    { ".else", refuse, true },
    { ".endif", refuse, true },
    { ".alter", refuse, true },
    { ".data", refuse, true },
    { ".step", skip_steps, true },
    { ".mc", skip_steps, true },
    { ".wcase", skip_steps, true },
    { ".connect", refuse, true },
    { ".hdl", refuse, true },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static yoke_status unknown_command(const yk_net_reader *r, yk_net_place at,
                                   yoke_err *err)
{
    char wanted[60], room[100];
    yk_net_near near = { .wanted = wanted };

    snprintf(wanted, sizeof wanted, "%.*s", r->word[0].length, r->word[0].text);
    yk_net_near_try(&near, ".end");
    for (int i = 0; i < COMMANDS; i++) yk_net_near_try(&near, commands[i].name);
    return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, at, r->word[0].text),
                       "there is no command \"%s\"%s", wanted,
                       yk_net_near_text(&near, room, sizeof room));
}

/* `dot` is false for commands between .control and .endc. */
yoke_status yk_net_run_command(yk_net_reader *r, yk_net_env *env,
                               const yk_net_line *line, bool dot, bool *found,
                               yoke_err *err)
{
    yk_net_command_parse c = {
        .r = r, .env = env, .line = line, .at = line->at, .next = 1
    };

    *found = false;
    for (int i = 0; i < COMMANDS; i++) {
        if (!yk_net_is(&r->word[0], commands[i].name + !dot)) continue;
        *found = true;
        c.name = commands[i].name;
        if (env->parent && !commands[i].anywhere)
            return yk_net_fail(err, YOKE_E_ARG,
                               yk_net_at(r, line->at, r->word[0].text),
                               "%s cannot stand in a subcircuit", c.name);
        return commands[i].read(&c, err);
    }
    return YOKE_OK;
}

yoke_status yk_net_command(yk_net_reader *r, yk_net_env *env,
                           const yk_net_line *line, yoke_err *err)
{
    bool found;

    YK_TRY(yk_net_run_command(r, env, line, true, &found, err));
    return found ? YOKE_OK : unknown_command(r, line->at, err);
}

/* ---- at the end ---------------------------------------------------------- */

static yoke_status check_sweep(const yk_net_reader *r, const yk_net_task *task,
                               const yk_net_sweep *s, yoke_err *err)
{
    if (strcmp(s->name, "temp") == 0) {
        if (!r->temper_used.file) return YOKE_OK;
        return yk_net_fail(err, YOKE_E_ARG, task->at,
                           "a sweep over the temperature is not possible: an "
                           "expression at %s:%d depends on it",
                           r->temper_used.file, r->temper_used.line);
    }
    const int e = yk_net_find_element(r->net, s->name);
    if (e < 0)
        return yk_net_fail(err, YOKE_E_ARG, task->at,
                           "there is no source \"%s\" to sweep", s->name);
    if (!strchr("vir", r->net->element[e].kind))
        return yk_net_fail(err, YOKE_E_ARG, task->at,
                           "\"%s\" is neither a source nor a resistor",
                           s->name);
    return YOKE_OK;
}

/* A node that stands in expressions only would be free. */
static yoke_status check_nodes(yk_net_reader *r, yoke_err *err)
{
    const yk_netlist *net = r->net;
    char *touched = NULL;
    int free_node = -1;

    YK_TRY(YK_NEW(&touched, net->nodes, err));
    touched[0] = 1;
    for (int i = 0; i < net->elements; i++)
        for (int k = 0; k < net->element[i].nodes; k++)
            touched[net->element[i].node[k]] = 1;
    for (int i = 0; i < net->instances; i++)
        for (int k = 0; k < net->instance[i].ports; k++)
            touched[net->instance[i].port[k]] |= 2;
    for (int i = net->nodes - 1; i >= 0; i--)
        if (!touched[i]) free_node = i;
    yk_free(touched);
    if (free_node < 0) return YOKE_OK;
    return yk_net_fail(err, YOKE_E_ARG, net->node_at[free_node],
                       "no element is connected with node \"%s\"",
                       net->node[free_node]);
}

yoke_status yk_net_finish(yk_net_reader *r, yoke_err *err)
{
    YK_TRY(finish_levels(r, err));
    for (int i = 0; i < r->net->tasks; i++)
        for (int k = 0; k < r->net->task[i].sweeps; k++)
            YK_TRY(check_sweep(r, &r->net->task[i], &r->net->task[i].sweep[k],
                               err));
    return check_nodes(r, err);
}
