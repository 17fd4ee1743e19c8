/* graph/levels_test.c -- what runs at once, and that nobody reads anything else. */
#include "check.h"

#include "graph/levels.h"

enum { MOST = 40 };

/* A schedule of `count` clusters, one after the other. */
typedef struct line {
    int cluster[MOST], stage[MOST + 1], member[MOST];
    yoke_schedule s;
} line;

static const yoke_schedule *in_order(line *l, int count, const int *order)
{
    for (int k = 0; k < count; k++) {
        l->cluster[k] = l->stage[k] = k;
        l->member[k] = order ? order[k] : k;
    }
    l->stage[count] = count;
    l->s = (yoke_schedule){ .nodes = count,
                            .clusters = count,
                            .stages = count,
                            .cluster = l->cluster,
                            .stage = l->stage,
                            .member = l->member };
    return &l->s;
}

static yoke_schedule *levels(const yoke_schedule *old, int count,
                             int (*link)[2], const bool *barrier)
{
    const yk_level_links links = { count, link, barrier };
    yoke_schedule *s = NULL;
    yoke_err err;

    CHECK_OK(yk_schedule_levels(&s, old, &links, &err), &err);
    return s;
}

static int chain(int count, int (*link)[2])
{
    for (int k = 0; k + 1 < count; k++) {
        link[k][0] = k;
        link[k][1] = k + 1;
    }
    return count - 1;
}

static void a_chain_has_two_levels_in_every_second_order(void **state)
{
    int link[MOST][2];
    const int links = chain(7, link), order[] = { 0, 2, 4, 6, 1, 3, 5 };
    line l;

    (void)state;
    assert_null(levels(in_order(&l, 7, NULL), links, link, NULL));
    yoke_schedule *s = levels(in_order(&l, 7, order), links, link, NULL);
    assert_non_null(s);
    assert_int_equal(s->stages, 2);
    assert_int_equal(s->stage[1], 4);
    assert_int_equal(s->stage[2], 7);
    for (int k = 0; k < 7; k++) assert_int_equal(s->member[k], order[k]);
    yoke_schedule_free(s);
}

static void a_barrier_is_passed_by_nobody(void **state)
{
    int link[1][2] = { { 0, 1 } };
    const bool barrier[] = { false, false, false, true, false, false };
    line l;

    (void)state;
    yoke_schedule *s = levels(in_order(&l, 6, NULL), 1, link, barrier);
    assert_non_null(s); /* 0 2, 1, 3, 4 5 */
    assert_int_equal(s->stages, 4);
    assert_int_equal(s->member[s->stage[2]], 3);
    assert_int_equal(s->stage[3] - s->stage[2], 1);
    yoke_schedule_free(s);
}

static void members_of_a_stage_that_read_each_other_stay(void **state)
{
    int link[1][2] = { { 0, 1 } };
    line l;

    (void)state;
    in_order(&l, 3, NULL);
    l.s.stages = 2; /* 0, 1 > 2 */
    l.stage[1] = 2;
    l.stage[2] = 3;
    assert_null(levels(&l.s, 1, link, NULL));
}

static unsigned draw(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Linked clusters come in the order in which they were, in different stages. */
static void compare(const yoke_schedule *old, const yoke_schedule *s, int count,
                    int (*link)[2])
{
    int before[MOST], now[MOST], seen = 0;

    for (int t = 0; t < old->stages; t++) before[old->member[t]] = t;
    for (int t = 0; t < s->stages; t++)
        for (int k = s->stage[t]; k < s->stage[t + 1]; k++, seen++)
            now[s->member[k]] = t;
    assert_int_equal(seen, old->stages);
    for (int k = 0; k < count; k++) {
        const int a = link[k][0], b = link[k][1];
        if (a == b) continue;
        assert_int_not_equal(now[a], now[b]);
        assert_int_equal(before[a] < before[b], now[a] < now[b]);
    }
}

static void everybody_reads_what_he_read(void **state)
{
    unsigned seed = 5;
    int packed = 0;

    (void)state;
    for (int turn = 0; turn < 300; turn++) {
        const int count = 2 + (int)draw(&seed, MOST - 2);
        const int links = (int)draw(&seed, (unsigned)count * 2);
        int link[2 * MOST][2], order[MOST];
        line l;
        for (int k = 0; k < count; k++) order[k] = k;
        for (int k = count - 1; k > 0; k--) {
            const int j = (int)draw(&seed, (unsigned)k + 1), c = order[k];
            order[k] = order[j];
            order[j] = c;
        }
        for (int k = 0; k < links; k++)
            for (int side = 0; side < 2; side++)
                link[k][side] = (int)draw(&seed, (unsigned)count);
        const yoke_schedule *old = in_order(&l, count, order);
        yoke_schedule *s = levels(old, links, link, NULL);
        if (s) compare(old, s, links, link);
        packed += s != NULL;
        yoke_schedule_free(s);
    }
    assert_true(packed > 200);
}

static void no_failed_allocation_leaks(void **state)
{
    int link[MOST][2];
    const int count = chain(7, link), order[] = { 0, 2, 4, 6, 1, 3, 5 };
    const yk_level_links links = { count, link, NULL };
    line l;
    long n = 1;

    (void)state;
    in_order(&l, 7, order);
    for (bool reached = true; reached; n++) {
        yoke_schedule *s = NULL;
        fault_allocator(n);
        const yoke_status status = yk_schedule_levels(&s, &l.s, &links, NULL);
        reached = fault_requests() >= n;
        assert_int_equal(status, reached ? YOKE_E_MEMORY : YOKE_OK);
        assert_int_equal(s != NULL, !reached);
        yoke_schedule_free(s);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_has_two_levels_in_every_second_order),
        cmocka_unit_test(a_barrier_is_passed_by_nobody),
        cmocka_unit_test(members_of_a_stage_that_read_each_other_stay),
        cmocka_unit_test(everybody_reads_what_he_read),
        cmocka_unit_test(no_failed_allocation_leaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
