set(FILES read.c)
