set(FILES advise.c before_run.c contraction.c ladder.c orders.c predict.c)
set(TESTS contraction_test ladder_test repair_test)
