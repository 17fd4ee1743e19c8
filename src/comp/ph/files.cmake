set(FILES market.c ph.c read.c verify.c)
set(TESTS ph_test read_test)
