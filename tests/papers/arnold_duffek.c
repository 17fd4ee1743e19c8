/* Example 4.1 of Arnold and Guenther (2001): a railway vehicle on a bridge, as
 * computed by Duffek.  The elastic bridge is solved first, with small steps,
 * then the vehicle with the constraint, with large ones; one sweep per window,
 * no preconditioner.  The paper gives alpha = 0.6 and says that it works well.
 *
 * Duffek's data are not public.  Those here are a bridge of one span and a
 * vehicle of two masses with
 *
 *     alpha = (1 / m_wheel)^-1 G M^-1 G' = 0.6,
 *     G M^-1 G' = int B5^2 / (rho w)
 *
 * for a contact spread by a quintic B-spline of width w over a beam of density
 * rho.  A lighter bridge, alpha = 1.5, shows what is at stake.
 */
#include "check.h"
#include "comp/mechanism/masses.h"
#include "comp/mechanism/wires.h"
#include "yoke/mechanism.h"
#include "yoke/run.h"

#include <math.h>
#include <string.h>

static const double spline = 655177.0 / 1663200.0; /* integral of B5^2 */
static const double wheel_mass = 1800.0, body_mass = 10000.0, width = 0.6;
static const double tau = 2e-5, stop = 0.2;

enum { ROWS = 400 }; /* of 0.5 ms */

static void weight(void *context, double t, double *force)
{
    (void)context;
    (void)t;
    force[0] = -9.81 * wheel_mass;
    force[1] = -9.81 * body_mass;
}

static yoke_system *make_vehicle(void)
{
    const yk_masses_mass mass[] = { { "wheel", wheel_mass, 0.0, 0.0, true },
                                    { "body", body_mass, 0.0, 0.0, false } };
    const yk_masses_spring spring = { 0, 1, 1e6, 3e4, 0.0 };
    const yk_masses given = { .masses = 2,
                              .springs = 1,
                              .mass = mass,
                              .spring = &spring,
                              .act = weight };
    yoke_system *out = NULL;
    yoke_err err;

    CHECK_OK(yk_masses_create(&out, "vehicle", &given, &err), &err);
    return out;
}

static yoke_system *make_bridge(double alpha)
{
    const double density = spline * wheel_mass / (alpha * width);
    const yk_wires_wire beam = { "deck", density, 5e9 * density / 2e3, 0.0,
                                 0.5 };
    const yk_wires_contact contact = { "contact", 0, 5.0, 60.0, width };
    const yk_wires given = { .span = 24.0,
                             .nodes = 79,
                             .wires = 1,
                             .contacts = 1,
                             .wire = &beam,
                             .contact = &contact };
    yoke_system *out = NULL;
    yoke_err err;

    CHECK_OK(yk_wires_create(&out, "bridge", &given, &err), &err);
    return out;
}

static yoke_stepper_options stepper_of(const char *method, const char *dense,
                                       double step)
{
    yoke_stepper_options o = yoke_stepper_defaults();
    yoke_err err;

    CHECK_OK(yoke_stepper_set(&o, "method", method, &err), &err);
    CHECK_OK(yoke_stepper_set(&o, "dense", dense, &err), &err);
    o.step = step;
    return o;
}

/* The bridge with steps of tau, the vehicle with steps of mult tau. */
static yoke_model *make_model(double alpha, int mult)
{
    static const char *const output[] = { "vehicle.wheel", "bridge.contact" };
    static const double weights[] = { 1.0, -1.0 };
    const yoke_constraint contact = { .count = 1,
                                      .outputs = 2,
                                      .output = output,
                                      .weight = weights,
                                      .form = YOKE_FORM_STABILISED,
                                      .eta = 100.0,
                                      .owner = "vehicle" };
    const yoke_stepper_options small = stepper_of("stormer", "natural", tau);
    const yoke_stepper_options large = stepper_of("rk4", "stages", mult * tau);
    yoke_model *model = NULL;
    yoke_err err;

    CHECK_OK(yoke_model_create(&model, &err), &err);
    yoke_graph *g = yoke_model_graph(model);
    CHECK_OK(yoke_model_add(model, make_bridge(alpha), &small, &err), &err);
    CHECK_OK(yoke_model_add(model, make_vehicle(), &large, &err), &err);
    CHECK_OK(yoke_graph_constraint(g, "contact", &contact, &err), &err);
    CHECK_OK(yoke_graph_signal(g, "vehicle.wheel.force", "contact.lambda", -1.0,
                               &err),
             &err);
    CHECK_OK(yoke_graph_signal(g, "bridge.contact.force", "contact.lambda", 1.0,
                               &err),
             &err);
    return model;
}

