set(FILES iteration.c window.c measure.c judge.c engage.c mix.c breaks.c finish.c sweep.c converge.c resize.c
    interface.c anderson.c correct.c grid.c precond.c guess.c delay.c)
set(TESTS resize_test converge_test window_test anderson_test guess_test
    interface_test correct_test loose_test precond_test)
