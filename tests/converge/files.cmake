set(TESTS stepper_order)
