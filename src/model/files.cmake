set(FILES initial.c model.c names.c options.c point.c waves.c)
