set(FILES channel.c copy.c serve.c tree.c worker.c closed.c divide.c manners.c ticks.c)
set(TESTS part_test)
