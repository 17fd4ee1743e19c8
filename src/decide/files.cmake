set(FILES advise.c before_run.c contraction.c contraction_along.c ladder.c orders.c
    predict.c stepper.c)
set(TESTS contraction_test ladder_test repair_test)
