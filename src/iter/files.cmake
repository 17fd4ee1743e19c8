set(FILES iteration.c window.c average.c breaks.c change.c effort.c
    end_events.c states.c coupled.c cross.c stop.c
    stage.c sweep.c converge.c resize.c extrapolate.c delay.c correct/aitken.c
    correct/anderson.c correct/correct.c correct/grid.c correct/interface.c
    correct/newton.c correct/precondition.c correct/rows.c ph/balance.c ph/direct.c ph/gmres.c
    constraint/collocate.c constraint/bends.c constraint/common.c
    constraint/collocated.c constraint/collocated_probe.c constraint/correct.c constraint/node.c constraint/pieces.c constraint/shock.c
    constraint/slopes.c constraint/unit.c
    ph/mercier.c ph/propagator.c ph/scheme.c ph/waves.c ph/window.c)
set(TESTS constraint/collocate_test constraint/node_test resize_test converge_test window_test effort_test extrapolate_test
    correct/anderson_test correct/correct_test correct/interface_test
    correct/precondition_test ph/split_test)
