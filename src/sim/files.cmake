set(FILES model.c options.c choose.c plan.c point.c start.c record.c run.c)
set(TESTS)
