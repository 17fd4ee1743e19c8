set(FILES channel.c serve.c worker.c closed.c)
set(TESTS part_test)
