set(FILES steppers.c drive.c answer.c advance.c event.c locate.c scan.c look.c look_error.c look_points.c rates.c dense.c problem.c control.c depth.c latent.c latent_cells.c latent_pieces.c latent_rest.c
    matrix.c
    newton.c slopes.c initial.c implicit.c erk.c stormer.c bdf.c trbdf2.c
    genalpha.c radau.c thirds.c)
set(TESTS answer_test event_test locate_test new_event_test)
if(YOKE_SUNDIALS_LIBRARIES)
    list(APPEND FILES ida.c)
    list(APPEND YOKE_INCLUDES ${KLU_INCLUDE}/suitesparse) # its headers want it
endif()
