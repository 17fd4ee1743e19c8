set(FILES model.c names.c options.c)