/* ---- a run --------------------------------------------------------------- */

typedef struct watched {
    yoke_run *run;
    int lambda, head, variables;
    double force[ROWS + 1], position[ROWS + 1];
    double most; /* largest force at the end of a window */
} watched;

static bool note(void *context, double t, const yoke_iterate_result *so_far)
{
    watched *w = context;
    double value[8];
    const int row = (int)lround(t * ROWS / stop);

    (void)so_far;
    yoke_run_at(w->run, t, value);
    w->most = fmax(w->most, fabs(value[w->lambda]));
    if (fabs(row * stop / ROWS - t) > 1e-3 * tau) return false;
    w->force[row] = value[w->lambda];
    w->position[row] = value[w->head];
    return w->most > 1e12; /* it has blown up */
}

static void run(watched *w, double alpha, int mult, bool monolithic)
{
    const yoke_watcher watcher = { .window = note, .context = w };
    yoke_model *model = make_model(alpha, mult);
    yoke_run_options o = yoke_run_defaults();
    const char *const *name = NULL;
    yoke_err err;

    memset(w, 0, sizeof *w);
    o.stop = stop;
    o.record = "contact.lambda vehicle.wheel";
    o.iterate.window = mult * tau;
    o.iterate.stop = YOKE_STOP_COUNT;
    o.iterate.max_sweeps = 1;
    o.iterate.extrapolate = 0;
    o.iterate.accelerate = YOKE_ACCELERATE_NONE;
    if (monolithic) o.scheme = YOKE_MONOLITHIC;
    CHECK_OK(yoke_run_create(&w->run, model, &o, &watcher, &err), &err);
    w->variables = yoke_run_variables(w->run, &name, NULL);
    assert_true(w->variables <= 8);
    for (int i = 0; i < w->variables; i++) {
        if (strcmp(name[i], "contact.lambda") == 0) w->lambda = i;
        if (strcmp(name[i], "vehicle.wheel") == 0) w->head = i;
    }
    const yoke_status status = yoke_run_advance(w->run, o.stop, &err);
    assert_true(status == YOKE_OK || status == YOKE_STOPPED);
    yoke_run_close(w->run, NULL);
    yoke_model_free(model);
}

static double error_of(const double *value, const double *reference)
{
    double sum = 0.0, size = 0.0;

    for (int i = 1; i <= ROWS; i++) {
        sum += pow(value[i] - reference[i], 2.0);
        size += pow(reference[i], 2.0);
    }
    return sqrt(sum / size);
}

/* ---- tests --------------------------------------------------------------- */

static void check_alpha(double alpha)
{
    yoke_model *model = make_model(alpha, 1);
    const yoke_run_options options = yoke_run_defaults();
    yoke_contraction c = { .h = 1e-11 };
    yoke_err err;

    CHECK_OK(yoke_model_contraction(model, &options, 1, &c, &err), &err);
    CHECK_NEAR(c.rho, alpha, 1e-4 * alpha);
    yoke_model_free(model);
}

static void alpha_is_known_before_the_run(void **state)
{
    (void)state;
    check_alpha(0.6);
    check_alpha(1.5);
}

/* The force is that of one system with the steps of the bridge, but for an
 * error of the order of the windows; positions are more accurate. */
static void one_sweep_per_window_is_stable(void **state)
{
    static const struct {
        int mult;
        double most; /* relative error of the force, rms */
    } row[] = { { 1, 2e-3 }, { 5, 2e-3 }, { 25, 1e-2 } };
    static watched whole, w;
    (void)state;
    run(&whole, 0.6, 1, true);
    assert_true(whole.most > 1e5);
    for (int i = 0; i < 3; i++) {
        run(&w, 0.6, row[i].mult, false);
        const double force = error_of(w.force, whole.force);
        CHECK_BETWEEN(force, 0.0, row[i].most);
        CHECK_BETWEEN(error_of(w.position, whole.position), 0.0, 0.5 * force);
    }
}

static void a_light_bridge_is_not(void **state)
{
    static watched w;
    (void)state;
    run(&w, 1.5, 25, false);
    assert_true(w.most > 1e12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alpha_is_known_before_the_run),
        cmocka_unit_test(one_sweep_per_window_is_stable),
        cmocka_unit_test(a_light_bridge_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
