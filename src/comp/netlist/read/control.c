/* comp/netlist/read/control.c -- the commands between .control and .endc.
 *
 * They are a program of ngspice's shell.  Here they are read, not run: what
 * asks for an analysis or a vector is taken as if it stood outside with a dot,
 * let is kept for the vectors behind it (vector.c), what else computes something
 * from results (fft, if ...) is left out with one warning, what shows or writes
 * pictures is left out in silence.
 *
 * What changes the circuit decides what an analysis means, so
 *
 *     alter before any analysis    becomes the value of the element,
 *     alter after an analysis      ends what is taken: the analyses up to there
 *                                  are those of the circuit as written,
 *     a loop                       is gone through once, with the circuit as
 *                                  written, as .step is.
 *
 * The last two are warnings that name the line.
 */
#include "comp/netlist/read/command.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef enum action {
    SILENT,   /* shows or writes something, or steers the shell */
    LEFT_OUT, /* computes from results */
    LET,      /* what is kept for print, plot, meas, or left out */
    LOOP,
    END,
    CHANGE,   /* of the circuit, which is not done */
    OPTION,   /* .options */
    ALTER,    /* of an element's value */
    SET,      /* a variable of the shell */
    ANALYSIS, /* that we do */
    RUN,      /* those with a dot */
    REQUEST,  /* an analysis that we do not have */
    VECTORS,  /* print, plot */
    SAVE,
    WRITE, /* vectors to a file */
    MEASURE,
    FOREIGN /* another circuit or device */
} action;

static const struct {
    const char *name;
    action what;
} table[] = {
    { "run", RUN },
    { "op", ANALYSIS },
    { "tran", ANALYSIS },
    { "dc", ANALYSIS },
    { "ac", ANALYSIS },
    { "noise", REQUEST },
    { "tf", REQUEST },
    { "pz", REQUEST },
    { "sens", REQUEST },
    { "disto", REQUEST },
    { "pss", REQUEST },
    { "sp", REQUEST },
    { "print", VECTORS },
    { "plot", VECTORS },
    { "asciiplot", VECTORS },
    { "iplot", VECTORS },
    { "save", SAVE },
    { "probe", SAVE },
    { "write", WRITE },
    { "wrdata", WRITE },
    { "gnuplot", WRITE },
    { "hardcopy", WRITE },
    { "pyplot", WRITE },
    { "wrs2p", LEFT_OUT },
    { "meas", MEASURE },
    { "measure", MEASURE },
    { "foreach", LOOP },
    { "while", LOOP },
    { "dowhile", LOOP },
    { "repeat", LOOP },
    { "if", LOOP },
    { "end", END },
    { "else", SILENT },
    { "elseif", SILENT },
    { "break", SILENT },
    { "continue", SILENT },
    { "begin", LOOP },
    { "label", SILENT },
    { "goto", LEFT_OUT },
    { "alter", ALTER },
    { "altermod", CHANGE },
    { "alterparam", CHANGE },
    { "option", OPTION },
    { "options", OPTION },
    { "mc_source", CHANGE },
    { "reset", SILENT },
    { "set", SET },
    { "setcs", SET },
    { "pre_set", SET },
    { "let", LET },
    { "fft", LEFT_OUT },
    { "psd", LEFT_OUT },
    { "spec", LEFT_OUT },
    { "fourier", LEFT_OUT },
    { "four", LEFT_OUT },
    { "linearize", LEFT_OUT },
    { "compose", LEFT_OUT },
    { "define", LEFT_OUT },
    { "deftype", LEFT_OUT },
    { "reshape", LEFT_OUT },
    { "cross", LEFT_OUT },
    { "diff", LEFT_OUT },
    { "strcmp", LEFT_OUT },
    { "strstr", LEFT_OUT },
    { "strslice", LEFT_OUT },
    { "fopen", LEFT_OUT },
    { "fread", LEFT_OUT },
    { "fclose", LEFT_OUT },
    { "step", LEFT_OUT },
    { "stop", LEFT_OUT },
    { "resume", LEFT_OUT },
    { "trace", LEFT_OUT },
    { "cutout", LEFT_OUT },
    { "load", LEFT_OUT },
    { "state", SILENT },
    { "quit", SILENT },
    { "exit", SILENT },
    { "echo", SILENT },
    { "rusage", SILENT },
    { "display", SILENT },
    { "listing", SILENT },
    { "version", SILENT },
    { "status", SILENT },
    { "setplot", SILENT },
    { "destroy", SILENT },
    { "unset", SILENT },
    { "unlet", SILENT },
    { "settype", SILENT },
    { "setscale", SILENT },
    { "remzerovec", SILENT },
    { "show", SILENT },
    { "showmod", SILENT },
    { "inventory", SILENT },
    { "undefine", SILENT },
    { "transpose", SILENT },
    { "delete", SILENT },
    { "shell", SILENT },
    { "cd", SILENT },
    { "getcwd", SILENT },
    { "alias", SILENT },
    { "unalias", SILENT },
    { "history", SILENT },
    { "help", SILENT },
    { "shift", SILENT },
    { "rehash", SILENT },
    { "bug", SILENT },
    { "where", SILENT },
    { "eprint", SILENT },
    { "remcirc", SILENT },
    { "setcirc", SILENT },
    { "xgraph", SILENT },
    { "bltplot", SILENT },
    { "check_ifparm", SILENT },
    { "mdump", SILENT },
    { "devhelp", SILENT },
    { "removecirc", SILENT },
    { "source", FOREIGN },
    { "circbyline", FOREIGN },
    { "snload", FOREIGN },
    { "edit", FOREIGN },
    { "pre_osdi", SILENT },
    { "osdi", SILENT },
    { "codemodel", SILENT },
    { "pre_codemodel", SILENT },
    { "setseed", LEFT_OUT },
    { "edisplay", SILENT },
    { "esave", SILENT },
    { "eprvcd", SILENT },
};
enum { COMMANDS = sizeof table / sizeof *table };

