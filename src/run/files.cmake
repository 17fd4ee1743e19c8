set(FILES ask.c certify.c contraction_along.c handover.c passive.c plan.c
    replay.c rest.c run.c spot.c spot_check.c start.c stepper.c)
set(TESTS accelerate_test coupled_test delay_test finish_test refuse_test rest_test
    run_test spot_test)
