set(TESTS accuracy devices)
