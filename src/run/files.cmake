set(FILES checkpoint.c checkpoint_file.c closed.c results.c scaling.c handover.c owners.c plan.c run.c second.c start.c)
set(TESTS accelerate_test checkpoint_test soak_test coupled_test delay_test finish_test many_test columns_test one_sweep_test one_sweep_steppers_test refuse_test
    run_test apart_test)
