set(FILES components.c)
