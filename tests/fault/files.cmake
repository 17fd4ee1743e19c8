set(TESTS hdf5_fault ph_fault run_fault)
