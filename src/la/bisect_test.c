/* la/bisect_test.c -- parts of weighted graphs. */
#include "check.h"

#include "la/bisect.h"

enum { SIDE = 8, NODES = 2 * SIDE };

/* Two complete graphs of eight vertices with one edge between them. */
typedef struct dumbbell {
    int work[NODES], start[NODES + 1], to[NODES * SIDE], weight[NODES * SIDE];
    yk_weighted graph;
} dumbbell;

static void make(dumbbell *d)
{
    int edges = 0;

    for (int i = 0; i < NODES; i++) {
        d->work[i] = 1;
        d->start[i] = edges;
        for (int j = 0; j < NODES; j++) {
            const bool same = i / SIDE == j / SIDE;
            const bool bridge =
                (i == 3 && j == SIDE + 4) || (j == 3 && i == SIDE + 4);
            if (i == j || !(same || bridge)) continue;
            d->to[edges] = j;
            d->weight[edges++] = 10;
        }
    }
    d->start[NODES] = edges;
    d->graph = (yk_weighted){ NODES, d->work, d->start, d->to, d->weight };
}

#ifdef YOKE_HAVE_METIS

static void the_bridge_is_cut(void **state)
{
    dumbbell d;
    int part[NODES], parts = 0;
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    make(&d);
    CHECK_OK(yk_bisect(&d.graph, 2, part, &parts, &err), &err);
    assert_int_equal(parts, 2);
    for (int i = 0; i < NODES; i++)
        assert_int_equal(part[i], i < SIDE ? part[0] : part[SIDE]);
    assert_int_not_equal(part[0], part[SIDE]);
}

static void no_part_is_empty(void **state)
{
    (void)state;
    for (int wanted = 1; wanted <= NODES + 3; wanted++) {
        dumbbell d;
        int part[NODES], parts = 0, size[NODES] = { 0 };
        yoke_err err = { YOKE_OK, "" };
        make(&d);
        d.work[5] = 1000; /* unequal */
        CHECK_OK(yk_bisect(&d.graph, wanted, part, &parts, &err), &err);
        assert_true(parts >= 1 && parts <= wanted && parts <= NODES);
        for (int i = 0; i < NODES; i++) {
            assert_true(part[i] >= 0 && part[i] < parts);
            size[part[i]]++;
        }
        for (int p = 0; p < parts; p++) assert_true(size[p] > 0);
    }
}

#else

static void it_is_named(void **state)
{
    dumbbell d;
    int part[NODES], parts = 0;
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    make(&d);
    CHECK_STATUS(yk_bisect(&d.graph, 2, part, &parts, &err), YOKE_E_MISSING,
                 &err);
    CHECK_CONTAINS(err.text, "METIS");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef YOKE_HAVE_METIS
        cmocka_unit_test(the_bridge_is_cut),
        cmocka_unit_test(no_part_is_empty),
#else
        cmocka_unit_test(it_is_named),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
