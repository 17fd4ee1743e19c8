/* comp/netlist/read/laplace.c -- E and G with a transfer function.
 *
 *     E1 out 0 LAPLACE {v(a,b)} = {num(s)/den(s)}      PSpice
 *     E1 out 0 a b Laplace = 1/(1 + s*1m)              LTspice
 *
 * H = (b_0 + ... + b_n s^n) / (a_0 + ... + a_n s^n) with numbers and parameters
 * becomes the linear system (controllable form, s in units of 1/T)
 *
 *     T x_k' = x_{k+1},   T x_n' = z,   z = (u - a_0 x_1 - ... - a_{n-1} x_n) / a_n,
 *     y = b_0 x_1 + ... + b_{n-1} x_n + b_n z
 *
 * with T^n = a_n / a_j, j the first coefficient that is not 0, so that the
 * states are of the size of u.  Each x_k is the voltage of a capacitor of T farad;
 * a resistor of 1 ohm whose current the source at it gives back is its path for
 * direct current.  If a_0 = 0 (an integrator) x_1 begins at 0.
 *
 * What is no ratio of polynomials, such as exp(-s*T) or sqrt(s), is refused.
 */
#include "base/text.h"
#include "comp/netlist/read/read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEGREE = 12, NESTING = 50 };

/* ---- ratios of polynomials ----------------------------------------------- */

typedef struct poly {
    double c[DEGREE + 1];
} poly;

typedef struct ratio {
    poly num, den;
} ratio;

typedef struct scan {
    yk_net_reader *r;
    yk_net_env *env;
    yk_net_place at;
    const char *p, *end;
    int nesting;
} scan;

static yoke_status bad(const scan *s, const char *what, yoke_err *err)
{
    return yk_net_fail(
        err, YOKE_E_ARG, yk_net_at(s->r, s->at, s->p),
        "a transfer function is a ratio of polynomials in s with "
        "numbers and parameters: %s at \"%.*s\"",
        what, s->end - s->p > 20 ? 20 : (int)(s->end - s->p), s->p);
}

static int degree(const poly *a)
{
    int n = DEGREE;

    while (n > 0 && a->c[n] == 0.0) n--;
    return n;
}

static yoke_status times(const scan *s, const poly *a, const poly *b, poly *out,
                         yoke_err *err)
{
    const int n = degree(a), m = degree(b);
    poly c = { { 0.0 } };

    if (n + m > DEGREE) return bad(s, "its degree is above 12", err);
    for (int i = 0; i <= n; i++)
        for (int k = 0; k <= m; k++) c.c[i + k] += a->c[i] * b->c[k];
    *out = c;
    return YOKE_OK;
}

static bool same(const poly *a, const poly *b)
{
    for (int i = 0; i <= DEGREE; i++)
        if (a->c[i] != b->c[i]) return false;
    return true;
}

/* a + sign b; a common denominator is not squared. */
static yoke_status plus(const scan *s, ratio *a, const ratio *b, double sign,
                        yoke_err *err)
{
    poly left = a->num, right = b->num;

    if (!same(&a->den, &b->den)) {
        YK_TRY(times(s, &a->num, &b->den, &left, err));
        YK_TRY(times(s, &b->num, &a->den, &right, err));
        YK_TRY(times(s, &a->den, &b->den, &a->den, err));
    }
    for (int i = 0; i <= DEGREE; i++)
        a->num.c[i] = left.c[i] + sign * right.c[i];
    return YOKE_OK;
}

static yoke_status multiply(const scan *s, ratio *a, const ratio *b,
                            yoke_err *err)
{
    YK_TRY(times(s, &a->num, &b->num, &a->num, err));
    return times(s, &a->den, &b->den, &a->den, err);
}

/* ---- reading ------------------------------------------------------------- */

static yoke_status read_sum(scan *s, ratio *out, yoke_err *err);

static char next(scan *s)
{
    while (s->p < s->end && isspace((unsigned char)*s->p)) s->p++;
    return s->p < s->end ? *s->p : '\0';
}

static ratio constant(double value)
{
    return (ratio){ { { value } }, { { 1.0 } } };
}

/* A parameter, or a function of such: what s is not in. */
static yoke_status read_name(scan *s, ratio *out, yoke_err *err)
{
    const char *begin = s->p;
    double value = 0.0;
    int depth = 0;

    while (s->p < s->end &&
           (isalnum((unsigned char)*s->p) || strchr("_.", *s->p)))
        s->p++;
    if (s->p - begin == 1 && *begin == 's' && next(s) != '(') {
        *out = (ratio){ { { 0.0, 1.0 } }, { { 1.0 } } };
        return YOKE_OK;
    }
    if (next(s) == '(') do {
            depth += (*s->p == '(') - (*s->p == ')');
            s->p++;
        } while (s->p < s->end && depth > 0);
    const char *behind = s->p;
    s->p = begin;
    for (const char *c = begin; c < behind; c++)
        if (*c == 's' && (c == begin || !isalnum((unsigned char)c[-1])) &&
            (c + 1 == behind || (!isalnum((unsigned char)c[1]) && c[1] != '_')))
            return bad(s, "this function of s is none", err);
    YK_TRY(yk_net_constant(s->r, s->env, begin, (int)(behind - begin), s->at,
                           &value, err));
    s->p = behind;
    *out = constant(value);
    return YOKE_OK;
}

