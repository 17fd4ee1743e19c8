/* mpi/served.c -- a unit in the rank that has it (served.h).
 *
 * The inputs of a sweep are borrowed by the propagator until the next one, and
 * so are those of a correction: two waveforms take turns.
 */
#include "mpi/served.h"

#include "base/base.h"
#include "step/steppers.h"
#include "sys/closed.h"
#include "sys/system.h"
#include "sys/call.h"

#include <string.h>

/* ---- facts --------------------------------------------------------------- */

static void find_shape(yk_served *s)
{
    const yk_propagator_ops *o = s->propagator.ops;
    const yoke_system_info *f = yoke_system_facts(s->cluster->system);

    s->shape = (yk_unit_shape){
        .arrive = o->arrive != NULL,
        .watched = o->watched != NULL,
        .instants = o->instants != NULL,
        .next_break = o->next_break != NULL,
        .moved = o->moved != NULL,
        .reading = o->reading != NULL,
        .loosen = o->loosen != NULL,
        .limit = o->limit != NULL,
        .step = o->step != NULL,
        .anew = o->anew != NULL,
        .due = o->due != NULL,
        .finish = o->finish != NULL,
        .forget = o->forget != NULL,
        .answer = o->answer != NULL,
        .tape = o->tape != NULL,
        .motion = o->motion != NULL,
        .handover = o->handover != NULL,
        .front = o->front != NULL,
        .able = o->tape && o->tape->able,
        .follows = o->tape && o->tape->follows,
        .rest = o->tape && o->tape->rest,
        .change = o->tape && o->tape->change,
        .motion_affine = o->motion && o->motion->affine,
        .join = o->handover && o->handover->join,
        .quiet = o->handover && o->handover->quiet,
        .deep = o->handover && o->handover->deep,
        .closed = f->closed != NULL,
        .n = f->n,
        .m = s->propagator.m,
        .p = s->propagator.p,
        .watches = s->propagator.watches,
        .memory = f->memory_bytes,
    };
}

static void find_tape_facts(const yk_propagator *p, yk_unit_facts *f)
{
    const yk_tape_ops *t = p->ops->tape;

    if (!t) return;
    f->able = t->able && t->able(p->self);
    f->ready = t->ready(p->self);
    f->affine = t->affine(p->self);
    f->fixed = t->fixed(p->self);
    f->passes = t->passes(p->self);
    f->follows = t->follows && t->follows(p->self);
    f->watchful = t->watchful(p->self);
}

/* What a closed part tells of itself. */
static void put_told(const yk_served *s, yk_bytes *out)
{
    char cost[YK_TOLD] = "", doubt[YK_TOLD] = "";

    yk_system_tell(s->cluster->system, cost, doubt, YK_TOLD);
    yk_bytes_put_text(out, cost);
    yk_bytes_put_text(out, doubt);
}

static void put_facts(yk_served *s, yk_bytes *answer)
{
    const yk_propagator *p = &s->propagator;
    const yk_propagator_ops *o = p->ops;
    const double *instant = NULL;
    yk_unit_facts f;
    yk_bytes *out = &s->tell;

    yk_bytes_clear(out);
    memset(&f, 0, sizeof f);
    if (o->moved) f.moved = o->moved(p->self);
    if (o->step) f.step = o->step(p->self);
    if (o->reading) f.reading = o->reading(p->self);
    if (o->front) {
        f.head = o->front->head(p->self);
        f.price = o->front->price(p->self);
    }
    f.anew = o->anew && o->anew(p->self);
    find_tape_facts(p, &f);
    f.motion_affine = s->shape.motion_affine && o->motion->affine(p->self);
    if (o->instants) f.instants = o->instants(p->self, &instant);
    o->work(p->self, &f.work);
    yk_bytes_put(out, &f, sizeof f);
    yk_bytes_put_doubles(out, instant, f.instants);
    if (s->shape.memory) {
        yk_system_save(s->cluster->system, s->memory);
        yk_bytes_put(out, s->memory, s->shape.memory);
    }
    if (s->shape.closed) put_told(s, out);
    for (int k = 0; s->join && k < s->shape.m; k++) {
        const unsigned char bit = s->join[k];
        yk_bytes_put(out, &bit, 1);
    }
    yk_bytes_put_changes(answer, &s->told, out);
}

