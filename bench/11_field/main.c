/* bench/11_field/main.c -- what does a magnetic field cost, and what is saved
 * by solving it rarely?
 *
 * 1. Time to solve a saturated static field on meshes of 2,000 to 200,000
 *    nodes.
 * 2. A gapped choke between a converter that switches at 20 kHz and its load:
 *    the field in every step of a microsecond, against a field with steps of a
 *    millisecond that gives its tangent to the circuit.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include "comp/field/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- a quarter of a gapped core, in mm ----------------------------------- */

enum { SEGMENTS = 6, MOST_LINES = 4000 };

static const double xs[] = { 0, 10, 12, 28, 30, 40, 55 };
static const double ys[] = { 0, 0.5, 2, 26, 30, 40, 55 };
static const int x_cells[] = { 5, 1, 8, 1, 5, 4 };
static const int y_cells[] = { 1, 1, 12, 2, 5, 4 };

static int make_lines(const double *end, const int *cells, double scale,
                      double *line)
{
    int count = 0;

    for (int k = 0; k < SEGMENTS; k++) {
        const int n = (int)fmax(1.0, round(cells[k] * scale));
        for (int j = 0; j < n; j++)
            line[count++] = end[k] + (end[k + 1] - end[k]) * j / n;
    }
    line[count++] = end[SEGMENTS];
    return count;
}

/* 1 core, 2 coil, 3 air. */
static int region_of(double x, double y)
{
    if (x > 40 || y > 40 || (x < 10 && y < 0.5)) return 3;
    if (x > 12 && x < 28 && y < 26) return 2;
    return x > 10 && x < 30 && y < 30 ? 3 : 1;
}

static int write_mesh(const char *path, double scale)
{
    static double x[MOST_LINES], y[MOST_LINES];
    const int nx = make_lines(xs, x_cells, scale, x),
              ny = make_lines(ys, y_cells, scale, y);
    const int edges = 2 * (ny - 1) + nx - 1;
    FILE *f = fopen(path, "w");
    int e = 1;

    if (!f) {
        perror(path);
        exit(1);
    }
    fprintf(f,
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n"
            "1 9 \"fixed\"\n2 1 \"core\"\n2 2 \"coil\"\n2 3 \"air\"\n"
            "$EndPhysicalNames\n$Nodes\n%d\n",
            nx * ny);
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            fprintf(f, "%d %.9g %.9g 0\n", j * nx + i + 1, x[i], y[j]);
    fprintf(f, "$EndNodes\n$Elements\n%d\n", edges + 2 * (nx - 1) * (ny - 1));
    for (int j = 0; j < ny - 1; j++, e += 2)
        fprintf(f, "%d 1 2 9 1 %d %d\n%d 1 2 9 1 %d %d\n", e, j * nx + 1,
                j * nx + nx + 1, e + 1, j * nx + nx, j * nx + 2 * nx);
    for (int i = 1; i < nx; i++)
        fprintf(f, "%d 1 2 9 1 %d %d\n", e++, (ny - 1) * nx + i,
                (ny - 1) * nx + i + 1);
    for (int j = 0; j < ny - 1; j++)
        for (int i = 0; i < nx - 1; i++, e += 2) {
            const int v = j * nx + i + 1, w = v + nx;
            const int r =
                region_of(0.5 * (x[i] + x[i + 1]), 0.5 * (y[j] + y[j + 1]));
            fprintf(f, "%d 2 2 %d 1 %d %d %d\n%d 2 2 %d 1 %d %d %d\n", e, r, v,
                    v + 1, w + 1, e + 1, r, v, w + 1, w);
        }
    fprintf(f, "$EndElements\n");
    fclose(f);
    return nx * ny;
}

/* ---- 1. one field -------------------------------------------------------- */

