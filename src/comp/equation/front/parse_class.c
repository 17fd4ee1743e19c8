/* comp/equation/front/parse_class.c -- classes, declarations and equations.
 *
 * What the language has and we do not is refused here by its name, as soon as
 * its first word appears.
 *
 * Reference: Modelica language specification 3.6, appendix A.2; Base Modelica,
 * Modelica change proposal MCP-0031.
 */
#include "comp/equation/front/parse.h"

#include <limits.h>
#include <string.h>

typedef struct refusal {
    const char *word, *what, *instead;
} refusal;

static yoke_status refuse_words(const yk_parser *p, const refusal *list)
{
    for (; list->word; list++)
        if (yk_parse_is(p, list->word))
            return yk_parse_refuse(p, p->now.at, list->what, list->instead);
    return YOKE_OK;
}

static yoke_status skip_balanced(yk_parser *p)
{
    const yk_place at = p->now.at;
    int depth = 0;

    do {
        if (p->now.kind == YK_TOKEN_END)
            return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, at,
                              "this annotation has no end; a ) is missing");
        if (yk_parse_is(p, "(")) depth++;
        if (yk_parse_is(p, ")")) depth--;
        YK_TRY(yk_parse_next(p));
    } while (depth > 0);
    return YOKE_OK;
}

static yoke_status skip_annotation(yk_parser *p)
{
    if (!yk_parse_is(p, "annotation")) return YOKE_OK;
    YK_TRY(yk_parse_next(p));
    if (!yk_parse_is(p, "("))
        return yk_parse_unexpected(p, "( after annotation");
    return skip_balanced(p);
}

yoke_status yk_parse_comment(yk_parser *p)
{
    while (p->now.kind == YK_TOKEN_STRING) {
        YK_TRY(yk_parse_next(p));
        if (!yk_parse_is(p, "+")) break;
        YK_TRY(yk_parse_next(p));
    }
    return skip_annotation(p);
}

/* ---- Equations and statements ------------------------------------------ */

static yoke_status parse_equation(yk_parser *p, yk_equation *q,
                                  bool statements);

static bool ends_section(const yk_parser *p)
{
    static const char *const word[] = { "end",       "equation", "initial",
                                        "algorithm", "public",   "protected",
                                        "external",  "else",     "elseif",
                                        "elsewhen",  NULL };
    const char *partition = "partition"; /* no reserved word */

    if (p->now.kind == YK_TOKEN_END) return true;
    if (p->now.kind == YK_TOKEN_NAME && p->next.kind != YK_TOKEN_SIGN)
        return strcmp(p->now.text, partition) == 0;
    if (p->now.kind != YK_TOKEN_WORD) return false;
    for (int i = 0; word[i]; i++)
        if (yk_parse_is(p, word[i])) return true;
    return false;
}

yoke_status yk_parse_equations(yk_parser *p, yk_branch *out, bool statements)
{
    yk_list list = { out->count, out->room, (void **)out->body };

    while (!ends_section(p)) {
        yk_equation *q = NULL;
        if (yk_parse_is(p, "annotation")) {
            YK_TRY(skip_annotation(p));
        } else {
            YK_TRY(YK_TAKE(p->arena, &q, 1, p->err));
            q->at = p->now.at;
            YK_TRY(parse_equation(p, q, statements));
            YK_TRY(YK_PUSH(p, &list, q));
        }
        YK_TRY(yk_parse_expect(p, ";", "the equation"));
    }
    out->count = list.count;
    out->room = list.room;
    out->body = (yk_equation **)list.item;
    return YOKE_OK;
}

static yoke_status expect_end(yk_parser *p, const char *word)
{
    YK_TRY(yk_parse_expect(p, "end", "the equations"));
    return yk_parse_expect(p, word, "end");
}

static yoke_status parse_for(yk_parser *p, yk_equation *q, bool statements)
{
    q->kind = YK_EQUATION_FOR;
    YK_TRY(yk_parse_next(p));
    YK_TRY(yk_parse_iterators(p, &q->iterators, &q->iterator));
    YK_TRY(yk_parse_expect(p, "loop", "the iterators"));
    YK_TRY(YK_TAKE(p->arena, &q->branch, 1, p->err));
    q->branches = 1;
    YK_TRY(yk_parse_equations(p, q->branch, statements));
    return expect_end(p, "for");
}

