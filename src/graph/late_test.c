/* graph/late_test.c -- orders in which little is late. */
#include "check.h"

#include "graph/graph.h"
#include "yoke/system.h"

#include <stdio.h>

enum { MOST = 64 };

/* x' = -x + the sum of m inputs, y = x. */
static yoke_system *part(const char *name)
{
    const double a = -1.0, one = 1.0, zero = 0.0;
    const yoke_linear matrices = { .n = 1,
                                   .m = 1,
                                   .p = 1,
                                   .A = &a,
                                   .B = &one,
                                   .H = &one,
                                   .D = &zero,
                                   .x0 = &one };
    yoke_system *s = NULL;
    yoke_err err;

    CHECK_OK(yoke_linear_create(&s, name, &matrices, &err), &err);
    return s;
}

static yoke_graph *parts(int count)
{
    yoke_graph *g = NULL;
    yoke_err err;
    char name[20];

    CHECK_OK(yk_graph_create(&g, &err), &err);
    for (int k = 0; k < count; k++) {
        snprintf(name, sizeof name, "p%d", k);
        CHECK_OK(yk_graph_add(g, part(name), &err), &err);
    }
    return g;
}

/* to reads from */
static void link_parts(yoke_graph *g, int to, int from)
{
    char a[20], b[20];
    yoke_err err;

    snprintf(a, sizeof a, "p%d.u1", to);
    snprintf(b, sizeof b, "p%d.y1", from);
    CHECK_OK(yoke_graph_signal(g, a, b, 0.5, &err), &err);
}

static void few(const yoke_graph *g, int *order, int *now, int *late)
{
    yoke_schedule *s = NULL;
    bool there[MOST] = { false };
    yoke_err err;

    CHECK_OK(yk_schedule_create(&s, g, YOKE_GAUSS_SEIDEL, 0, NULL, &err), &err);
    CHECK_OK(yk_schedule_few_late(g, s, order, now, late, &err), &err);
    for (int k = 0; k < s->clusters; k++) {
        assert_false(there[order[k]]);
        there[order[k]] = true;
    }
    yoke_schedule_free(s);
}

static void the_hub_of_a_star_comes_last(void **state)
{
    yoke_graph *g = parts(30);
    int order[MOST], now = 0, late = 0;
    (void)state;
    for (int k = 1; k < 30; k++) {
        link_parts(g, 0, k);
        link_parts(g, k, 0);
    }
    few(g, order, &now, &late);
    assert_int_equal(now, 29);
    assert_int_equal(late, 1);
    assert_int_equal(order[29], 0);
    yk_graph_free(g);
}

static void every_second_part_of_a_ring_is_late(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        yoke_graph *g = parts(40);
        int order[MOST], now = 0, late = 0;
        for (int k = 0; k < 40 - !closed; k++) {
            link_parts(g, k, (k + 1) % 40);
            link_parts(g, (k + 1) % 40, k);
        }
        few(g, order, &now, &late);
        assert_int_equal(now, 39);
        assert_int_equal(late, 20);
        yk_graph_free(g);
    }
}

/* 0 <-> 1 feed 2 <-> 3, which feed 4; in the file backwards. */
static void loops_stay_behind_what_feeds_them(void **state)
{
    yoke_graph *g = parts(5);
    int order[MOST], now = 0, late = 0, place[MOST];
    (void)state;
    link_parts(g, 4, 3);
    link_parts(g, 3, 4);
    link_parts(g, 2, 3);
    link_parts(g, 2, 1);
    link_parts(g, 1, 2);
    link_parts(g, 0, 1);
    few(g, order, &now, &late);
    assert_int_equal(now, 4);
    assert_int_equal(late, 2);
    for (int k = 0; k < 5; k++) place[order[k]] = k;
    assert_true(place[3] < place[2] && place[4] < place[2]);
    assert_true(place[1] < place[0] && place[2] < place[0]);
    yk_graph_free(g);
}

static void without_a_loop_nothing_is_late(void **state)
{
    yoke_graph *g = parts(20);
    int order[MOST], now = 0, late = 1;
    (void)state;
    for (int k = 0; k + 1 < 20; k++) link_parts(g, k, k + 1);
    few(g, order, &now, &late);
    assert_int_equal(now, 19);
    assert_int_equal(late, 0);
    yk_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hub_of_a_star_comes_last),
        cmocka_unit_test(every_second_part_of_a_ring_is_late),
        cmocka_unit_test(loops_stay_behind_what_feeds_them),
        cmocka_unit_test(without_a_loop_nothing_is_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
