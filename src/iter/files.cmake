set(FILES iteration.c window.c measure.c judge.c engage.c mix.c breaks.c finish.c
    sweep.c converge.c resize.c guess.c delay.c correct/aitken.c
    correct/anderson.c correct/correct.c correct/grid.c correct/interface.c
    correct/newton.c correct/precondition.c ph/balance.c ph/direct.c ph/gmres.c
    ph/mercier.c ph/propagator.c ph/scheme.c ph/waves.c ph/window.c)
set(TESTS resize_test converge_test window_test guess_test loose_test
    correct/anderson_test correct/correct_test correct/interface_test
    correct/precondition_test ph/split_test)