void yk_served_tell_shape(yk_served *s, yk_bytes *out)
{
    yk_bytes_put_int(out, YOKE_OK);
    yk_bytes_put_text(out, "");
    yk_bytes_put(out, &s->shape, sizeof s->shape);
    put_facts(s, out);
}

/* ---- calls --------------------------------------------------------------- */

/* Scratch of at least so many numbers. */
static double *need(double **block, size_t *room, int count, yk_bytes *b)
{
    if (YK_GROW(block, room, (size_t)(count > 0 ? count : 0) + 1, NULL) !=
        YOKE_OK)
        b->status = YOKE_E_MEMORY;
    return *block;
}

static double *need_a(yk_served *s, int count, yk_bytes *b)
{
    return need(&s->a, &s->a_room, count, b);
}

static double *need_b(yk_served *s, int count, yk_bytes *b)
{
    return need(&s->b, &s->b_room, count, b);
}

static yoke_status begin_at(yk_served *s, yk_mpi_call how, yk_bytes *in,
                            yk_bytes *res, yoke_err *err)
{
    const yk_propagator *p = &s->propagator;
    const yk_unit_shape *f = &s->shape;
    const double t0 = yk_bytes_get_double(in);
    const bool given = yk_bytes_get_int(in);
    double *x = need_a(s, f->n + f->m, in), *u = x + f->n;
    double *y = need_b(s, f->p, in);
    yoke_status status;

    if (given) yk_bytes_get_doubles(in, x, f->n);
    yk_bytes_get_doubles(in, u, f->m);
    if (how != YK_CALL_START && f->memory) {
        yk_bytes_get(in, s->memory, f->memory);
        if (in->status == YOKE_OK)
            yk_system_restore(s->cluster->system, s->memory);
    }
    YK_TRY(yk_bytes_check(in, err));
    if (!given) x = NULL;
    memset(y, 0, (size_t)f->p * sizeof *y);
    if (how == YK_CALL_START)
        status = p->ops->start(p->self, t0, x, u, y, err);
    else if (how == YK_CALL_TAKE)
        status = p->ops->handover->take(p->self, t0, x, u, y, err);
    else
        status = p->ops->handover->join(p->self, t0, x, u, y, err);
    yk_bytes_put_doubles(res, y, f->p);
    for (int i = 0; f->deep && i < f->n; i++) {
        const unsigned char bit = p->ops->handover->deep(p->self, i);
        yk_bytes_put(res, &bit, 1);
    }
    return status;
}

/* Inputs that the propagator keeps. */
static yk_wave *next_inputs(yk_served *s, yk_bytes *in)
{
    s->turn = 1 - s->turn;
    yk_echo_get_wave(&s->got, in, s->u[s->turn]);
    return s->u[s->turn];
}

static yoke_status sweep(yk_served *s, yk_bytes *in, yk_bytes *res,
                         yoke_err *err)
{
    const yk_propagator *p = &s->propagator;
    const double t1 = yk_bytes_get_double(in);
    const yk_wave *u = next_inputs(s, in);

    YK_TRY(yk_bytes_check(in, err));
    const yoke_status status = p->ops->sweep(p->self, t1, u, s->y, err);
    yk_bytes_put_wave(res, s->y);
    return status;
}

static yoke_status accept(yk_served *s, yk_bytes *res, yoke_err *err)
{
    const yk_propagator *p = &s->propagator;
    const yoke_status status = p->ops->accept(p->self, err);

    if (s->shape.watched) yk_bytes_put_wave(res, p->ops->watched(p->self));
    return status;
}

