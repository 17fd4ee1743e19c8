/* IDA as its manual says: residual, sparse Jacobian, KLU, one call per output
 * time.  Nothing else is set but the stop time.
 */
#include "direct.h"

#include "bench.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

typedef struct ida {
    chain *chain;
    SUNContext context;
    N_Vector v, vdot;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    void *memory;
} ida;

void sample(sampler *s, int k, double t, double value)
{
    const double e = fabs(value - line_exact(s->line, k, t));

    s->count++;
    s->sum += e * e;
    s->worst = fmax(s->worst, e);
}

static void must(int flag, const char *what)
{
    if (flag >= 0) return;
    fprintf(stderr, "IDA: %s: %d\n", what, flag);
    exit(1);
}

static int residual(double t, N_Vector v, N_Vector vdot, N_Vector r, void *user)
{
    const chain *s = user;
    const double *slope = N_VGetArrayPointer(vdot);
    double *f = N_VGetArrayPointer(r);

    chain_currents(s, t, N_VGetArrayPointer(v), NULL, f);
    for (int k = 0; k < s->n; k++) f[k] += s->c * slope[k];
    return 0;
}

/* cj C + G, column by column. */
static int jacobian(double t, double cj, N_Vector v, N_Vector vdot, N_Vector r,
                    SUNMatrix matrix, void *user, N_Vector a, N_Vector b,
                    N_Vector c)
{
    const chain *s = user;
    sunindextype *start = SM_INDEXPTRS_S(matrix);
    sunindextype *row = SM_INDEXVALS_S(matrix);
    double *value = SM_DATA_S(matrix);
    sunindextype at = 0;

    (void)t, (void)v, (void)vdot, (void)r, (void)a, (void)b, (void)c;
    for (int k = 0; k < s->n; k++) {
        const double left = chain_conductance(s, k),
                     right = chain_conductance(s, k + 1);
        start[k] = at;
        if (k > 0) row[at] = k - 1, value[at++] = -left;
        row[at] = k, value[at++] = left + right + s->leak + cj * s->c;
        if (k + 1 < s->n) row[at] = k + 1, value[at++] = -right;
    }
    start[s->n] = at;
    return 0;
}

static void set_start(ida *s, const rc_line *line)
{
    double *v = N_VGetArrayPointer(s->v), *vdot = N_VGetArrayPointer(s->vdot);

    for (int k = 0; k < line->n; k++) v[k] = line_exact(line, k, 0.0);
    chain_currents(s->chain, 0.0, v, NULL, vdot);
    for (int k = 0; k < line->n; k++) vdot[k] = -vdot[k] / s->chain->c;
}

static void create(ida *s, const rc_line *line, double rtol, double atol,
                   double stop)
{
    const int n = line->n;

    s->chain = line_block(line, 0, n);
    must(SUNContext_Create(NULL, &s->context), "context");
    s->v = N_VNew_Serial(n, s->context);
    s->vdot = N_VNew_Serial(n, s->context);
    set_start(s, line);
    s->memory = IDACreate(s->context);
    must(IDAInit(s->memory, residual, 0.0, s->v, s->vdot), "init");
    must(IDASetUserData(s->memory, s->chain), "user data");
    must(IDASStolerances(s->memory, rtol, atol), "tolerances");
    must(IDASetStopTime(s->memory, stop), "stop time");
    s->matrix = SUNSparseMatrix(n, n, 3 * n, CSC_MAT, s->context);
    s->solver = SUNLinSol_KLU(s->v, s->matrix, s->context);
    must(IDASetLinearSolver(s->memory, s->solver, s->matrix), "solver");
    must(IDASetJacFn(s->memory, jacobian), "jacobian");
}

static void destroy(ida *s)
{
    IDAFree(&s->memory);
    SUNLinSolFree(s->solver);
    SUNMatDestroy(s->matrix);
    N_VDestroy(s->v);
    N_VDestroy(s->vdot);
    SUNContext_Free(&s->context);
    chain_free(s->chain);
}

static void advance(ida *s, double t, double *seconds)
{
    const double begin = bench_clock();
    double reached = 0.0;

    must(IDASolve(s->memory, t, &reached, s->v, s->vdot, IDA_NORMAL), "solve");
    *seconds += bench_clock() - begin;
}

static void count(ida *s, outcome *out)
{
    must(IDAGetNumSteps(s->memory, &out->steps), "steps");
    must(IDAGetNumResEvals(s->memory, &out->residuals), "residuals");
    must(IDAGetNumJacEvals(s->memory, &out->jacobians), "jacobians");
    must(IDAGetNumNonlinSolvIters(s->memory, &out->solves), "solves");
    out->factorizations = out->jacobians; /* IDA factors each of them once */
}

void direct_run(const rc_line *line, double rtol, double atol, double stop,
                int outputs, outcome *out)
{
    const double begin = bench_clock();
    sampler errors = { .line = line };
    ida s = { 0 };

    memset(out, 0, sizeof *out);
    create(&s, line, rtol, atol, stop);
    out->setup = out->seconds = bench_clock() - begin;
    for (int i = 1; i <= outputs; i++) {
        const double t = stop * i / outputs;
        advance(&s, t, &out->seconds);
        const double *v = N_VGetArrayPointer(s.v);
        for (int k = SAMPLE_FIRST; k < line->n; k += SAMPLE_EVERY)
            sample(&errors, k, t, v[k]);
    }
    count(&s, out);
    out->error = sqrt(errors.sum / errors.count);
    out->worst = errors.worst;
    destroy(&s);
}
