set(FILES advise.c first_schedule.c contraction.c contraction_along.c ladder.c many.c orders.c
    passive.c predict.c sharpen.c stay.c stepper.c)
set(TESTS contraction_test ladder_test repair_test)
