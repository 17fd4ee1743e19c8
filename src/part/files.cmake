set(FILES channel.c serve.c tree.c worker.c closed.c jumps.c)
set(TESTS part_test)
