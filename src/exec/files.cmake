set(FILES serial.c)
set(TESTS serial_test)