static yoke_status linearise(yk_served *s, yk_bytes *in, yk_bytes *res,
                             yoke_err *err)
{
    const yk_propagator *p = &s->propagator;
    const double t = yk_bytes_get_double(in), h = yk_bytes_get_double(in);
    const bool given = yk_bytes_get_int(in);
    const int size = s->shape.p * s->shape.m;
    double *u = need_a(s, s->shape.m, in), *z = need_b(s, size, in);

    if (given) yk_bytes_get_doubles(in, u, s->shape.m);
    YK_TRY(yk_bytes_check(in, err));
    memset(z, 0, (size_t)size * sizeof *z);
    const yoke_status status =
        p->ops->answer->linearise(p->self, t, given ? u : NULL, h, z, err);
    yk_bytes_put_doubles(res, z, size);
    return status;
}

static yoke_status history(yk_served *s, yk_bytes *in, yk_bytes *res,
                           yoke_err *err)
{
    const yk_propagator *p = &s->propagator;
    double *dy = need_b(s, s->shape.p, in);

    YK_TRY(yk_bytes_check(in, err));
    memset(dy, 0, (size_t)s->shape.p * sizeof *dy);
    const yoke_status status = p->ops->answer->history(p->self, dy, err);
    yk_bytes_put_doubles(res, dy, s->shape.p);
    return status;
}

static yoke_status answer(yk_served *s, yk_bytes *in, yk_bytes *res,
                          yoke_err *err)
{
    const yk_propagator *p = &s->propagator;
    const bool whole = yk_bytes_get_int(in);

    yk_echo_get_wave(&s->got, in, s->du);
    YK_TRY(yk_bytes_check(in, err));
    const yoke_status status =
        p->ops->tape->answer(p->self, s->du, whole, s->dy, err);
    yk_bytes_put_wave(res, s->dy);
    return status;
}

static yoke_status change(yk_served *s, yk_bytes *in, yk_bytes *res,
                          yoke_err *err)
{
    const yk_propagator *p = &s->propagator;
    const double t = yk_bytes_get_double(in);
    double *dx = need_a(s, s->shape.n, in), *du = need_b(s, s->shape.m, in);

    YK_TRY(yk_bytes_check(in, err));
    const bool any = p->ops->tape->change(p->self, t, dx, du);
    yk_bytes_put_int(res, any);
    if (any) yk_bytes_put_doubles(res, dx, s->shape.n);
    if (any) yk_bytes_put_doubles(res, du, s->shape.m);
    return YOKE_OK;
}

static yoke_status apply(yk_served *s, yk_bytes *in, yk_bytes *res,
                         yoke_err *err)
{
    const yk_propagator *p = &s->propagator;
    const yk_wave *u = next_inputs(s, in);
    yk_tape_result result;

    YK_TRY(yk_bytes_check(in, err));
    memset(&result, 0, sizeof result);
    const yoke_status status =
        p->ops->tape->apply(p->self, u, s->y, &result, err);
    yk_bytes_put(res, &result, sizeof result);
    yk_bytes_put_wave(res, s->y);
    return status;
}

static yoke_status renew(yk_served *s, yk_bytes *in, yoke_err *err)
{
    const yk_propagator *p = &s->propagator;
    const yk_renewal what = (yk_renewal)yk_bytes_get_int(in);

    yk_echo_get_wave(&s->got, in, s->other);
    YK_TRY(yk_bytes_check(in, err));
    return p->ops->tape->renew(p->self, s->other, what, err);
}

/* A list of inputs. */
static const int *get_list(yk_served *s, int count, yk_bytes *in)
{
    if (count < 0 ||
        YK_GROW(&s->input_list, &s->list_room, count + 1, NULL) != YOKE_OK)
        in->status = YOKE_E_MEMORY;
    yk_bytes_get(in, s->input_list, (size_t)count * sizeof *s->input_list);
    return s->input_list;
}

