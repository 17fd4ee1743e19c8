set(FILES engine.c process.c protocol.c read.c)
