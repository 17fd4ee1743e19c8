set(FILES describe.c fmu.c pack.c try.c variables.c)
