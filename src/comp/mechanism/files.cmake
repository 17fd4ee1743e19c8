set(FILES check.c kernel.c masses.c mechanism.c wires.c)
set(TESTS mechanism_test wires_test)
