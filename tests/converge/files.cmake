set(TESTS stepper_order window_order events)
