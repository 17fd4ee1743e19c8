set(FILES initial.c model.c names.c options.c point.c units_point.c waves.c)