static yoke_status tell(yk_served *s, yk_bytes *in, yk_bytes *res,
                        yoke_err *err)
{
    const yk_propagator *p = &s->propagator;
    yk_instant_of at = { 0 };

    yk_bytes_get(in, &at, sizeof at);
    const int level = yk_bytes_get_int(in), count = yk_bytes_get_int(in);
    const int *input = get_list(s, count, in);
    const bool with_y = yk_bytes_get_int(in), with_a = yk_bytes_get_int(in);
    const int rows = (level + 1) * s->shape.p;
    double *y = need_a(s, rows, in), *a = need_b(s, rows * count, in);

    YK_TRY(yk_bytes_check(in, err));
    memset(y, 0, (size_t)rows * sizeof *y);
    memset(a, 0, (size_t)(rows * count) * sizeof *a);
    const yoke_status status =
        p->ops->motion->tell(p->self, &at, level, count, input,
                             with_y ? y : NULL, with_a ? a : NULL, err);
    if (with_y) yk_bytes_put_doubles(res, y, rows);
    if (with_a) yk_bytes_put_doubles(res, a, rows * count);
    return status;
}

static yoke_status kick(yk_served *s, yk_bytes *in, yoke_err *err)
{
    const yk_propagator *p = &s->propagator;
    const int level = yk_bytes_get_int(in), count = yk_bytes_get_int(in);
    const int *input = get_list(s, count, in);
    double *mu = need_a(s, count, in);

    yk_bytes_get_doubles(in, mu, count);
    YK_TRY(yk_bytes_check(in, err));
    return p->ops->motion->kick(p->self, level, count, input, mu, err);
}

static yoke_status rows_of(yk_served *s, yk_mpi_call what, yk_bytes *in,
                           yk_bytes *res, yoke_err *err)
{
    const yk_propagator *p = &s->propagator;
    const int level = yk_bytes_get_int(in), i = yk_bytes_get_int(in);
    const int rows = (level + 1) * s->shape.p;
    double *y = need_a(s, rows, in);

    YK_TRY(yk_bytes_check(in, err));
    memset(y, 0, (size_t)rows * sizeof *y);
    const yoke_status status =
        (what == YK_CALL_SHAKE ? p->ops->motion->shake : p->ops->motion->slope)(
            p->self, level, i, y, err);
    yk_bytes_put_doubles(res, y, rows);
    return status;
}

static yoke_status steps(yk_served *s, yk_bytes *res)
{
    const yk_propagator *p = &s->propagator;
    const double *place = NULL;
    const int stages = p->ops->motion->stages(p->self, &place);
    const int count = p->ops->motion->steps(p->self);

    yk_bytes_put_int(res, stages);
    yk_bytes_put_int(res, count);
    yk_bytes_put_doubles(res, place, stages);
    for (int k = 0; k < count; k++)
        yk_bytes_put_double(res, p->ops->motion->step_end(p->self, k));
    return YOKE_OK;
}

static yoke_status give(yk_served *s, yk_bytes *in, yk_bytes *res,
                        yoke_err *err)
{
    double *x = need_a(s, s->shape.n, in);

    YK_TRY(yk_bytes_check(in, err));
    s->propagator.ops->handover->give(s->propagator.self, x);
    yk_bytes_put_doubles(res, x, s->shape.n);
    return YOKE_OK;
}

static yoke_status output(yk_served *s, yk_bytes *in, yk_bytes *res,
                          yoke_err *err)
{
    const double t = yk_bytes_get_double(in);
    double *u = need_a(s, s->shape.m, in), *y = need_b(s, s->shape.p, in);

    yk_bytes_get_doubles(in, u, s->shape.m);
    YK_TRY(yk_bytes_check(in, err));
    memset(y, 0, (size_t)s->shape.p * sizeof *y);
    const yoke_status status =
        yk_system_output_raw(s->cluster->system, t, NULL, u, y, err);
    yk_bytes_put_doubles(res, y, s->shape.p);
    return status;
}

