/* comp/equation/front/parse_equation.c -- equations, statements and
 * annotations.
 *
 * Reference: Modelica language specification 3.6, appendix A.2.6.
 */
#include "comp/equation/front/parse.h"

#include <math.h>
#include <string.h>

/* ---- Annotations --------------------------------------------------------- */

/* A number that is written with digits and + - * /; otherwise NAN. */
static double written(const yk_expr *e)
{
    if (e->kind == YK_EXPR_NUMBER) return e->number;
    if (e->kind == YK_EXPR_NEGATE) return -written(e->child[0]);
    if (e->kind != YK_EXPR_SUM && e->kind != YK_EXPR_PRODUCT) return NAN;
    double value = written(e->child[0]);
    for (int i = 1; i < e->count; i++) {
        const double x = written(e->child[i]);
        value = e->op[i] == '+'   ? value + x
                : e->op[i] == '-' ? value - x
                : e->op[i] == '*' ? value * x
                : e->op[i] == '/' ? value / x
                                  : NAN;
    }
    return value;
}

static double *setting(yk_experiment *keep, const char *name)
{
    return strcmp(name, "StartTime") == 0   ? &keep->start
           : strcmp(name, "StopTime") == 0  ? &keep->stop
           : strcmp(name, "Tolerance") == 0 ? &keep->tolerance
           : strcmp(name, "Interval") == 0  ? &keep->interval
                                            : NULL;
}

/* name = value; what cannot be used is passed over. */
static yoke_status take_setting(yk_parser *p, yk_experiment *keep)
{
    double *place = setting(keep, p->now.text);
    yk_expr *value = NULL;

    YK_TRY(yk_parse_next(p));
    if (!place || !yk_parse_is(p, "=")) return YOKE_OK;
    YK_TRY(yk_parse_next(p));
    YK_TRY(yk_parse_expr(p, &value));
    *place = written(value);
    return YOKE_OK;
}

static yoke_status skip_balanced(yk_parser *p, yk_experiment *keep)
{
    const yk_place at = p->now.at;
    int depth = 0, inside = 0; /* inside: depth of the experiment */

    do {
        if (p->now.kind == YK_TOKEN_END)
            return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, at,
                              "this annotation has no end; a ) is missing");
        const bool name = keep && p->now.kind == YK_TOKEN_NAME;
        if (name && depth == 1 && strcmp(p->now.text, "experiment") == 0) {
            *keep = (yk_experiment){ NAN, NAN, NAN, NAN, p->now.at.line };
            inside = 2;
        }
        if (name && inside && depth == inside) {
            YK_TRY(take_setting(p, keep));
            continue;
        }
        if (yk_parse_is(p, "(")) depth++;
        if (yk_parse_is(p, ")")) depth--;
        if (depth < inside && yk_parse_is(p, ")")) inside = 0;
        YK_TRY(yk_parse_next(p));
    } while (depth > 0);
    return YOKE_OK;
}

yoke_status yk_parse_annotation(yk_parser *p, yk_experiment *keep)
{
    if (!yk_parse_is(p, "annotation")) return YOKE_OK;
    YK_TRY(yk_parse_next(p));
    if (!yk_parse_is(p, "("))
        return yk_parse_unexpected(p, "( after annotation");
    return skip_balanced(p, keep);
}

yoke_status yk_parse_text(yk_parser *p)
{
    while (p->now.kind == YK_TOKEN_STRING) {
        YK_TRY(yk_parse_next(p));
        if (!yk_parse_is(p, "+")) break;
        YK_TRY(yk_parse_next(p));
    }
    return YOKE_OK;
}