static double cpu(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Processor time of the field of a flux; the inductance with it. */
static double solve_once(yk_field_solver *s, double flux, double *L)
{
    const double clock = cpu();
    yoke_err err = { YOKE_OK, "" };

    bench_need(yk_field_solve_flux(s, &flux, &err), &err);
    const double seconds = cpu() - clock;
    *L = flux / s->i[0];
    return seconds;
}

static double measure_size(double scale, double *nodes, double *L)
{
    const char path[] = "bench_field.msh";
    const yk_field_material material[] = {
        { .name = "air" },
        { .name = "iron",
          .bh = YK_BH_BRAUER,
          .brauer = { 0.3774, 2.970, 388.33 } },
    };
    int material_of[3] = { 0, 0, 0 };
    const double turns = 30;
    yoke_mesh *mesh = NULL;
    yk_field_solver *s = NULL;
    yoke_err err = { YOKE_OK, "" };

    *nodes = write_mesh(path, scale);
    bench_need(yoke_mesh_read(&mesh, path, false, &err), &err);
    material_of[yoke_mesh_region(mesh, "core")] = 1;
    const int region = yoke_mesh_region(mesh, "coil"),
              line = yoke_mesh_line(mesh, "fixed");
    const yk_field_winding w = { "choke", 1, &region, &turns, 0.05, 0.0, 0.0 };
    const yk_field f = {
        .mesh = mesh,
        .unit = 1e-3,
        .depth = 40e-3,
        .symmetry = 4.0,
        .materials = 2,
        .windings = 1,
        .fixed = 1,
        .material = material,
        .material_of = material_of,
        .winding = &w,
        .fixed_line = &line,
    };
    const double clock = cpu();
    bench_need(yk_field_solver_create(&s, &f, &err), &err);
    const double setup = cpu() - clock;
    const double seconds = solve_once(s, 0.07, L);
    char name[40];
    snprintf(name, sizeof name, "solve-%.0f", *nodes);
    bench_put(name, "seconds", seconds);
    bench_put(name, "setup_seconds", setup);
    bench_put(name, "factorizations", (double)s->factorizations);
    bench_put(name, "inductance", *L);
    printf("%8.0f nodes: %8.4f s, %3ld factorisations, set up %.3f s, "
           "L = %.6f mH\n",
           *nodes, seconds, s->factorizations, setup, 1e3 * *L);
    yk_field_solver_free(s);
    yoke_mesh_free(mesh);
    remove(path);
    return seconds;
}

static void measure_sizes(bool quick)
{
    static const double scale[] = { 1.8, 3.2, 5.7, 10.1, 18.0 };
    const int count = quick ? 3 : 5;
    double nodes[5], seconds[5], L[5];

    for (int k = 0; k < count; k++)
        seconds[k] = measure_size(scale[k], &nodes[k], &L[k]);
    const double slope = bench_slope(count, nodes, seconds);
    printf("time grows like n^%.2f\n", slope);
    bench_put("solve", "exponent", slope);
    for (int k = 0; k + 2 < count; k++)
        printf("order of the inductance: %.2f\n",
               log((L[k] - L[k + 1]) / (L[k + 1] - L[k + 2])) / log(1.78));
}

/* ---- 2. a choke and a converter ------------------------------------------ */

#define NETLIST                                                                \
    "a converter\nv1 a 0 pulse(0 200 12.5u 0.2u 0.2u 24.8u 50u)\n"             \
    "c1 out 0 1m\nrl out 0 10\n.ic v(out)=100\n.end\n"
#define FIELD                                                                  \
    "    component: field\n    mesh: bench_field.msh\n    unit: 1 mm\n"        \
    "    depth: 40 mm\n    symmetry: 4\n    boundary: [fixed]\n"               \
    "    materials: {iron: {brauer: [0.3774, 2.97, 388.33]}}\n"                \
    "    regions: {core: iron, air: air}\n"                                    \
    "    windings: {choke: {region: coil, turns: 30, resistance: 50 mOhm}}\n"
#define CIRCUIT                                                                \
    "  circuit: {netlist: bench_field.cir, ports: [a, out], stepper: "         \
    "trapezoidal, step: 1 us}\n"
#define PORTS(from, to)                                                        \
    "  - signal: [" to ".choke.v = circuit.v(a) - circuit.v(out)]\n"           \
    "  - signal: [circuit.into(a) = -" from                                    \
    ".choke.i, circuit.into(out) = " from ".choke.i]\n"

static const char whole[] =
    "yoke: 1\nrun: {scheme: monolithic}\nsubsystems:\n  field:\n" FIELD
    "    stepper: trapezoidal\n    step: 1 us\n" CIRCUIT
    "couplings:\n" PORTS("field", "field");

static const char apart[] =
    "yoke: 1\nrun: {window: 10 ms, across: true, schedule: \"field > coil + "
    "circuit\", "
    "rtol: 1e-4, atol: 1e-3, max_sweeps: 20}\nsubsystems:\n  field:\n" FIELD
    "    drive: flux\n    extract: tangent\n    stepper: implicit-euler\n"
    "    step: 1 ms\n    dense: spline\n"
    "  coil: {component: inductance, offset: true, windings: {choke: "
    "{resistance: 50 mOhm}}, stepper: trapezoidal, step: 1 us}\n" CIRCUIT
    "couplings:\n" PORTS(
        "coil",
        "coil") "  - signal: [field.choke.phi = coil.choke.phi, coil.L.choke = "
                "field.L.choke, coil.psi.choke = field.psi.choke]\n";

typedef struct outcome {
    double seconds, field_steps, field_residuals, sweeps;
    yoke_table *table;
    int column;
} outcome;

static void note_work(const yoke_run *run, outcome *out)
{
    yoke_run_result r;

    yoke_run_summary(run, &r);
    out->sweeps = (double)r.iterate.sweeps;
}

static outcome simulate(const char *text, double stop, double step,
                        const char *variable)
{
    const char csv[] = "bench_field.csv";
    yoke_run_options options;
    outcome out = { .seconds = 0.0 };
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };
    const double clock = cpu();

    bench_need(
        yoke_file_parse(&file, "bench.yaml", text, strlen(text), NULL, &err),
        &err);
    options = *yoke_file_run_options(file);
    options.stop = stop;
    options.every = 1e-5;
    options.output = csv;
    options.record = variable;
    if (step > 0.0) options.step = step;
    bench_need(
        yoke_run_create(&run, yoke_file_model(file), &options, NULL, &err),
        &err);
    bench_need(yoke_run_advance(run, stop, &err), &err);
    note_work(run, &out);
    yoke_work work;
    const char *name = NULL;
    for (int i = 0; yoke_run_work(run, i, &name, &work); i++)
        if (strcmp(name, "field") == 0) {
            out.field_steps = (double)work.steps;
            out.field_residuals = (double)work.residuals;
        }
    bench_need(yoke_run_close(run, &err), &err);
    out.seconds = cpu() - clock;
    bench_need(yoke_table_read(&out.table, csv, "result", &err), &err);
    out.column = yoke_table_find(out.table, variable);
    yoke_file_free(file);
    remove(csv);
    remove("bench_field.coupling.csv");
    remove("bench_field.notes.csv");
    remove("bench_field.work.csv");
    return out;
}

