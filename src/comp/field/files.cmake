set(FILES assemble.c device.c draw.c eddy.c inductance.c material.c model.c
    read.c solve.c)
set(TESTS field_test read_test)
