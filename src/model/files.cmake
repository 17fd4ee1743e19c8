set(FILES model.c names.c options.c point.c waves.c)
