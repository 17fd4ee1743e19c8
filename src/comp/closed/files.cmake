set(FILES points.c subsystem.c)
