set(FILES status.c memory.c numbers.c options.c)
set(TESTS base_test)