static yoke_status read_atom(scan *s, ratio *out, yoke_err *err)
{
    const char c = next(s);
    int used = 0;

    if (c == '(' || c == '{') {
        if (++s->nesting > NESTING) return bad(s, "too many brackets", err);
        s->p++;
        YK_TRY(read_sum(s, out, err));
        if (next(s) != (c == '(' ? ')' : '}'))
            return bad(s, "a bracket is missing", err);
        s->p++;
        s->nesting--;
        return YOKE_OK;
    }
    if (isalpha((unsigned char)c) || c == '_') return read_name(s, out, err);
    if (c == '+' || c == '-') return bad(s, "two signs", err);
    const double value = yk_net_number(s->p, (int)(s->end - s->p), &used);
    if (used == 0) return bad(s, "something is missing", err);
    s->p += used;
    *out = constant(value);
    return YOKE_OK;
}

static yoke_status read_power(scan *s, ratio *out, yoke_err *err)
{
    ratio e, base;

    YK_TRY(read_atom(s, out, err));
    const bool stars = next(s) == '*' && s->p + 1 < s->end && s->p[1] == '*';
    if (next(s) != '^' && !stars) return YOKE_OK;
    s->p += stars ? 2 : 1;
    YK_TRY(read_atom(s, &e, err));
    const double n = e.num.c[0] / e.den.c[0];
    if (degree(&e.num) > 0 || degree(&e.den) > 0 || n != floor(n) || n < 0.0 ||
        n > DEGREE)
        return bad(s, "an exponent that is no whole number from 0 to 12", err);
    base = *out;
    *out = constant(1.0);
    for (int k = 0; k < (int)n; k++) YK_TRY(multiply(s, out, &base, err));
    return YOKE_OK;
}

static yoke_status read_product(scan *s, ratio *out, yoke_err *err)
{
    YK_TRY(read_power(s, out, err));
    while (next(s) == '*' || next(s) == '/') {
        const bool over = *s->p++ == '/';
        ratio b;
        YK_TRY(read_power(s, &b, err));
        if (over) b = (ratio){ b.den, b.num };
        YK_TRY(multiply(s, out, &b, err));
    }
    return YOKE_OK;
}

static yoke_status read_sum(scan *s, ratio *out, yoke_err *err)
{
    double sign = 1.0;

    *out = constant(0.0);
    if (next(s) == '-' || next(s) == '+') sign = *s->p++ == '-' ? -1.0 : 1.0;
    for (bool more = true; more;) {
        ratio b;
        YK_TRY(read_product(s, &b, err));
        YK_TRY(plus(s, out, &b, sign, err));
        more = next(s) == '+' || next(s) == '-';
        if (more) sign = *s->p++ == '-' ? -1.0 : 1.0;
    }
    return YOKE_OK;
}

/* Powers of s that both have are divided out. */
static void cancel(ratio *h)
{
    while (h->num.c[0] == 0.0 && h->den.c[0] == 0.0 && degree(&h->den) > 0 &&
           degree(&h->num) > 0) {
        for (int i = 0; i < DEGREE; i++) {
            h->num.c[i] = h->num.c[i + 1];
            h->den.c[i] = h->den.c[i + 1];
        }
        h->num.c[DEGREE] = h->den.c[DEGREE] = 0.0;
    }
}

static yoke_status read_ratio(scan *s, ratio *h, yoke_err *err)
{
    const char *begin = s->p;

    YK_TRY(read_sum(s, h, err));
    if (next(s) != '\0') return bad(s, "something is left over", err);
    cancel(h);
    s->p = begin;
    const int n = degree(&h->den);
    if (n == 0 && h->den.c[0] == 0.0) return bad(s, "it divides by 0", err);
    if (degree(&h->num) > n)
        return bad(s,
                   "the numerator has the higher degree, so that it "
                   "differentiates; ddt() does that",
                   err);
    for (int i = 0; i <= DEGREE; i++)
        if (!isfinite(h->num.c[i]) || !isfinite(h->den.c[i]))
            return bad(s, "it is not finite", err);
    return YOKE_OK;
}

/* ---- the linear system --------------------------------------------------- */

