set(FILES model.c options.c plan.c start.c record.c run.c)
set(TESTS)