/* Letters of the first word. */
static int first_word(const char *text)
{
    int n = 0;

    while (text[n] && !isspace((unsigned char)text[n]) && text[n] != '=' &&
           text[n] != '(')
        n++;
    return n;
}

static bool is_name(const char *text, int length, const char *name)
{
    return strlen(name) == (size_t)length &&
           strncmp(text, name, (size_t)length) == 0;
}

/* As in ngspice no failure. */
static yoke_status unknown(yk_net_reader *r, const char *text, int length,
                           yk_net_place at, yoke_err *err)
{
    char wanted[60], room[100];
    yk_net_near near = { .wanted = wanted };

    snprintf(wanted, sizeof wanted, "%.*s", length, text);
    for (int i = 0; i < COMMANDS; i++) yk_net_near_try(&near, table[i].name);
    return yk_net_warn(r->net, err, at,
                       "there is no command \"%s\" between .control and "
                       ".endc%s",
                       wanted, yk_net_near_text(&near, room, sizeof room));
}

/* One more command for the warning at .endc. */
static void leave_out(yk_net_script *s, const char *name, yk_net_place at)
{
    const size_t used = strlen(s->left_out);

    if (s->left++ == 0) s->begun = at;
    for (const char *p = s->left_out; (p = strstr(p, name)); p++) {
        const char end = p[strlen(name)];
        if ((p == s->left_out || p[-1] == ' ') && (!end || end == ',')) return;
    }
    if (used + strlen(name) + 8 < sizeof s->left_out)
        snprintf(s->left_out + used, sizeof s->left_out - used, "%s%s",
                 used ? ", " : "", name);
}

/* ---- changes of the circuit ---------------------------------------------- */

