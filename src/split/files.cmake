set(FILES bounds.c balance.c direct.c gmres.c lti.c mercier.c net.c port.c
    propagator.c waves.c window.c)

set(TESTS split_test)
