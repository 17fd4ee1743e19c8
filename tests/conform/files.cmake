set(TESTS stepper_conform stepper_cases base_modelica)
