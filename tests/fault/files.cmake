set(TESTS run_fault)
