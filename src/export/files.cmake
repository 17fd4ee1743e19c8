set(FILES describe.c fmu.c pack.c trial_run.c variables.c)
