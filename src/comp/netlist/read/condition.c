/* comp/netlist/read/condition.c -- .if, .elseif, .else and .endif.
 *
 * Conditions are evaluated when a scope is expanded, with the parameters of the
 * instance.  Elements, analyses and models may be conditional; what all of the
 * scope depends on (.param, .func, .subckt, .global, .options) may not.
 */
#include "comp/netlist/read/read.h"

#include <string.h>

typedef enum word { NO_CONDITION, IF, ELSEIF, ELSE, ENDIF } word;

/* Which of them the line is; *rest: what follows. */
static word word_of(const char *text, const char **rest)
{
    static const char *const words[] = { "", ".if", ".elseif", ".else",
                                         ".endif" };

    for (int k = IF; text[0] == '.' && k <= ENDIF; k++) {
        const size_t n = strlen(words[k]);
        const char c = text[n < strlen(text) ? n : strlen(text)];
        if (strncmp(text, words[k], n) != 0 || (c && !strchr(" \t\v(", c)))
            continue;
        *rest = text + n;
        return (word)k;
    }
    return NO_CONDITION;
}

bool yk_net_is_condition(const char *text)
{
    const char *rest;

    return text[0] == '.' && (text[1] == 'i' || text[1] == 'e') &&
           word_of(text, &rest) != NO_CONDITION;
}

yoke_status yk_net_sort_condition(yk_net_scope *scope, const yk_net_line *line,
                                  yoke_err *err)
{
    const char *rest;
    const word w = word_of(line->text, &rest);

    if (w != IF && scope->ifs == 0)
        return yk_net_fail(err, YOKE_E_ARG, line->at, "%.10s without .if",
                           line->text);
    if (w == IF && scope->ifs >= YK_NET_DEPTH)
        return yk_net_fail(err, YOKE_E_ARG, line->at,
                           ".if is nested more than %d deep", YK_NET_DEPTH);
    if (w == IF && scope->ifs == 0) scope->if_at = line->at;
    if (w == IF) scope->ifs++;
    if (w == ENDIF) scope->ifs--;
    return YOKE_OK;
}

yoke_status yk_net_refuse_condition(const yk_net_scope *scope,
                                    const yk_net_line *line, yoke_err *err)
{
    if (scope->ifs == 0) return YOKE_OK;
    return yk_net_fail(err, YOKE_E_ARG, line->at,
                       "%.*s between .if (line %d) and .endif is not "
                       "supported: elements, models and analyses may depend "
                       "on a condition",
                       (int)strcspn(line->text, " \t\v("), line->text,
                       scope->if_at.line);
}

yoke_status yk_net_check_conditions(const yk_net_scope *scope, yoke_err *err)
{
    if (scope->ifs == 0) return YOKE_OK;
    return yk_net_fail(err, YOKE_E_ARG, scope->if_at, ".if without .endif");
}

static yoke_status is_true(yk_net_reader *r, yk_net_env *env, const char *text,
                           yk_net_place at, bool *out, yoke_err *err)
{
    double value;

    text += strspn(text, " \t\v");
    if (!text[0])
        return yk_net_fail(err, YOKE_E_ARG, at, "the condition is missing");
    const size_t length = strlen(text);
    const bool braced = text[0] == '{' && text[length - 1] == '}';
    YK_TRY(yk_net_constant(r, env, text + braced,
                           (int)length - (braced ? 2 : 0), at, &value, err));
    *out = value != 0.0;
    return YOKE_OK;
}

yoke_status yk_net_condition(yk_net_reader *r, yk_net_env *env,
                             const yk_net_line *line, yk_net_branches *b,
                             yoke_err *err)
{
    const char *rest = "";
    const word w = word_of(line->text, &rest);

    if (w == ENDIF) {
        b->depth--;
        return YOKE_OK;
    }
    if (w == IF) {
        const bool outside = yk_net_active(b);
        b->branch[b->depth++] = (yk_net_branch){ .never = !outside };
    }
    yk_net_branch *now = &b->branch[b->depth - 1];
    if (now->last)
        return yk_net_fail(err, YOKE_E_ARG, line->at,
                           "%.10s after the .else of the same .if", line->text);
    now->last = w == ELSE;
    now->active = false;
    if (now->never || now->taken) return YOKE_OK;
    now->active = w == ELSE;
    if (w != ELSE) YK_TRY(is_true(r, env, rest, line->at, &now->active, err));
    now->taken = now->active;
    return YOKE_OK;
}

bool yk_net_active(const yk_net_branches *b)
{
    return b->depth == 0 || b->branch[b->depth - 1].active;
}
