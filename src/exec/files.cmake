set(FILES serial.c)
set(TESTS)
