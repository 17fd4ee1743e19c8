set(FILES channel.c serve.c tree.c worker.c closed.c divide.c jumps.c ticks.c)
set(TESTS part_test)