static yoke_status refuse_alter(const yk_net_line *line, yoke_err *err)
{
    return yk_net_fail(err, YOKE_E_ARG, line->at,
                       "\"%.60s\" before the first analysis changes what is "
                       "analysed, and only `alter name = number` of R, C, L, "
                       "V, I is read here; write the value into the line of "
                       "the element or model",
                       line->text);
}

/* alter name = number, alter @name[parameter] = number. */
static yoke_status take_alter(yk_net_reader *r, const yk_net_line *line,
                              yoke_err *err)
{
    static const char *const main_values[] = { "",  "dc",        "resistance",
                                               "r", "c",         "capacitance",
                                               "l", "inductance" };
    yk_net_script *s = &r->script;
    char name[100] = "", part[40] = "";
    int used = 0;
    bool known = false;
    yk_net_alter a = { .at = line->at };

    YK_TRY(yk_net_split(r, line->text, line->at, err));
    const int last = r->words - 1;
    const bool equals = last >= 2 && r->word[last - 1].kind == YK_EQUALS;
    const int names = last - 1 - equals; /* words between alter and = */
    if (names < 1 || names > 2 || r->word[last].kind != YK_NET_WORD)
        return refuse_alter(line, err);
    const yk_net_word *w = &r->word[1];
    if (w->length > 99 || w[1].length > 39) return refuse_alter(line, err);
    if (sscanf(w->text, "@%99[^[][%39[^]]", name, part) < 1)
        snprintf(name, sizeof name, "%.*s", w->length, w->text);
    if (names == 2) snprintf(part, sizeof part, "%.*s", w[1].length, w[1].text);
    for (size_t k = 0; k < sizeof main_values / sizeof *main_values; k++)
        known |= strcmp(part, main_values[k]) == 0;
    a.value = yk_net_number(r->word[last].text, r->word[last].length, &used);
    if (!known || used != r->word[last].length) return refuse_alter(line, err);
    YK_TRY(yk_net_copy(&r->net->arena, &a.name, name, (int)strlen(name), err));
    YK_TRY(yk_net_push(r, (void **)&s->alter, s->alters, sizeof a, err));
    s->alter[s->alters++] = a;
    return YOKE_OK;
}

static yoke_status apply_alter(yk_net_reader *r, const yk_net_alter *a,
                               yoke_err *err)
{
    const int e = yk_net_find_element(r->net, a->name);
    yk_net_element *el = e >= 0 ? &r->net->element[e] : NULL;

    if (!el)
        return yk_net_fail(err, YOKE_E_ARG, a->at,
                           "alter: there is no element \"%s\"", a->name);
    if (el->source) {
        el->source->dc = a->value;
        el->source->has_dc = true;
        return YOKE_OK;
    }
    for (int k = 0; k < el->params; k++)
        if (strcmp(el->param[k].name, "value") == 0 && !el->expr &&
            el->model < 0) {
            el->param[k].value = a->value;
            return YOKE_OK;
        }
    return yk_net_fail(err, YOKE_E_ARG, a->at,
                       "alter: \"%s\" is not an R, C, L, V or I with a plain "
                       "value; write the value into its line",
                       a->name);
}

yoke_status yk_net_apply_alters(yk_net_reader *r, yoke_err *err)
{
    for (int k = 0; k < r->script.alters; k++)
        YK_TRY(apply_alter(r, &r->script.alter[k], err));
    return YOKE_OK;
}

static yoke_status change(yk_net_reader *r, const yk_net_line *line,
                          action what, yoke_err *err)
{
    yk_net_script *s = &r->script;

    if (!s->analysed && s->loops == 0)
        return what == ALTER ? take_alter(r, line, err)
                             : refuse_alter(line, err);
    if (s->altered.file) return YOKE_OK;
    s->altered = line->at;
    return yk_net_warn(r->net, err, line->at,
                       "\"%.60s\" is not done: the results are those of the "
                       "circuit as written%s; `yoke sweep` varies values",
                       line->text,
                       s->analysed ? ", and analyses after this line are left "
                                     "out"
                                   : "");
}

