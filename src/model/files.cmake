set(FILES initial.c model.c names.c options.c point.c steady.c units_point.c waves.c)
