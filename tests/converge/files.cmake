set(TESTS stepper_order window_order events states two_masses mechanism
    strong_coupling)
