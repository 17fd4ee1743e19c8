/* sys/event_test.c -- events of a system: refusals, messages, composites. */
#include "check.h"

#include "sys/call.h"
#include "sys/system.h"
#include "yoke/check.h"
#include "yoke/compose.h"

#include <math.h>
#include <string.h>

enum { GOOD, IMPURE, FORGETFUL, UNSAVED, NOT_FINITE };

/* x' = u; event 1 at x = bound counts and sets x to 0, event 2 at u = 1. */
typedef struct counter {
    double bound;
    int count; /* memory */
    int kind;
    int hidden; /* what a bad one remembers besides */
} counter;

static yoke_status counter_rhs(void *self, double t, const double *x,
                               const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)err;
    xdot[0] = u[0];
    return YOKE_OK;
}

static yoke_status counter_indicate(void *self, double t, const double *x,
                                    const double *u, double *g, yoke_err *err)
{
    counter *c = self;

    (void)t, (void)err;
    g[0] = x[0] - c->bound;
    g[1] = u[0] - 1.0;
    if (c->kind == IMPURE) g[1] += c->hidden++;
    if (c->kind == UNSAVED) g[1] += c->hidden;
    if (c->kind == NOT_FINITE) g[1] = INFINITY;
    return YOKE_OK;
}

static yoke_status counter_apply(void *self, double t, const double *x,
                                 const double *u, const bool *happened,
                                 double *x_new, yoke_err *err)
{
    counter *c = self;

    (void)t, (void)x, (void)u, (void)err;
    c->count += happened[0];
    if (happened[0]) x_new[0] = 0.0;
    if (c->kind == FORGETFUL) x_new[0] = c->hidden++;
    if (c->kind == UNSAVED) c->hidden++;
    if (c->kind == NOT_FINITE) x_new[0] = NAN;
    return YOKE_OK;
}

/* The first event happens at the start too. */
static yoke_status counter_begin(void *self, double t, const double *x,
                                 const double *u, bool *happened, yoke_err *err)
{
    (void)t, (void)u, (void)err;
    happened[0] = x[0] >= ((counter *)self)->bound;
    return YOKE_OK;
}

static void counter_save(void *self, void *bytes)
{
    memcpy(bytes, &((counter *)self)->count, sizeof(int));
}

static void counter_restore(void *self, const void *bytes)
{
    memcpy(&((counter *)self)->count, bytes, sizeof(int));
}

static const yoke_event_ops counter_events = { .indicate = counter_indicate,
                                               .apply = counter_apply,
                                               .begin = counter_begin };
static const yoke_system_ops counter_ops = { .kind = "counter",
                                             .rhs = counter_rhs,
                                             .save = counter_save,
                                             .restore = counter_restore };
static const yoke_system_info counter_info = { .n = 1,
                                               .m = 1,
                                               .memory_bytes = sizeof(int),
                                               .events = 2,
                                               .event = &counter_events };

static yoke_system *make(const char *name, counter *c)
{
    yoke_system *s = NULL;
    yoke_err err;

    CHECK_OK(yoke_system_create(&s, name, &counter_ops, c, &counter_info, &err),
             &err);
    return s;
}

static void events_need_both_callbacks(void **state)
{
    static const yoke_event_ops half = { .indicate = counter_indicate };
    const yoke_event_ops *const table[] = { NULL, &half, &counter_events };
    const int events[] = { 2, 2, -1 };
    counter c = { 0 };
    yoke_system *s = NULL;
    yoke_err err;

    (void)state;
    for (int k = 0; k < 3; k++) {
        yoke_system_info info = counter_info;
        info.event = table[k];
        info.events = events[k];
        CHECK_STATUS(
            yoke_system_create(&s, "counter", &counter_ops, &c, &info, &err),
            YOKE_E_ARG, &err);
        CHECK_CONTAINS(err.text, k < 2 ? "events = 2 without indicate and apply"
                                       : "events = -1 is not between 0 and");
    }
}

static void values_that_are_not_finite_are_named(void **state)
{
    counter c = { .kind = NOT_FINITE };
    yoke_system *s = make("counter", &c);
    const bool happened[] = { true, false };
    const double x = 1.0, u = 0.0;
    double g[2], x_new;
    yoke_err err;

    (void)state;
    CHECK_STATUS(yk_system_indicate(s, 2.5, &x, &u, g, &err), YOKE_RETRY, &err);
    CHECK_CONTAINS(err.text, "subsystem \"counter\", t = 2.5: indicator of "
                             "event 2 is inf");
    CHECK_STATUS(yk_system_apply(s, 2.5, &x, &u, happened, &x_new, &err),
                 YOKE_RETRY, &err);
    CHECK_CONTAINS(err.text, "value after an event of \"x1\" is");
    yoke_system_free(s);
}

