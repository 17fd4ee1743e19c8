# problems.awk -- writes one of the problems: awk -v problem=NAME -v size=N -f.
#
# ring      N nonlinear rods of 40 cells in a ring, weakly coupled (with rods.mo)
# rods      the same with 400 cells
# blocks    N masses between springs, one port-Hamiltonian block each
# chains    8 chains of N inverters each, a netlist in 8 parts
# fields    two magnetic fields with a circuit between them
# fmus      N masses in a row as co-simulation FMUs (mass.fmu)
function ring(cells,    i) {
    print "yoke: 1"
    print "run: {stop: 2, scheme: jacobi, cluster: none, rtol: 1e-6, spot: 0, every: 0.1}"
    print "subsystems:"
    for (i = 1; i <= size; i++)
        printf "  rod%d: {model: rods.mo, parameters: {w: %g, n: %d}}\n", i, 1 + i / size, cells
    if (cells > 100) print "output: {variables: [rod1.*, rod16.*]}"
    print "couplings:"
    for (i = 1; i <= size; i++) {
        printf "  - signal: rod%d.left = rod%d.last\n", i, i == 1 ? size : i - 1
        printf "  - signal: rod%d.right = rod%d.first\n", i, i == size ? 1 : i + 1
    }
}
# Each block: 12 masses and springs inside; the spring to the next belongs to it.
function blocks(    i, j, k, n) {
    n = 12
    print "yoke: 1"
    print "run: {stop: 30, scheme: port-waves, step: 2 ms, rtol: 1e-6, atol: 1e-9, spot: 0, every: 0.1, record: \"b1.* b" size ".*\"}"
    print "subsystems:"
    for (i = 1; i <= size; i++) {
        printf "  b%d:\n    component: port-hamiltonian\n    x: [", i
        for (k = 1; k <= n; k++) printf "p%d, q%d%s", k, k, k < n ? ", " : "]\n"
        # q_k is the spring behind mass k: q' = v_k - v_(k+1), p' = q_(k-1) - q_k
        printf "    J: ["
        for (k = 1; k <= 2 * n; k++) {
            printf "["
            for (j = 1; j <= 2 * n; j++) {
                printf "%d%s", entry(k, j), j < 2 * n ? "," : ""
            }
            printf "]%s", k < 2 * n ? ", " : "]\n"
        }
        printf "    R: ["
        for (k = 1; k <= n; k++) printf "0.1, 0%s", k < n ? ", " : "]\n"
        printf "    Q: ["
        for (k = 1; k <= n; k++) printf "1, 100%s", k < n ? ", " : "]\n"
        printf "    B: ["
        for (k = 1; k <= 2 * n; k++)
            printf "[%d, %d]%s", k == 1, k == 2 * n ? -1 : 0, k < 2 * n ? ", " : "]\n"
        print "    u: [push, speed]"
        print "    y: [velocity, force]"
        if (i == 1) {
            printf "    x0: [1"
            for (k = 2; k <= 2 * n; k++) printf ", 0"
            print "]"
        }
    }
    print "couplings:"
    for (i = 1; i < size; i++) {
        printf "- signal: b%d.speed = b%d.velocity\n", i, i + 1
        printf "- signal: b%d.push = -b%d.force\n", i + 1, i
    }
    printf "- signal: b%d.speed = b1.velocity\n- signal: b1.push = -b%d.force\n", size, size
}
# Row and column 2 k - 1: p of mass k; 2 k: its spring.
function entry(row, col) {
    if (row % 2 == 1 && col == row + 1) return -1
    if (row % 2 == 1 && col == row - 1) return 1
    if (row % 2 == 0 && col == row - 1) return 1
    if (row % 2 == 0 && col == row + 1) return -1
    return 0
}
function chains(    c, i) {
    print "eight chains of inverters, each with its own clock, joined at their ends"
    print "vdd vdd 0 5"
    for (c = 1; c <= 8; c++) {
        printf "vin%d in%d 0 pulse(0 5 %gn 0.2n 0.2n 2n 8n)\n", c, c, 0.5 + 0.1 * c
        printf "xc%d in%d out%d vdd chain\n", c, c, c
    }
    for (c = 1; c < 8; c++) printf "c%d out%d out%d 2f\n", c, c, c + 1
    print ".subckt chain a z vdd"
    for (i = 1; i <= size; i++)
        printf "x%d %s %s vdd inv\n", i, i == 1 ? "a" : "n" i - 1, \
            i == size ? "z" : "n" i
    print ".ends"
    print ".subckt inv a z vdd"
    print "mp z a vdd vdd pm w=4u l=1u"
    print "mn z a 0 0 nm w=2u l=1u"
    print "cl z 0 20f"
    print ".ends"
    print ".model nm nmos(level=1 vto=0.8 kp=60u lambda=0.02 cgso=0.2n cgdo=0.2n)"
    print ".model pm pmos(level=1 vto=-0.8 kp=25u lambda=0.02 cgso=0.2n cgdo=0.2n)"
    for (c = 1; c <= 8; c++) printf "* yoke: part chain%d xc%d.* out%d\n", c, c, c
    print ".tran 0.1n 30n"
    print ".end"
}
function fields(    k) {
    print "yoke: 1"
    print "run: {stop: 4 ms, step: 20 us, window: 0.4 ms, cluster: none,"
    print "      schedule: \"mains > field1, field2 > coils1 + coils2 + load\", rtol: 1e-4, atol: 1e-4, spot: 0}"
    print "subsystems:"
    print "  mains:"
    print "    linear: {E: 0, A: -1, source: \"160*sin(2*pi*60*time)\", x: v}"
    print "    stepper: implicit-euler"
    for (k = 1; k <= 2; k++) {
        printf "  field%d:\n    component: field\n    mesh: transformer.msh\n", k
        print "    depth: 41.275 mm\n    symmetry: 4"
        print "    materials: {iron: {brauer: [0.3774, 2.97, 388.33]}}"
        print "    regions: {core: iron, winair: air, outair: air}"
        print "    windings:"
        print "      primary: {region: primary, turns: 130, resistance: 0.44937 Ohm}"
        print "      secondary: {region: secondary, turns: 45, resistance: 0.061526 Ohm}"
        print "    boundary: [dirichlet]\n    drive: flux\n    extract: chord\n    stepper: implicit-euler"
        printf "  coils%d:\n    component: inductance\n    windings:\n", k
        print "      primary: {resistance: 0.44937 Ohm}"
        print "      secondary: {resistance: 0.061526 Ohm}"
        print "    stepper: implicit-euler"
    }
    print "  load: {netlist: load.cir, ports: [s1, s2], stepper: implicit-euler}"
    print "couplings:"
    for (k = 1; k <= 2; k++) {
        printf "  - signal: [coils%d.primary.v = mains.v, coils%d.secondary.v = load.v(s%d)]\n", \
            k, k, k
        printf "  - signal: load.into(s%d) = -coils%d.secondary.i\n", k, k
        printf "  - signal: [coils%d.L.primary = field%d.L.primary, coils%d.L.secondary = field%d.L.secondary, coils%d.L.primary.secondary = field%d.L.primary.secondary]\n", k, k, k, k, k, k
        printf "  - signal: [field%d.primary.phi = coils%d.primary.phi, field%d.secondary.phi = coils%d.secondary.phi]\n", k, k, k, k
    }
}
function fmus(    i) {
    print "yoke: 1"
    print "run: {stop: 0.2, scheme: jacobi, cluster: none, rtol: 1e-5, spot: 0}"
    print "subsystems:"
    for (i = 1; i <= size; i++)
        printf "  m%d: {fmu: mass.fmu, kind: cs, parameters: {k: 40, c: 20, x: %g}}\n", i, i % 2
    print "couplings:"
    for (i = 1; i <= size; i++) printf "  - signal: m%d.u = m%d.y\n", i, i == size ? 1 : i + 1
}
BEGIN {
    if (problem == "ring") ring(40)
    else if (problem == "rods") ring(400)
    else if (problem == "blocks") blocks()
    else if (problem == "chains") chains()
    else if (problem == "fields") fields()
    else if (problem == "fmus") fmus()
    else exit 1
}
