set(FILES model.c options.c choose.c plan.c point.c contraction.c advise.c start.c record.c journal.c run.c)
set(TESTS contraction_test run_test refuse_test coupled_test)
