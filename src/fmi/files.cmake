set(FILES cholesky.c dense.c fmi2.c fmi3.c folder.c guest.c heap.c instance.c interface.c missing.c threads.c wrap.c)