/* Largest difference over the largest value. */
static double error_of(const outcome *a, const outcome *reference)
{
    double most = 0.0, size = 0.0;

    for (int k = 0; k < a->table->rows && k < reference->table->rows; k++) {
        const double x = a->table->value[k * a->table->cols + a->column],
                     y = reference->table->value[k * reference->table->cols +
                                                 reference->column];
        most = fmax(most, fabs(x - y));
        size = fmax(size, fabs(y));
    }
    return most / size;
}

static void report(const char *name, const outcome *o, double error)
{
    printf("%-14s %9.3f s, error %.2g, field steps %.0f, evaluations %.0f, "
           "sweeps %.0f\n",
           name, o->seconds, error, o->field_steps, o->field_residuals,
           o->sweeps);
    bench_put(name, "seconds", o->seconds);
    bench_put(name, "error", error);
    bench_put(name, "field_steps", o->field_steps);
    bench_put(name, "field_evaluations", o->field_residuals);
}

static void measure_choke(bool quick)
{
    const double stop = quick ? 2e-3 : 10e-3;
    FILE *f = fopen("bench_field.cir", "w");

    if (!f) {
        perror("bench_field.cir");
        exit(1);
    }
    fputs(NETLIST, f);
    fclose(f);
    printf("choke: %d nodes, %g ms\n",
           write_mesh("bench_field.msh", quick ? 1.0 : 1.8), 1e3 * stop);
    outcome fine = simulate(whole, stop, 0.5e-6, "field.choke.i");
    outcome one = simulate(whole, stop, 0.0, "field.choke.i");
    outcome few = simulate(whole, stop, 12.5e-6, "field.choke.i");
    outcome two = simulate(apart, stop, 0.0, "coil.choke.i");
    report("monolithic", &one, error_of(&one, &fine));
    report("monolithic-few", &few, error_of(&few, &fine));
    report("multirate", &two, error_of(&two, &fine));
    printf("gain in time %.1f, in evaluations of the field %.0f\n",
           one.seconds / two.seconds,
           one.field_residuals / two.field_residuals);
    bench_put("multirate", "gain_seconds", one.seconds / two.seconds);
    printf("against the fewest steps between the edges: %.1f in time\n",
           few.seconds / two.seconds);
    bench_put("multirate", "gain_seconds_over_few", few.seconds / two.seconds);
    bench_put("multirate", "gain_evaluations",
              one.field_residuals / two.field_residuals);
    yoke_table_free(fine.table);
    yoke_table_free(one.table);
    yoke_table_free(few.table);
    yoke_table_free(two.table);
    remove("bench_field.msh");
    remove("bench_field.cir");
}

int main(int count, char **text)
{
    const bench_arguments arguments = bench_read_arguments(count, text);

    bench_open(arguments.file);
    measure_sizes(arguments.quick);
    measure_choke(arguments.quick);
    bench_close();
    return 0;
}