static yoke_status parse_branch(yk_parser *p, yk_branch *b, const char *then,
                                bool statements)
{
    YK_TRY(yk_parse_next(p));
    if (then) {
        YK_TRY(yk_parse_expr(p, &b->condition));
        YK_TRY(yk_parse_expect(p, then, "the condition"));
    }
    return yk_parse_equations(p, b, statements);
}

/* if ... elseif ... else ... end if, when ... elsewhen ... end when */
static yoke_status parse_branches(yk_parser *p, yk_equation *q,
                                  const char *word, const char *again,
                                  bool statements)
{
    yk_list list = { 0 };
    bool more = true;

    while (more) {
        yk_branch *b = NULL;
        const bool otherwise = yk_parse_is(p, "else");
        YK_TRY(YK_TAKE(p->arena, &b, 1, p->err));
        YK_TRY(parse_branch(p, b, otherwise ? NULL : "then", statements));
        YK_TRY(YK_PUSH(p, &list, b));
        more = !otherwise &&
               (yk_parse_is(p, again) ||
                (q->kind == YK_EQUATION_IF && yk_parse_is(p, "else")));
    }
    YK_TRY(YK_TAKE(p->arena, &q->branch, list.count, p->err));
    for (int i = 0; i < list.count; i++)
        q->branch[i] = *(yk_branch *)list.item[i];
    q->branches = list.count;
    return expect_end(p, word);
}

static yoke_status parse_equality(yk_parser *p, yk_equation *q, bool statements)
{
    const char *sign = statements ? ":=" : "=";

    YK_TRY(yk_parse_expr(p, &q->left));
    if (yk_parse_is(p, sign)) {
        q->kind = YK_EQUATION_EQUAL;
        q->at = p->now.at;
        YK_TRY(yk_parse_next(p));
        return yk_parse_expr(p, &q->right);
    }
    if (q->left->kind != YK_EXPR_CALL) return yk_parse_unexpected(p, sign);
    q->kind = YK_EQUATION_CALL;
    return YOKE_OK;
}

static yoke_status parse_connect(yk_parser *p, yk_equation *q)
{
    yk_expr *call = NULL;
    yk_list list = { 0 };

    YK_TRY(YK_TAKE(p->arena, &call, 1, p->err));
    call->kind = YK_EXPR_CALL;
    call->at = p->now.at;
    call->name = "connect";
    call->stamp = -1;
    YK_TRY(yk_parse_next(p));
    YK_TRY(yk_parse_expect(p, "(", "connect"));
    for (int i = 0; i < 2; i++) {
        yk_expr *e = NULL;
        if (i) YK_TRY(yk_parse_expect(p, ",", "the first connector"));
        YK_TRY(yk_parse_expr(p, &e));
        YK_TRY(YK_PUSH(p, &list, e));
    }
    call->count = list.count;
    call->child = (yk_expr **)list.item;
    q->kind = YK_EQUATION_CALL;
    q->left = call;
    return yk_parse_expect(p, ")", "the second connector");
}

static yoke_status parse_equation(yk_parser *p, yk_equation *q, bool statements)
{
    static const refusal refused[] = {
        { "while", "a while-loop", "use for with constant bounds" },
        { "return", "return", "end the function with its last statement" },
        { "break", "break", "use for with constant bounds" },
        { NULL, NULL, NULL }
    };

    YK_TRY(refuse_words(p, refused));
    YK_TRY(yk_parse_enter(p));
    if (yk_parse_is(p, "for")) {
        YK_TRY(parse_for(p, q, statements));
    } else if (yk_parse_is(p, "if")) {
        q->kind = YK_EQUATION_IF;
        YK_TRY(parse_branches(p, q, "if", "elseif", statements));
    } else if (yk_parse_is(p, "when")) {
        q->kind = YK_EQUATION_WHEN;
        YK_TRY(parse_branches(p, q, "when", "elsewhen", statements));
    } else if (yk_parse_is(p, "connect") && !statements) {
        YK_TRY(parse_connect(p, q));
    } else {
        bool each;
        YK_TRY(yk_parse_accept(p, "each", &each));
        YK_TRY(parse_equality(p, q, statements));
    }
    p->depth--;
    return yk_parse_comment(p);
}

/* ---- Declarations ------------------------------------------------------- */

static yoke_status parse_modification(yk_parser *p, yk_modifier *m);

