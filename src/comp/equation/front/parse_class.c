/* comp/equation/front/parse_class.c -- classes and declarations.
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
    YK_TRY(yk_parse_component_name(p, &d->name, &dims));
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
    YK_TRY(yk_parse_equality(p, q, false));
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

static bool begins_equation(const yk_parser *p)
{
    return yk_parse_is(p, "der") || yk_parse_is(p, "if") ||
           yk_parse_is(p, "when") || yk_parse_is(p, "for") ||
           (p->now.kind == YK_TOKEN_NAME && p->next.kind == YK_TOKEN_SIGN &&
            (strcmp(p->next.text, "=") == 0 ||
             strcmp(p->next.text, ":=") == 0));
}

/* Equations among declarations: their word was left out. */
static yoke_status parse_homeless(yk_parser *p, yk_class *c)
{
    const int depth = p->depth;

    yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, p->now.at,
               "an equation stands among declarations; write \"equation\" on "
               "a line before it");
    if (!yk_err_gather(&p->failed, YOKE_E_FILE, p->err, p->problems))
        return YOKE_E_FILE;
    p->depth = depth;
    return yk_parse_equations(p, &c->equations, false);
}

static yoke_status parse_components(yk_parser *p, yk_class *c, yk_list *list)
{
    yk_declaration of = { 0 };
    bool more = true;

    if (begins_equation(p)) return parse_homeless(p, c);
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

static yoke_status parse_class_kind(yk_parser *p, yk_class *c)
{
    static const refusal refused[] = {
        { "operator", "an operator record or function", NULL },
        { "expandable", "an expandable connector", "declare its members" },
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
           yk_parse_is(p, "constant") || yk_parse_is(p, "final") ||
           yk_parse_is(p, "impure") || yk_parse_is(p, "partial")) {
        c->is_impure = c->is_impure || yk_parse_is(p, "impure");
        c->is_partial = c->is_partial || yk_parse_is(p, "partial");
        YK_TRY(yk_parse_next(p));
    }
    YK_TRY(refuse_words(p, refused));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!yk_parse_is(p, kinds[i].word)) continue;
        c->kind = kinds[i].kind;
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

/* Each algorithm section of a model is one; those of a function are joined. */
static yoke_status parse_algorithm(yk_parser *p, yk_class *c, bool initial)
{
    yk_branch *section = &c->algorithm;

    if (c->kind != YK_CLASS_FUNCTION) {
        YK_TRY(YK_TAKE(p->arena, &section, 1, p->err));
        YK_TRY(YK_PUSH(p, initial ? &c->starters : &c->algorithms, section));
    }
    YK_TRY(yk_parse_next(p));
    return yk_parse_equations(p, section, true);
}

/* equation, initial equation, algorithm; *found says whether it was one. */
static yoke_status parse_section(yk_parser *p, yk_class *c, bool *found)
{
    bool initial;

    *found = yk_parse_is(p, "equation") || yk_parse_is(p, "algorithm") ||
             yk_parse_is(p, "initial");
    if (!*found) return YOKE_OK;
    const yk_place at = p->now.at;
    YK_TRY(yk_parse_accept(p, "initial", &initial));
    const bool algorithm = yk_parse_is(p, "algorithm");
    if (!algorithm && !yk_parse_is(p, "equation"))
        return yk_parse_unexpected(p, "equation");
    if (c->kind != YK_CLASS_MODEL &&
        (!algorithm || initial || c->kind != YK_CLASS_FUNCTION))
        return yk_parse_refuse(p, at, "an equation section outside a model",
                               NULL);
    if (algorithm) return parse_algorithm(p, c, initial);
    YK_TRY(yk_parse_next(p));
    return yk_parse_equations(p, initial ? &c->initial : &c->equations, false);
}

/* external "C" y = f(x) annotation(...); everything is optional. */
static yoke_status parse_external(yk_parser *p, yk_class *c)
{
    yk_equation q = { .kind = YK_EQUATION_CALL };

    YK_TRY(YK_TAKE(p->arena, &c->external, 1, p->err));
    c->external->at = p->now.at;
    YK_TRY(yk_parse_next(p));
    if (p->now.kind == YK_TOKEN_STRING) YK_TRY(yk_parse_next(p));
    if (p->now.kind == YK_TOKEN_NAME) {
        YK_TRY(yk_parse_equality(p, &q, false));
        c->external->call = q.right ? q.right : q.left;
        c->external->result = q.right ? q.left : NULL;
        if (c->external->call->kind != YK_EXPR_CALL)
            return yk_parse_unexpected(p, "the call of an external function");
    }
    YK_TRY(yk_parse_comment(p));
    return yk_parse_expect(p, ";", "the external function");
}

/* extends ExternalObject; other classes are put together by a tool. */
static yoke_status parse_extends(yk_parser *p, yk_class *c)
{
    if (p->next.kind != YK_TOKEN_NAME ||
        strcmp(p->next.text, "ExternalObject") != 0)
        return yk_parse_refuse(p, p->now.at, "extends", YK_FLAT_ADVICE);
    YK_TRY(yk_parse_next(p));
    YK_TRY(yk_parse_next(p));
    c->kind = YK_CLASS_OBJECT;
    return yk_parse_expect(p, ";", "ExternalObject");
}

static yoke_status parse_element(yk_parser *p, yk_class *c, yk_list *list)
{
    static const refusal refused[] = { { "import", "import", YK_FLAT_ADVICE },
                                       { NULL, NULL, NULL } };

    YK_TRY(refuse_words(p, refused));
    if (yk_parse_is(p, "extends")) return parse_extends(p, c);
    if (yk_parse_is(p, "external")) return parse_external(p, c);
    if (p->now.kind == YK_TOKEN_NAME && strcmp(p->now.text, "partition") == 0)
        return yk_parse_refuse(p, p->now.at, "a clocked partition",
                               "use when sample(first, interval)");
    if (yk_parse_is(p, "public") || yk_parse_is(p, "protected"))
        return yk_parse_next(p);
    if (yk_parse_is(p, "annotation")) {
        YK_TRY(yk_parse_annotation(p, &c->experiment));
        return yk_parse_expect(p, ";", "the annotation");
    }
    if (begins_class(p)) return parse_class(p);
    return parse_components(p, c, list);
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
        d->package = p->package;
        YK_TRY(YK_PUSH(p, &p->constants, d));
    }
    return YOKE_OK;
}

