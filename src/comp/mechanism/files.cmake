set(FILES check.c kernel.c masses.c mechanism.c multibody.c multibody_force.c
    multibody_joint.c multibody_start.c multibody_write.c places.c project.c start.c
    wires.c)
set(TESTS mechanism_test multibody_test wires_test)
