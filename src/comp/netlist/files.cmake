set(FILES)
set(TESTS)