/* Those that return nothing. */
static yoke_status command(yk_served *s, yk_mpi_call what, yk_bytes *in,
                           yoke_err *err)
{
    const yk_propagator_ops *o = s->propagator.ops;
    void *self = s->propagator.self;
    const bool inputs = what == YK_CALL_ARRIVE || what == YK_CALL_FOLLOW;
    const int count = inputs                    ? s->shape.m
                      : what == YK_CALL_TIGHTEN ? s->shape.n
                                                : 0;
    double *v = need_a(s, count, in), factor = 0.0;
    long limit = 0;
    int on = 0;

    yk_bytes_get_doubles(in, v, count);
    if (what == YK_CALL_LOOSEN || what == YK_CALL_LENIENT)
        factor = yk_bytes_get_double(in);
    if (what == YK_CALL_LIMIT) yk_bytes_get(in, &limit, sizeof limit);
    if (what == YK_CALL_KEEP) on = yk_bytes_get_int(in);
    YK_TRY(yk_bytes_check(in, err));
    switch (what) {
    case YK_CALL_ARRIVE:
        o->arrive(self, v);
        break;
    case YK_CALL_FOLLOW:
        o->answer->follow(self, v);
        break;
    case YK_CALL_TIGHTEN:
        o->motion->tighten(self, v);
        break;
    case YK_CALL_LOOSEN:
        o->loosen(self, factor);
        break;
    case YK_CALL_LENIENT:
        o->tape->lenient(self, factor);
        break;
    case YK_CALL_LIMIT:
        o->limit(self, limit);
        break;
    case YK_CALL_KEEP:
        o->tape->keep(self, on != 0);
        break;
    case YK_CALL_FINISH:
        o->finish(self);
        break;
    case YK_CALL_FORGET:
        return o->forget(self, err);
    case YK_CALL_BEGIN:
        o->answer->begin(self);
        break;
    case YK_CALL_REST:
        o->tape->rest(self);
        break;
    case YK_CALL_FACTS:
        break;
    default:
        return yk_fail(err, YOKE_E_CALLBACK, "unknown call %d", what);
    }
    return YOKE_OK;
}

static yoke_status one_call(yk_served *s, yk_mpi_call what, yk_bytes *in,
                            yk_bytes *res, yoke_err *err)
{
    const yk_propagator *p = &s->propagator;

    switch (what) {
    case YK_CALL_START:
    case YK_CALL_TAKE:
    case YK_CALL_JOIN:
        return begin_at(s, what, in, res, err);
    case YK_CALL_SWEEP:
        return sweep(s, in, res, err);
    case YK_CALL_ACCEPT:
        return accept(s, res, err);
    case YK_CALL_WATCHED:
        yk_bytes_put_wave(res, p->ops->watched(p->self));
        return YOKE_OK;
    case YK_CALL_NEXT_BREAK:
        yk_bytes_put_double(
            res, p->ops->next_break(p->self, yk_bytes_get_double(in)));
        return YOKE_OK;
    case YK_CALL_DUE:
        yk_bytes_put_int(res, p->ops->due(p->self));
        return YOKE_OK;
    case YK_CALL_QUIET:
        yk_bytes_put_int(res, p->ops->handover->quiet(p->self));
        return YOKE_OK;
    case YK_CALL_LINEARISE:
        return linearise(s, in, res, err);
    case YK_CALL_HISTORY:
        return history(s, in, res, err);
    case YK_CALL_ANSWER:
        return answer(s, in, res, err);
    case YK_CALL_CHANGE:
        return change(s, in, res, err);
    case YK_CALL_APPLY:
        return apply(s, in, res, err);
    case YK_CALL_RENEW:
        return renew(s, in, err);
    case YK_CALL_PERMIT:
        return p->ops->front->permit(p->self, yk_bytes_get_double(in), err);
    case YK_CALL_WANT:
        return p->ops->motion->want(p->self, yk_bytes_get_int(in), err);
    case YK_CALL_TELL:
        return tell(s, in, res, err);
    case YK_CALL_KICK:
        return kick(s, in, err);
    case YK_CALL_SHAKE:
    case YK_CALL_SLOPE:
        return rows_of(s, what, in, res, err);
    case YK_CALL_STEPS:
        return steps(s, res);
    case YK_CALL_OUTPUT:
        return output(s, in, res, err);
    case YK_CALL_GIVE:
        return give(s, in, res, err);
    default:
        return command(s, what, in, err);
    }
}

