set(TESTS stepper_order window_order events two_masses)
