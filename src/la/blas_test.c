/* la/blas_test.c -- the threads of OpenBLAS; with another BLAS nothing is
 * tested. */
#include "check.h"
#include "la/blas.h"
#include "la/dense.h"

extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern int openblas_get_num_procs(void) __attribute__((weak));
extern int openblas_num_threads_env(void) __attribute__((weak));

static void factor_one(void)
{
    double a = 2.0;
    int pivot = 0;
    yoke_err err;

    CHECK_OK(yk_dense_factor(1, &a, &pivot, NULL, &err), &err);
}

static bool known(void)
{
    return openblas_set_num_threads && openblas_get_num_threads &&
           openblas_get_num_procs && openblas_num_threads_env;
}

static void the_first_factorisation_leaves_one_thread(void **state)
{
    (void)state;
    if (!known() || openblas_num_threads_env() > 0) skip();
    factor_one();
    assert_int_equal(openblas_get_num_threads(), 1);
}

static void a_number_that_was_chosen_is_kept(void **state)
{
    (void)state;
    if (!known()) skip();
    const int other = openblas_get_num_procs() + 1;
    openblas_set_num_threads(other);
    if (openblas_get_num_threads() != other) skip(); /* bounded by its build */
    factor_one();
    assert_int_equal(openblas_get_num_threads(), other);
}

static void a_number_of_the_environment_is_kept(void **state)
{
    (void)state;
    if (!known() || openblas_num_threads_env() <= 0) skip();
    openblas_set_num_threads(openblas_get_num_procs());
    factor_one();
    assert_int_equal(openblas_get_num_threads(), openblas_get_num_procs());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_factorisation_leaves_one_thread),
        cmocka_unit_test(a_number_that_was_chosen_is_kept),
        cmocka_unit_test(a_number_of_the_environment_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