void yk_served_call(yk_served *s, yk_bytes *in, yk_bytes *out)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;
    yk_bytes *res = &s->result;

    yk_bytes_clear(res);
    while (status == YOKE_OK && in->status == YOKE_OK && in->at < in->used) {
        yk_bytes_clear(res);
        status = one_call(s, (yk_mpi_call)yk_bytes_get_int(in), in, res, &err);
    }
    if (status == YOKE_OK) status = yk_bytes_check(in, &err);
    yk_bytes_put_int(out, status);
    yk_bytes_put_text(out, err.text);
    put_facts(s, out);
    if (res->status == YOKE_OK)
        yk_bytes_put(out, res->data, res->used);
    else
        out->status = res->status;
}

/* ---- life ---------------------------------------------------------------- */

/* Pointers are not sent: what the inputs are follows. */
void yk_served_describe(yk_bytes *out, int unit,
                        const yoke_stepper_options *stepper, int ins,
                        int watches, const int *watch)
{
    yoke_stepper_options o = *stepper;

    o.inputs = NULL;
    o.join = NULL;
    o.stop = NULL;
    o.stop_context = NULL;
    yk_bytes_put_int(out, unit);
    yk_bytes_put(out, &o, sizeof o);
    yk_bytes_put_int(out, watches);
    yk_bytes_put(out, watch, (size_t)watches * sizeof *watch);
    yk_bytes_put_int(out, stepper->inputs ? ins : -1);
    for (int k = 0; stepper->inputs && k < ins; k++) {
        const yoke_input_facts *f = &stepper->inputs[k];
        yk_bytes_put_int(out, f->how);
        yk_bytes_put_int(out, f->circular);
        yk_bytes_put_int(out, f->from != NULL);
        yk_bytes_put_text(out, f->from ? f->from : "");
    }
}

static yoke_status read_inputs(yk_served *s, yk_bytes *in,
                               yoke_stepper_options *o, yoke_err *err)
{
    const int count = yk_bytes_get_int(in);

    if (count < 0) return yk_bytes_check(in, err);
    YK_TRY(YK_NEW(&s->input, count + 1, err));
    YK_TRY(YK_NEW(&s->from, count + 1, err));
    YK_TRY(YK_NEW(&s->join, count + 1, err));
    for (int k = 0; k < count; k++) {
        s->input[k].how = (unsigned char)yk_bytes_get_int(in);
        s->input[k].circular = yk_bytes_get_int(in) != 0;
        const bool has = yk_bytes_get_int(in);
        YK_TRY(yk_copy_text(&s->from[k], yk_bytes_get_text(in), err));
        if (has) s->input[k].from = s->from[k];
    }
    o->inputs = s->input;
    o->join = s->join;
    return yk_bytes_check(in, err);
}

static yoke_status make_room(yk_served *s, yoke_err *err)
{
    const int m = s->shape.m, p = s->shape.p;

    YK_TRY(yk_wave_create(&s->u[0], m, err));
    YK_TRY(yk_wave_create(&s->u[1], m, err));
    YK_TRY(yk_wave_create(&s->other, m, err));
    YK_TRY(yk_wave_create(&s->du, m, err));
    YK_TRY(yk_wave_create(&s->y, p, err));
    YK_TRY(yk_wave_create(&s->dy, p, err));
    return yk_alloc(&s->memory, s->shape.memory + 1, 1, err);
}

