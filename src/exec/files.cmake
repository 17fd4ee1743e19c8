set(FILES gate.c serial.c threads.c)
set(TESTS serial_test threads_test)
