set(TESTS ph_fault run_fault)
