set(FILES answers.c points.c subsystem.c)