/* An element; what is wrong with it does not keep the others from being read,
 * unless it is a class. */
static yoke_status parse_part(yk_parser *p, yk_class *c, yk_list *list)
{
    const int depth = p->depth;
    const bool inner = begins_class(p);
    const yoke_status status = parse_element(p, c, list);

    if (status == YOKE_OK || inner) return status;
    return yk_parse_resume(p, depth, status);
}

static yoke_status parse_body(yk_parser *p, yk_class *c)
{
    yk_list list = { 0 };

    YK_TRY(yk_parse_text(p));
    while (!yk_parse_is(p, "end")) {
        bool found;
        if (p->now.kind == YK_TOKEN_END) return yk_parse_unexpected(p, "end");
        YK_TRY(parse_section(p, c, &found));
        if (!found) YK_TRY(parse_part(p, c, &list));
    }
    if (c->kind == YK_CLASS_PACKAGE) return keep_constants(p, &list);
    c->declarations = list.count;
    c->declaration = (yk_declaration **)list.item;
    return YOKE_OK;
}

static yoke_status parse_long_class(yk_parser *p, yk_class *c)
{
    const char *name = NULL, *outside = p->package;
    yk_class *const around = p->in;

    p->package = c->path;
    p->in = c;
    YK_TRY(parse_body(p, c));
    p->package = outside;
    p->in = around;
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
    return yk_arena_print(p->arena, &c->path, p->err, "%s%s%s", p->package,
                          p->package[0] ? "." : "", c->name);
}

static yoke_status parse_class(yk_parser *p)
{
    yk_class *c = NULL;

    YK_TRY(yk_parse_enter(p));
    YK_TRY(YK_TAKE(p->arena, &c, 1, p->err));
    YK_TRY(parse_class_kind(p, c));
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

/* The whole file; all problems that were found, or the one that ended it. */
static yoke_status parse_all(yk_parser *p)
{
    const yoke_status status = parse_file(p);

    if (status == YOKE_OK) return p->failed;
    if (p->failed == YOKE_OK || p->lost)
        yk_err_gather(&p->failed, status, p->err, p->problems);
    return p->failed;
}

yoke_status yk_parse(yk_source *out, yk_arena *arena, const char *path,
                     const char *text, size_t length, yoke_err *err)
{
    yoke_err one = { YOKE_OK, "" };
    yk_parser p = { .lexer = { .path = path,
                               .text = text,
                               .length = length,
                               .place = { 1, 1 },
                               .arena = arena,
                               .err = &one },
                    .arena = arena,
                    .err = &one,
                    .problems = err,
                    .package = "" };

    if (length > INT_MAX / 4)
        return yk_fail(err, YOKE_E_FILE, "%s: %zu bytes are more than %d", path,
                       length, INT_MAX / 4);
    YK_TRY(parse_all(&p));
    *out = (yk_source){ .path = path,
                        .classes = p.classes.count,
                        .class_ = (yk_class **)p.classes.item,
                        .constants = p.constants.count,
                        .constant = (yk_declaration **)p.constants.item };
    return YOKE_OK;
}
