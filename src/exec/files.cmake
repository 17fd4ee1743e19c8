set(FILES gate.c replay.c serial.c tasks.c threads.c)
set(TESTS serial_test tasks_test threads_test)
