set(FILES advance.c answer.c control.c dense.c drive.c front.c grow.c motion.c steep.c steppers.c tape.c tape_doubt.c tape_search.c turns.c
    cells/latent.c cells/latent_cells.c cells/latent_pieces.c
    cells/latent_rest.c event/domain_end.c event/branch.c event/event.c event/simultaneous.c event/locate.c
    event/rise.c event/scan.c look/look.c look/look_curve.c look/look_error.c look/look_points.c
    look/look_time.c look/deviation.c
    method/bdf.c method/erk.c
    method/genalpha.c method/implicit.c method/radau.c method/radau_start.c
    method/stormer.c method/trbdf2.c solve/block_triangular.c solve/deep_unknowns.c solve/hidden_constraints.c solve/initial.c
    solve/matrix.c solve/newton.c solve/problem.c solve/rates.c solve/slopes.c solve/steady.c)
set(TESTS answer_test front_test grow_test impulse_test noise_test tape_test event/event_test event/locate_test
    event/new_event_test event/rise_test look/look_points_test)
if(YOKE_SUNDIALS_LIBRARIES)
    list(APPEND FILES method/ida.c)
    list(APPEND TESTS method/ida_test)
    list(APPEND YOKE_INCLUDES ${KLU_INCLUDE}/suitesparse) # its headers want it
endif()