typedef struct maker {
    yk_net_reader *r;
    yk_net_env *env;
    const yk_net_line *line;
    char name[200]; /* of the element */
    double t;       /* T */
    int n;
    ratio h; /* in units of 1/T */
} maker;

/* A line of our own, in the place of the element's. */
static yoke_status put(maker *m, const char *text, yoke_err *err)
{
    const char *copy = NULL;

    YK_TRY(yk_net_copy(&m->r->keep, &copy, text, (int)strlen(text), err));
    const yk_net_line line = { (char *)(size_t)copy, m->line->at, 0 };
    YK_TRY(yk_net_split(m->r, line.text, line.at, err));
    return text[0] == '.' ? yk_net_command(m->r, m->env, &line, err)
                          : yk_net_element_line(m->r, m->env, &line, err);
}

static void scale(maker *m)
{
    int first = 0;

    m->n = degree(&m->h.den);
    while (m->h.den.c[first] == 0.0) first++;
    m->t = m->n == first ? 1.0
                         : pow(fabs(m->h.den.c[m->n] / m->h.den.c[first]),
                               1.0 / (m->n - first));
    for (int i = 0; i <= m->n; i++) {
        m->h.num.c[i] /= pow(m->t, i);
        m->h.den.c[i] /= pow(m->t, i);
    }
}

/* "(v(e1#u)-a0*v(e1#1)-...)/an" */
static void append_top(const maker *m, char *out, size_t room)
{
    yk_append(out, room, "(v(%s#u)", m->name);
    for (int k = 0; k < m->n; k++)
        if (m->h.den.c[k] != 0.0)
            yk_append(out, room, "-(%.17g)*v(%s#%d)", m->h.den.c[k], m->name,
                      k + 1);
    yk_append(out, room, ")/(%.17g)", m->h.den.c[m->n]);
}

static yoke_status put_states(maker *m, char *text, size_t room, yoke_err *err)
{
    for (int k = 1; k <= m->n; k++) {
        snprintf(text, room, "c#%s#%d %s#%d 0 %.17g", m->name, k, m->name, k,
                 m->t);
        YK_TRY(put(m, text, err));
        snprintf(text, room, "r#%s#%d %s#%d 0 1", m->name, k, m->name, k);
        YK_TRY(put(m, text, err));
        snprintf(text, room, "b#%s#%d 0 %s#%d i = v(%s#%d)+", m->name, k,
                 m->name, k, m->name, k);
        if (k < m->n)
            yk_append(text, room, "v(%s#%d)", m->name, k + 1);
        else
            append_top(m, text, room);
        YK_TRY(put(m, text, err));
    }
    if (m->n == 0 || m->h.den.c[0] != 0.0) return YOKE_OK;
    snprintf(text, room, ".ic v(%s#1) = 0", m->name);
    return put(m, text, err);
}

/* y */
static void append_output(const maker *m, char *out, size_t room)
{
    yk_append(out, room, "0");
    for (int k = 0; k < m->n; k++)
        if (m->h.num.c[k] != 0.0)
            yk_append(out, room, "+(%.17g)*v(%s#%d)", m->h.num.c[k], m->name,
                      k + 1);
    if (m->h.num.c[m->n] == 0.0) return;
    yk_append(out, room, "+(%.17g)*", m->h.num.c[m->n]);
    append_top(m, out, room);
}

yoke_status yk_net_transfer(yk_net_parse *p, const char *input,
                            int input_length, const char *h, int h_length,
                            double factor, yoke_err *err)
{
    enum { ROOM = 20000 };
    yoke_status status = YOKE_OK;
    maker m = { .r = p->r, .env = p->env, .line = p->line };
    scan s = {
        .r = p->r, .env = p->env, .at = p->line->at, .p = h, .end = h + h_length
    };
    char *text = NULL;
    const char *y = NULL;

    if (p->r->word[0].length > 150 || input_length > ROOM / 2)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%.80s\": the line is too long", p->e->name);
    snprintf(m.name, sizeof m.name, "%.*s", p->r->word[0].length,
             p->r->word[0].text);
    YK_TRY(read_ratio(&s, &m.h, err));
    scale(&m);
    YK_TRY(YK_NEW(&text, ROOM, err));
    snprintf(text, ROOM, "b#%s#u %s#u 0 v = %.*s", m.name, m.name, input_length,
             input);
    YK_GO(put(&m, text, err));
    YK_GO(put_states(&m, text, ROOM, err));
    text[0] = '\0';
    append_output(&m, text, ROOM);
    YK_GO(yk_net_copy(&p->r->keep, &y, text, (int)strlen(text), err));
    p->params = 0;
    p->next = p->r->words = 0;
    YK_GO(yk_net_behaviour(p->r, p->env, y, (int)strlen(y), factor, p->line->at,
                           &p->e->expr, NULL, err));
done:
    yk_free(text);
    return status;
}