static yoke_status parse_modifier(yk_parser *p, yk_modifier *m)
{
    static const refusal refused[] = {
        { "redeclare", "redeclare", "declare the component with its type" },
        { "replaceable", "replaceable", NULL },
        { NULL, NULL, NULL }
    };

    YK_TRY(yk_parse_accept(p, "each", &m->is_each));
    YK_TRY(yk_parse_accept(p, "final", &m->is_final));
    YK_TRY(refuse_words(p, refused));
    m->at = p->now.at;
    YK_TRY(yk_parse_dotted(p, &m->name, "the name of an attribute"));
    YK_TRY(parse_modification(p, m));
    return yk_parse_comment(p);
}

/* (a = 1, b(c = 2)) */
static yoke_status parse_modifiers(yk_parser *p, yk_modifier *m)
{
    yk_list list = { 0 };

    YK_TRY(yk_parse_next(p));
    bool more = !yk_parse_is(p, ")");
    while (more) {
        yk_modifier *inner = NULL;
        YK_TRY(YK_TAKE(p->arena, &inner, 1, p->err));
        YK_TRY(parse_modifier(p, inner));
        YK_TRY(YK_PUSH(p, &list, inner));
        YK_TRY(yk_parse_accept(p, ",", &more));
    }
    m->count = list.count;
    m->inner = (yk_modifier **)list.item;
    return yk_parse_expect(p, ")", "the attributes");
}

static yoke_status parse_modification(yk_parser *p, yk_modifier *m)
{
    YK_TRY(yk_parse_enter(p));
    if (yk_parse_is(p, "(")) YK_TRY(parse_modifiers(p, m));
    if (yk_parse_is(p, "=") || yk_parse_is(p, ":=")) {
        m->at = p->now.at;
        YK_TRY(yk_parse_next(p));
        YK_TRY(yk_parse_expr(p, &m->value));
    }
    p->depth--;
    return YOKE_OK;
}

static yoke_status parse_prefixes(yk_parser *p, yk_declaration *d)
{
    static const refusal refused[] = {
        { "stream", "a stream variable", "use potential and flow" },
        { "inner", "inner", "pass the value as an input" },
        { "outer", "outer", "pass the value as an input" },
        { "replaceable", "replaceable", NULL },
        { "redeclare", "redeclare", NULL },
        { NULL, NULL, NULL }
    };

    for (bool found = true; found;) {
        YK_TRY(refuse_words(p, refused));
        found = true;
        if (yk_parse_is(p, "parameter"))
            d->variability = YK_PARAMETER;
        else if (yk_parse_is(p, "constant"))
            d->variability = YK_CONSTANT;
        else if (yk_parse_is(p, "discrete"))
            d->variability = YK_DISCRETE;
        else if (yk_parse_is(p, "input"))
            d->is_input = true;
        else if (yk_parse_is(p, "output"))
            d->is_output = true;
        else if (yk_parse_is(p, "flow"))
            d->is_flow = true;
        else if (yk_parse_is(p, "final"))
            d->is_final = true;
        else
            found = false;
        if (found) YK_TRY(yk_parse_next(p));
    }
    return YOKE_OK;
}

/* One component of a clause `type a[3](start = 1) = 2, b`; `of` has the
 * prefixes and the type, whose dimensions come last. */
static yoke_status parse_component(yk_parser *p, const yk_declaration *of,
                                   yk_declaration *d)
{
    yk_list dims = { 0 };

    *d = *of;
    d->at = p->now.at;
    YK_TRY(yk_parse_name(p, &d->name, "the name of a component"));
    YK_TRY(yk_parse_subscripts(p, &dims));
    for (int i = 0; i < of->dims; i++) YK_TRY(YK_PUSH(p, &dims, of->dim[i]));
    d->dims = dims.count;
    d->dim = (yk_expr **)dims.item;
    YK_TRY(YK_TAKE(p->arena, &d->modifier, 1, p->err));
    d->modifier->name = d->name;
    d->modifier->at = d->at;
    YK_TRY(parse_modification(p, d->modifier));
    if (yk_parse_is(p, "if"))
        return yk_parse_refuse(p, p->now.at, "a conditional component",
                               "declare it always");
    if (p->now.kind == YK_TOKEN_STRING) d->text = p->now.text;
    return yk_parse_comment(p);
}

static yoke_status parse_type(yk_parser *p, yk_declaration *d)
{
    yk_list dims = { 0 };

    d->type_at = p->now.at;
    YK_TRY(yk_parse_dotted(p, &d->type, "a type"));
    YK_TRY(yk_parse_subscripts(p, &dims));
    d->dims = dims.count;
    d->dim = (yk_expr **)dims.item;
    return YOKE_OK;
}