/* As .options, unless it comes too late. */
static yoke_status take_option(yk_net_reader *r, yk_net_env *env,
                               const yk_net_line *line, yoke_err *err)
{
    const double before = r->temper;

    if (r->script.analysed || r->script.loops > 0)
        return change(r, line, CHANGE, err);
    YK_TRY(yk_net_option_line(r, env, line, err));
    if (r->temper == before) return YOKE_OK;
    return yk_net_fail(err, YOKE_E_ARG, line->at,
                       "the temperature of the circuit is set between .control "
                       "and .endc; write it as .temp or .options temp");
}

/* Variables that the simulator reads. */
static yoke_status set_variable(yk_net_reader *r, const yk_net_line *line,
                                yoke_err *err)
{
    static const char *const heavy[] = { "temp",   "tnom",   "reltol", "abstol",
                                         "vntol",  "gmin",   "trtol",  "defl",
                                         "defw",   "scale",  "method", "chgtol",
                                         "rshunt", "cshunt", NULL };
    const char *p = line->text + first_word(line->text);

    while (isspace((unsigned char)*p)) p++;
    for (int k = 0; heavy[k]; k++)
        if (is_name(p, first_word(p), heavy[k]))
            return change(r, line, CHANGE, err);
    return YOKE_OK;
}

/* ---- analyses and results ------------------------------------------------ */

static bool same_task(const yk_net_task *a, const yk_net_task *b)
{
    if (a->kind != b->kind || a->sweeps != b->sweeps) return false;
    for (int k = 0; k < a->sweeps; k++)
        if (strcmp(a->sweep[k].name, b->sweep[k].name) != 0 ||
            a->sweep[k].start != b->sweep[k].start ||
            a->sweep[k].stop != b->sweep[k].stop ||
            a->sweep[k].step != b->sweep[k].step)
            return false;
    return a->tstep == b->tstep && a->tstop == b->tstop &&
           a->tstart == b->tstart && a->tmax == b->tmax && a->uic == b->uic &&
           a->scale == b->scale && a->points == b->points &&
           a->fstart == b->fstart && a->fstop == b->fstop;
}

/* The last analysis is dropped where there is the same before it. */
static void drop_repeated(yk_netlist *net)
{
    for (int k = 0; k + 1 < net->tasks; k++)
        if (same_task(&net->task[k], &net->task[net->tasks - 1])) {
            net->tasks--;
            return;
        }
}

/* A line as with a dot.  One that needs the values of the script is left out
 * with the reason. */
static yoke_status as_with_dot(yk_net_reader *r, yk_net_env *env,
                               const yk_net_line *line, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };
    bool found = false;

    yoke_status status = yk_net_split(r, line->text, line->at, &why);
    if (status == YOKE_OK)
        status = yk_net_run_command(r, env, line, false, &found, &why);
    if (status != YOKE_E_ARG && status != YOKE_E_MISSING)
        return status == YOKE_OK ? status
                                 : yk_fail(err, status, "%s", why.text);
    return yk_net_warn(r->net, err, line->at,
                       "\"%.80s\" is left out: it needs what the commands "
                       "before it compute (%.150s)",
                       line->text, why.text);
}

static yoke_status analysis(yk_net_reader *r, yk_net_env *env,
                            const yk_net_line *line, yoke_err *err)
{
    r->script.analysed = true;
    if (r->script.altered.file && r->script.loops == 0) return YOKE_OK;
    const int before = r->net->tasks;
    YK_TRY(as_with_dot(r, env, line, err));
    if (r->net->tasks > before) drop_repeated(r->net);
    return YOKE_OK;
}

