set(FILES channel.c serve.c tree.c worker.c closed.c)
set(TESTS part_test)