/* parameter equation guess(x) = value; */
static yoke_status parse_guess(yk_parser *p, yk_class *c)
{
    yk_list list = { c->guesses.count, c->guesses.room,
                     (void **)c->guesses.body };
    yk_equation *q = NULL;
    bool each;

    YK_TRY(yk_parse_next(p));
    YK_TRY(YK_TAKE(p->arena, &q, 1, p->err));
    q->at = p->now.at;
    YK_TRY(yk_parse_accept(p, "each", &each));
    YK_TRY(parse_equality(p, q, false));
    if (q->kind != YK_EQUATION_EQUAL || q->left->kind != YK_EXPR_CALL ||
        strcmp(q->left->name, "guess") != 0 || q->left->count != 1)
        return yk_parse_refuse(p, q->at,
                               "a parameter equation that is not guess(x) = "
                               "value",
                               "give the parameter its value where it is "
                               "declared");
    YK_TRY(yk_parse_comment(p));
    YK_TRY(YK_PUSH(p, &list, q));
    c->guesses.count = list.count;
    c->guesses.room = list.room;
    c->guesses.body = (yk_equation **)list.item;
    return yk_parse_expect(p, ";", "the parameter equation");
}

static yoke_status parse_components(yk_parser *p, yk_class *c,
                                    bool is_protected, yk_list *list)
{
    yk_declaration of = { .is_protected = is_protected };
    bool more = true;

    YK_TRY(parse_prefixes(p, &of));
    if (yk_parse_is(p, "equation") && of.variability == YK_PARAMETER)
        return parse_guess(p, c);
    YK_TRY(parse_type(p, &of));
    while (more) {
        yk_declaration *d = NULL;
        YK_TRY(YK_TAKE(p->arena, &d, 1, p->err));
        YK_TRY(parse_component(p, &of, d));
        YK_TRY(YK_PUSH(p, list, d));
        YK_TRY(yk_parse_accept(p, ",", &more));
    }
    return yk_parse_expect(p, ";", "the declaration");
}

/* ---- Classes ------------------------------------------------------------ */

static yoke_status parse_class(yk_parser *p);

static bool begins_class(const yk_parser *p)
{
    static const char *const word[] = {
        "model",   "class",     "block",  "package",      "function",
        "record",  "connector", "type",   "operator",     "expandable",
        "partial", "pure",      "impure", "encapsulated", NULL
    };

    if (p->now.kind != YK_TOKEN_WORD) return false;
    for (int i = 0; word[i]; i++)
        if (yk_parse_is(p, word[i])) return true;
    return false;
}

static yoke_status parse_class_kind(yk_parser *p, yk_class_kind *kind)
{
    static const refusal refused[] = {
        { "partial", "a partial class", NULL },
        { "operator", "an operator record or function", NULL },
        { "expandable", "an expandable connector", "declare its members" },
        { "impure", "an impure function", NULL },
        { NULL, NULL, NULL }
    };
    static const struct {
        const char *word;
        yk_class_kind kind;
    } kinds[] = {
        { "model", YK_CLASS_MODEL },         { "class", YK_CLASS_MODEL },
        { "block", YK_CLASS_MODEL },         { "package", YK_CLASS_PACKAGE },
        { "function", YK_CLASS_FUNCTION },   { "record", YK_CLASS_RECORD },
        { "connector", YK_CLASS_CONNECTOR }, { "type", YK_CLASS_TYPE }
    };

    while (yk_parse_is(p, "encapsulated") || yk_parse_is(p, "pure") ||
           yk_parse_is(p, "constant") || yk_parse_is(p, "final"))
        YK_TRY(yk_parse_next(p));
    YK_TRY(refuse_words(p, refused));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!yk_parse_is(p, kinds[i].word)) continue;
        *kind = kinds[i].kind;
        return yk_parse_next(p);
    }
    return yk_parse_unexpected(p, "model, package, function, connector, "
                                  "record or type");
}