static void a_system_without_events_has_nothing_to_do(void **state)
{
    const yoke_linear linear = { .n = 2 };
    const double x[] = { 1.0, 2.0 };
    double x_new[2];
    yoke_system *s = NULL;
    yoke_err err;

    (void)state;
    CHECK_OK(yoke_linear_create(&s, "none", &linear, &err), &err);
    CHECK_OK(yk_system_indicate(s, 0.0, x, NULL, NULL, &err), &err);
    CHECK_OK(yk_system_apply(s, 0.0, x, NULL, NULL, x_new, &err), &err);
    assert_memory_equal(x, x_new, sizeof x);
    yoke_system_free(s);
}

static void the_check_finds_broken_events(void **state)
{
    static const char *const text[] = {
        NULL, "the indicator of event 2 differs at a second call",
        "event 1, applied again after restore, differs in unknown \"x1\"",
        "the indicator of event 2 differs after apply and restore"
    };

    (void)state;
    for (int kind = GOOD; kind <= UNSAVED; kind++) {
        counter c = { .bound = 1.0 };
        yoke_system *s = make("counter", &c);
        yoke_err err;
        c.kind = kind;
        CHECK_STATUS(yoke_conform(s, 0.0, NULL, NULL, &err),
                     kind == GOOD ? YOKE_OK : YOKE_E_MODEL, &err);
        if (text[kind]) CHECK_CONTAINS(err.text, text[kind]);
        if (kind == GOOD) assert_int_equal(c.count, 0);
        yoke_system_free(s);
    }
}

static void a_system_with_events_has_no_parts(void **state)
{
    counter c = { 0 };
    yoke_system *s = make("counter", &c), *part = NULL;
    const int first = 0;
    yoke_err err;

    (void)state;
    CHECK_STATUS(yoke_part_create(&part, "piece", s, 1, &first, &first, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "part \"piece\" of \"counter\": a system with "
                             "events");
    yoke_system_free(s);
}

/* b is driven by the state of a; the input of a is open. */
static void a_composite_has_the_events_of_its_members(void **state)
{
    counter first = { .bound = 1.0 }, second = { .bound = 5.0 };
    yoke_system *const member[] = { make("a", &first), make("b", &second) };
    const yoke_link link = { .to = 1, .from = 0, .weight = 2.0 };
    const int open[][2] = { { 0, 0 } };
    const yoke_composition parts = { .members = 2,
                                     .links = 1,
                                     .opens = 1,
                                     .member = member,
                                     .link = &link,
                                     .open = open };
    const double x[] = { 3.0, 4.0 }, u = 0.5;
    const bool happened[] = { true, false, false, false };
    bool begun[4] = { true, true, true, true };
    double g[4], x_new[2];
    yoke_system *whole = NULL;
    yoke_err err;

    (void)state;
    CHECK_OK(yoke_compose(&whole, "whole", &parts, &err), &err);
    assert_int_equal(yoke_system_facts(whole)->events, 4);
    CHECK_OK(yk_system_indicate(whole, 0.0, x, &u, g, &err), &err);
    CHECK_NEAR(g[0], 2.0, 0.0);
    CHECK_NEAR(g[1], -0.5, 0.0);
    CHECK_NEAR(g[2], -1.0, 0.0);
    CHECK_NEAR(g[3], 5.0, 0.0); /* its input is 2 * 3 */
    CHECK_OK(yk_system_begin(whole, 0.0, x, &u, begun, &err), &err);
    assert_true(begun[0]);
    assert_false(begun[1] || begun[2] || begun[3]);
    CHECK_OK(yk_system_apply(whole, 0.0, x, &u, happened, x_new, &err), &err);
    CHECK_NEAR(x_new[0], 0.0, 0.0);
    CHECK_NEAR(x_new[1], 4.0, 0.0);
    assert_int_equal(first.count, 1);
    assert_int_equal(second.count, 0);
    CHECK_OK(yoke_conform(whole, 0.0, NULL, NULL, &err), &err);
    yoke_system_free(whole);
    yoke_system_free(member[0]);
    yoke_system_free(member[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_need_both_callbacks),
        cmocka_unit_test(values_that_are_not_finite_are_named),
        cmocka_unit_test(a_system_without_events_has_nothing_to_do),
        cmocka_unit_test(the_check_finds_broken_events),
        cmocka_unit_test(a_system_with_events_has_no_parts),
        cmocka_unit_test(a_composite_has_the_events_of_its_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