/* The vectors of print, plot, write: those that are none are warnings later. */
static yoke_status vectors(yk_net_reader *r, yk_net_env *env,
                           const yk_net_line *line, const char *name,
                           action what, yoke_err *err)
{
    yk_net_command_parse c = { .r = r,
                               .env = env,
                               .line = line,
                               .at = line->at,
                               .name = name,
                               .next = what == WRITE ? 2 : 1 };

    if (yk_net_split(r, line->text, line->at, NULL) != YOKE_OK) return YOKE_OK;
    if (what == WRITE && r->words > 1)
        YK_TRY(yk_net_warn(r->net, err, c.at,
                           "the file of %s is not written; choose files of "
                           "results on the command line",
                           name));
    return yk_net_vectors(&c, "", err);
}

static yoke_status end_of_script(yk_net_reader *r, yoke_err *err)
{
    yk_net_script *s = &r->script;
    const int left = s->left;

    s->left = s->loops = 0;
    if (left == 0) return YOKE_OK;
    YK_TRY(yk_net_warn(r->net, err, s->begun,
                       "%d command%s of .control %s left out: %s; analyses and "
                       "vectors are taken, nothing is computed from them",
                       left, left == 1 ? "" : "s", left == 1 ? "is" : "are",
                       s->left_out));
    s->left_out[0] = '\0';
    return YOKE_OK;
}

static yoke_status loop(yk_net_reader *r, const yk_net_line *line,
                        const char *name, yoke_err *err)
{
    if (r->script.loops++ > 0 || strcmp(name, "if") == 0 ||
        strcmp(name, "begin") == 0) {
        leave_out(&r->script, name, line->at);
        return YOKE_OK;
    }
    return yk_net_warn(r->net, err, line->at,
                       "%s is gone through once, with the circuit as written; "
                       "`yoke sweep` varies values",
                       name);
}

static yoke_status act(yk_net_reader *r, yk_net_env *env,
                       const yk_net_line *line, const char *name, action what,
                       yoke_err *err)
{
    yk_net_script *s = &r->script;
    yk_net_command_parse c = {
        .r = r, .env = env, .line = line, .at = line->at, .name = name
    };

    switch (what) {
    case SILENT:
        return YOKE_OK;
    case LEFT_OUT:
        leave_out(s, name, line->at);
        return YOKE_OK;
    case LET: {
        bool taken = false;
        YK_TRY(yk_net_let_line(r, line, &taken, err));
        if (!taken) leave_out(s, name, line->at);
        return YOKE_OK;
    }
    case LOOP:
        return loop(r, line, name, err);
    case END:
        if (s->loops > 0) s->loops--;
        return YOKE_OK;
    case CHANGE:
    case ALTER:
        return change(r, line, what, err);
    case OPTION:
        return take_option(r, env, line, err);
    case SET:
        return set_variable(r, line, err);
    case RUN:
        s->analysed = true;
        return YOKE_OK;
    case ANALYSIS:
        return analysis(r, env, line, err);
    case REQUEST:
        s->analysed = true;
        return yk_net_skip_request(&c, err);
    case MEASURE:
        return s->altered.file ? YOKE_OK : as_with_dot(r, env, line, err);
    case SAVE:
        return as_with_dot(r, env, line, err);
    case VECTORS:
    case WRITE:
        return vectors(r, env, line, name, what, err);
    case FOREIGN:
        break;
    }
    return yk_net_fail(err, YOKE_E_ARG, line->at,
                       "%s between .control and .endc takes another circuit; "
                       "give that file to yoke, or use .include",
                       name);
}

yoke_status yk_net_control(yk_net_reader *r, yk_net_env *env,
                           const yk_net_line *line, yoke_err *err)
{
    const char *text = line->text;
    const int length = first_word(text);

    if (text[0] == '*') return YOKE_OK;
    if (is_name(text, length, ".endc")) return end_of_script(r, err);
    if (text[0] == '.' || !isalpha((unsigned char)text[0])) return YOKE_OK;
    for (int i = 0; i < COMMANDS; i++)
        if (is_name(text, length, table[i].name))
            return act(r, env, line, table[i].name, table[i].what, err);
    return unknown(r, text, length, line->at, err);
}