yoke_status yk_parse_comment(yk_parser *p)
{
    YK_TRY(yk_parse_text(p));
    return yk_parse_annotation(p, NULL);
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

/* An equation with its ";".  What is wrong with it does not keep the next from
 * being read, unless it has equations inside: then their end cannot be told. */
static yoke_status parse_one(yk_parser *p, yk_equation *q, bool statements)
{
    const int depth = p->depth;
    const bool inside = yk_parse_is(p, "if") || yk_parse_is(p, "for") ||
                        yk_parse_is(p, "when") || yk_parse_is(p, "while");
    yoke_status status = parse_equation(p, q, statements);

    if (status != YOKE_OK && inside) p->lost = true;
    if (status == YOKE_OK) status = yk_parse_expect(p, ";", "the equation");
    return status == YOKE_OK ? YOKE_OK : yk_parse_resume(p, depth, status);
}

yoke_status yk_parse_equations(yk_parser *p, yk_branch *out, bool statements)
{
    yk_list list = { out->count, out->room, (void **)out->body };

    while (!ends_section(p)) {
        yk_equation *q = NULL;
        if (yk_parse_is(p, "annotation")) {
            YK_TRY(yk_parse_annotation(p, p->in ? &p->in->experiment : NULL));
            YK_TRY(yk_parse_expect(p, ";", "the annotation"));
        } else {
            YK_TRY(YK_TAKE(p->arena, &q, 1, p->err));
            q->at = p->now.at;
            YK_TRY(parse_one(p, q, statements));
            YK_TRY(YK_PUSH(p, &list, q));
        }
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

/* = := == mean different things; who comes from another language takes the
 * wrong one. */
static yoke_status refuse_other_sign(const yk_parser *p, const yk_equation *q,
                                     bool statements)
{
    const yk_expr *left = q->left;

    if (!statements && yk_parse_is(p, ":="))
        return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, p->now.at,
                          "':=' assigns and stands in algorithms; in an "
                          "equation both sides are joined by '=': write =");
    if (statements && yk_parse_is(p, "="))
        return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, p->now.at,
                          "'=' joins the sides of an equation; in an algorithm "
                          "a value is assigned by ':=': write :=");
    if (yk_parse_is(p, ";") && left->kind == YK_EXPR_RELATION &&
        left->op[0] == '=')
        return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, left->at,
                          "'==' compares and gives true or false; %s: write %s",
                          statements ? "a value is assigned by ':='"
                                     : "the sides of an equation are joined "
                                       "by '='",
                          statements ? ":=" : "=");
    return YOKE_OK;
}

yoke_status yk_parse_equality(yk_parser *p, yk_equation *q, bool statements)
{
    const char *sign = statements ? ":=" : "=";

    YK_TRY(yk_parse_expr(p, &q->left));
    if (yk_parse_is(p, sign)) {
        q->kind = YK_EQUATION_EQUAL;
        q->at = p->now.at;
        YK_TRY(yk_parse_next(p));
        return yk_parse_expr(p, &q->right);
    }
    YK_TRY(refuse_other_sign(p, q, statements));
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

/* while condition loop ... end while */
static yoke_status parse_while(yk_parser *p, yk_equation *q)
{
    q->kind = YK_EQUATION_WHILE;
    YK_TRY(YK_TAKE(p->arena, &q->branch, 1, p->err));
    q->branches = 1;
    YK_TRY(parse_branch(p, q->branch, "loop", true));
    return expect_end(p, "while");
}

/* Those that only algorithms have; *found says whether it was one. */
static yoke_status parse_statement(yk_parser *p, yk_equation *q, bool *found)
{
    *found = true;
    if (yk_parse_is(p, "while")) return parse_while(p, q);
    if (yk_parse_is(p, "break") || yk_parse_is(p, "return")) {
        q->kind =
            yk_parse_is(p, "break") ? YK_EQUATION_BREAK : YK_EQUATION_RETURN;
        return yk_parse_next(p);
    }
    *found = false;
    return YOKE_OK;
}

static yoke_status parse_equation(yk_parser *p, yk_equation *q, bool statements)
{
    bool found = false;

    YK_TRY(yk_parse_enter(p));
    if (statements) YK_TRY(parse_statement(p, q, &found));
    if (found) {
    } else if (yk_parse_is(p, "for")) {
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
        YK_TRY(yk_parse_equality(p, q, statements));
    }
    p->depth--;
    return yk_parse_comment(p);
}
