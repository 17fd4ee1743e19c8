set(FILES fmu.c)
