set(FILES market.c ph.c verify.c)

set(TESTS ph_test)
