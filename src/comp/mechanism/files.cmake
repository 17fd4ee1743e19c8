set(FILES check.c kernel.c masses.c masses_ph.c mechanism.c multibody.c
    multibody_force.c multibody_joint.c multibody_start.c multibody_write.c
    places.c project.c read_formulation.c read_masses.c read_multibody.c
    read_wires.c start.c wires.c)
set(TESTS mechanism_test multibody_test read_multibody_test refuse_test
    wires_test)