void yk_served_free(yk_served *s)
{
    if (!s) return;
    if (s->propagator.ops) s->propagator.ops->free(s->propagator.self);
    for (int k = 0; s->from && s->cluster && k < s->cluster->ins; k++)
        yk_free(s->from[k]);
    yk_clusters_free(s->cluster, 1);
    yk_wave *const wave[] = { s->u[0], s->u[1], s->other, s->y, s->du, s->dy };
    for (int k = 0; k < 6; k++) yk_wave_free(wave[k]);
    yk_bytes_free(&s->result);
    yk_bytes_free(&s->told);
    yk_bytes_free(&s->tell);
    yk_echo_free(&s->got);
    YK_FREE(s->input, s->from, s->join, s->a, s->b, s->input_list, s->memory,
            s->watch, s);
}

yoke_status yk_served_again(yk_served *s, yoke_err *err)
{
    const yk_propagator *old = &s->propagator;
    yk_propagator fresh = { 0 };

    if (!old->ops->again) return YOKE_OK;
    YK_TRY(yk_stepper_create(&fresh, s->cluster->system, &s->options,
                             s->shape.watches, s->watch, err));
    const yoke_status status = old->ops->again(old->self, fresh.self, err);
    fresh.ops->free(fresh.self);
    return status;
}

/* Is the unit one of a second solution?  And what the system remembers in rank 0
 * at the start of a run, and now. */
static yoke_status take_memory(yoke_system *system, yk_bytes *in, bool *aside,
                               yoke_err *err)
{
    const size_t room = yoke_system_facts(system)->memory_bytes;
    char *memory = NULL;

    *aside = yk_bytes_get_int(in);
    if (room == 0) return YOKE_OK;
    YK_TRY(yk_alloc((void **)&memory, room, 1, err));
    if (system->initial) yk_bytes_get(in, system->initial, room);
    yk_bytes_get(in, memory, room);
    const yoke_status status = yk_bytes_check(in, err);
    if (status == YOKE_OK) yk_system_restore(system, memory);
    yk_free(memory);
    return status;
}

yoke_status yk_served_put_memory(yk_bytes *out, yoke_system *system,
                                 yoke_err *err)
{
    const size_t room = yoke_system_facts(system)->memory_bytes;
    char *memory = NULL;

    yk_bytes_put_int(out, system->asides > 0);
    if (room == 0) return yk_bytes_check(out, err);
    YK_TRY(yk_alloc((void **)&memory, room, 1, err));
    yk_system_save(system, memory);
    if (system->initial) yk_bytes_put(out, system->initial, room);
    yk_bytes_put(out, memory, room);
    yk_free(memory);
    return yk_bytes_check(out, err);
}

yoke_status yk_served_create(yk_served **out, const yoke_graph *graph,
                             const yoke_schedule *schedule, const bool *extra,
                             yk_bytes *in, bool (*stop)(void *context),
                             void *context, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_served *s = NULL;
    bool aside = false;

    YK_GO(YK_NEW(&s, 1, err));
    yoke_stepper_options *o = &s->options;
    const int unit = yk_bytes_get_int(in);
    yk_bytes_get(in, o, sizeof *o);
    const int watches = yk_bytes_get_int(in);
    YK_GO(yk_bytes_check(in, err));
    YK_GO(yk_ints(&s->watch, (size_t)watches + 1, err));
    yk_bytes_get(in, s->watch, (size_t)watches * sizeof *s->watch);
    YK_GO(yk_cluster_one(&s->cluster, graph, schedule, extra, unit, err));
    YK_GO(read_inputs(s, in, o, err));
    YK_GO(take_memory(s->cluster->system, in, &aside, err));
    o->stop = stop;
    o->stop_context = context;
    if (aside) yk_system_aside(s->cluster->system, true);
    status = yk_stepper_create(&s->propagator, s->cluster->system, o, watches,
                               s->watch, err);
    if (aside) yk_system_aside(s->cluster->system, false);
    if (status != YOKE_OK) goto done;
    find_shape(s);
    YK_GO(make_room(s, err));
    *out = s;
    s = NULL;
done:
    yk_served_free(s);
    return status;
}