/* enumeration(a, b) */
static yoke_status parse_enumeration(yk_parser *p, yk_class *c)
{
    bool more = true;

    c->kind = YK_CLASS_ENUMERATION;
    YK_TRY(yk_parse_next(p));
    YK_TRY(yk_parse_expect(p, "(", "enumeration"));
    if (yk_parse_is(p, ":"))
        return yk_parse_refuse(p, p->now.at, "an enumeration without values",
                               "write enumeration(a, b)");
    while (more) {
        const char *name = NULL;
        YK_TRY(yk_parse_name(p, &name, "a value of the enumeration"));
        YK_TRY(YK_PUSH(p, &c->literals, (void *)name));
        YK_TRY(yk_parse_comment(p));
        YK_TRY(yk_parse_accept(p, ",", &more));
    }
    YK_TRY(yk_parse_expect(p, ")", "the values"));
    YK_TRY(yk_parse_comment(p));
    return yk_parse_expect(p, ";", "the enumeration");
}

/* type Voltage = Real(unit = "V"); connector Input = input Real; */
static yoke_status parse_short_class(yk_parser *p, yk_class *c)
{
    YK_TRY(yk_parse_next(p));
    if (yk_parse_is(p, "enumeration")) return parse_enumeration(p, c);
    if (yk_parse_is(p, "der"))
        return yk_parse_refuse(p, p->now.at, "a partial derivative function",
                               NULL);
    if (c->kind == YK_CLASS_FUNCTION || c->kind == YK_CLASS_PACKAGE ||
        c->kind == YK_CLASS_MODEL)
        return yk_parse_refuse(p, c->at, "another name for a class",
                               "write the class with its own text");
    c->kind = YK_CLASS_TYPE;
    YK_TRY(YK_TAKE(p->arena, &c->alias, 1, p->err));
    YK_TRY(parse_prefixes(p, c->alias));
    YK_TRY(parse_type(p, c->alias));
    c->alias->name = c->name;
    c->alias->at = c->at;
    YK_TRY(YK_TAKE(p->arena, &c->alias->modifier, 1, p->err));
    c->alias->modifier->name = c->name;
    c->alias->modifier->at = c->at;
    YK_TRY(parse_modification(p, c->alias->modifier));
    YK_TRY(yk_parse_comment(p));
    return yk_parse_expect(p, ";", "the type");
}

/* equation, initial equation, algorithm; *found says whether it was one. */
static yoke_status parse_section(yk_parser *p, yk_class *c, bool *found)
{
    bool initial;
    yk_branch *section;

    *found = yk_parse_is(p, "equation") || yk_parse_is(p, "algorithm") ||
             yk_parse_is(p, "initial");
    if (!*found) return YOKE_OK;
    const yk_place at = p->now.at;
    YK_TRY(yk_parse_accept(p, "initial", &initial));
    const bool algorithm = yk_parse_is(p, "algorithm");
    if (!algorithm && !yk_parse_is(p, "equation"))
        return yk_parse_unexpected(p, "equation");
    if (algorithm && initial)
        return yk_parse_refuse(p, at, "an initial algorithm section",
                               "write initial equations");
    if (algorithm && c->kind != YK_CLASS_FUNCTION)
        return yk_parse_refuse(p, at, "an algorithm section in a model",
                               "write equations, or move it into a function");
    if (!algorithm && c->kind != YK_CLASS_MODEL)
        return yk_parse_refuse(p, at, "an equation section outside a model",
                               NULL);
    section = initial ? &c->initial : algorithm ? &c->algorithm : &c->equations;
    YK_TRY(yk_parse_next(p));
    return yk_parse_equations(p, section, algorithm);
}

static yoke_status parse_element(yk_parser *p, yk_class *c, bool *is_protected,
                                 yk_list *list)
{
    static const refusal refused[] = {
        { "extends", "extends", "export the model as flat Modelica" },
        { "import", "import", "export the model as flat Modelica" },
        { "external", "an external function", "write its algorithm" },
        { NULL, NULL, NULL }
    };

    YK_TRY(refuse_words(p, refused));
    if (p->now.kind == YK_TOKEN_NAME && strcmp(p->now.text, "partition") == 0)
        return yk_parse_refuse(p, p->now.at, "a clocked partition",
                               "use when sample(first, interval)");
    if (yk_parse_is(p, "public") || yk_parse_is(p, "protected")) {
        *is_protected = yk_parse_is(p, "protected");
        return yk_parse_next(p);
    }
    if (yk_parse_is(p, "annotation")) {
        YK_TRY(skip_annotation(p));
        return yk_parse_expect(p, ";", "the annotation");
    }
    if (begins_class(p)) return parse_class(p);
    return parse_components(p, c, *is_protected, list);
}

