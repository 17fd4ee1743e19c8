set(TESTS devices)
