set(FILES check.c device.c diode.c doping.c grid.c make.c mobility.c read.c
    static.c voronoi.c)
set(TESTS diode_test read_test)