/* The constants of a package are visible everywhere in the file. */
static yoke_status keep_constants(yk_parser *p, const yk_list *list)
{
    for (int i = 0; i < list->count; i++) {
        yk_declaration *d = list->item[i];
        if (d->variability != YK_CONSTANT)
            return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, d->at,
                              "%s is in a package and no constant; move it "
                              "into the model",
                              d->name);
        YK_TRY(YK_PUSH(p, &p->constants, d));
    }
    return YOKE_OK;
}

static yoke_status parse_body(yk_parser *p, yk_class *c)
{
    yk_list list = { 0 };
    bool is_protected = false;

    YK_TRY(yk_parse_comment(p));
    while (!yk_parse_is(p, "end")) {
        bool found;
        if (p->now.kind == YK_TOKEN_END) return yk_parse_unexpected(p, "end");
        YK_TRY(parse_section(p, c, &found));
        if (!found) YK_TRY(parse_element(p, c, &is_protected, &list));
    }
    if (c->kind == YK_CLASS_PACKAGE) return keep_constants(p, &list);
    c->declarations = list.count;
    c->declaration = (yk_declaration **)list.item;
    return YOKE_OK;
}

static yoke_status parse_long_class(yk_parser *p, yk_class *c)
{
    const char *name = NULL, *outside = p->package;

    p->package = c->path;
    YK_TRY(parse_body(p, c));
    p->package = outside;
    YK_TRY(yk_parse_next(p));
    const yk_place at = p->now.at;
    YK_TRY(yk_parse_name(p, &name, "the name of the class after end"));
    if (strcmp(name, c->name) != 0)
        return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, at,
                          "end %s closes %s of line %d; a part may be missing "
                          "an end",
                          name, c->name, c->at.line);
    YK_TRY(yk_parse_comment(p));
    return yk_parse_expect(p, ";", "the class");
}

static yoke_status set_path(yk_parser *p, yk_class *c)
{
    char *path = NULL;
    const size_t n = strlen(p->package), m = strlen(c->name);

    YK_TRY(YK_TAKE(p->arena, &path, n + m + 2, p->err));
    memcpy(path, p->package, n);
    if (n) path[n] = '.';
    memcpy(path + n + (n > 0), c->name, m);
    c->path = path;
    return YOKE_OK;
}

static yoke_status parse_class(yk_parser *p)
{
    yk_class *c = NULL;

    YK_TRY(yk_parse_enter(p));
    YK_TRY(YK_TAKE(p->arena, &c, 1, p->err));
    YK_TRY(parse_class_kind(p, &c->kind));
    if (yk_parse_is(p, "extends"))
        return yk_parse_refuse(p, p->now.at, "class extends", NULL);
    c->at = p->now.at;
    YK_TRY(yk_parse_name(p, &c->name, "the name of the class"));
    YK_TRY(set_path(p, c));
    if (yk_parse_is(p, "="))
        YK_TRY(parse_short_class(p, c));
    else
        YK_TRY(parse_long_class(p, c));
    p->depth--;
    return YK_PUSH(p, &p->classes, c);
}

static yoke_status parse_file(yk_parser *p)
{
    YK_TRY(yk_parse_next(p));
    YK_TRY(yk_parse_next(p));
    if (yk_parse_is(p, "within")) {
        const char *name = NULL;
        YK_TRY(yk_parse_next(p));
        if (!yk_parse_is(p, ";"))
            YK_TRY(yk_parse_dotted(p, &name, "the name of a package"));
        YK_TRY(yk_parse_expect(p, ";", "within"));
    }
    while (p->now.kind != YK_TOKEN_END) YK_TRY(parse_class(p));
    return YOKE_OK;
}

yoke_status yk_parse(yk_source *out, yk_arena *arena, const char *path,
                     const char *text, size_t length, yoke_err *err)
{
    yk_parser p = { .lexer = { .path = path,
                               .text = text,
                               .length = length,
                               .place = { 1, 1 },
                               .arena = arena,
                               .err = err },
                    .arena = arena,
                    .err = err,
                    .package = "" };

    if (length > INT_MAX / 4)
        return yk_fail(err, YOKE_E_FILE, "%s: %zu bytes are more than %d", path,
                       length, INT_MAX / 4);
    YK_TRY(parse_file(&p));
    *out = (yk_source){ .path = path,
                        .classes = p.classes.count,
                        .class_ = (yk_class **)p.classes.item,
                        .constants = p.constants.count,
                        .constant = (yk_declaration **)p.constants.item };
    return YOKE_OK;
}
