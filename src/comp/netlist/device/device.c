/* comp/netlist/device/device.c -- from an element and its model to a device.
 *
 * The parameters of a model are read once and kept with it, and elements that
 * are equal up to their nodes share one device: a chain of thousands of
 * inverters evaluates two sets of numbers, which stay in the cache.
 */
#include "base/text.h"
#include "comp/netlist/device/family.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const yk_device_family *const families[] = {
    &yk_diode_family, &yk_bjt_family,  &yk_mos1_family,  &yk_mos2_family,
    &yk_mos3_family,  &yk_jfet_family, &yk_vdmos_family,
};
enum { FAMILIES = (int)(sizeof families / sizeof families[0]), RECENT = 8 };

/* Devices made lately of a model. */
typedef struct made {
    const yk_net_element *element;
    yk_device_env env;
    yk_device *device;
} made;

struct yk_net_model_cache {
    const yk_device_family *family;
    yk_given p[YK_DEVICE_SLOTS];
    made recent[RECENT];
    int next;
};

int yk_device_node(yk_device *device, const char *name)
{
    device->internal[device->nodes - device->terminals] = name;
    return device->nodes++;
}

int yk_device_branch(yk_device *device, int plus, int minus)
{
    const int k = device->branches++;
    device->plus[k] = plus;
    device->minus[k] = minus;
    return k;
}

yoke_status yk_device_fail(const yk_device_plan *plan, yoke_err *err,
                           const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return yk_net_fail(err, YOKE_E_ARG, plan->element->at, "%s (model %s): %s",
                       plan->element->name, plan->model->name, text);
}

/* ---- which family -------------------------------------------------------- */

static const char *level_name(char kind, int level)
{
    if (kind == 'm') switch (level) {
        case 4:
            return "BSIM1";
        case 5:
            return "BSIM2";
        case 6:
            return "MOS6";
        case 8:
        case 49:
            return "BSIM3";
        case 9:
            return "MOS9";
        case 10:
        case 58:
            return "B4SOI";
        case 14:
        case 54:
            return "BSIM4";
        case 68:
            return "HiSIM2";
        case 73:
            return "HiSIM_HV";
        default:
            break;
        }
    if (kind == 'q') switch (level) {
        case 4:
        case 9:
            return "VBIC";
        case 8:
            return "HICUM";
        default:
            break;
        }
    if (kind == 'j' && level == 2) return "Parker-Skellern";
    return NULL;
}

static bool has_type(const yk_device_family *family, const char *type)
{
    for (int k = 0; k < 3 && family->types[k]; k++)
        if (strcmp(family->types[k], type) == 0) return true;
    return false;
}

static yoke_status find_family(const yk_device_family **out,
                               const yk_net_element *e,
                               const yk_net_model *model, yoke_err *err)
{
    const double level =
        yk_net_value(model->param, model->params, "level", 1.0, NULL);
    const char *name =
        level_name(e->kind, fabs(level) < 1000.0 ? (int)level : -1);
    bool known = false;

    for (int k = 0; k < FAMILIES; k++) {
        const yk_device_family *family = families[k];
        if (family->kind != e->kind || !has_type(family, model->type)) continue;
        known = true;
        if (level != (double)family->level) continue;
        *out = family;
        return YOKE_OK;
    }
    if (!known)
        return yk_net_fail(err, YOKE_E_ARG, e->at,
                           "%s: model %s is of type %s, which is not a model "
                           "for this element",
                           e->name, model->name, model->type);
    return yk_net_fail(err, YOKE_E_MISSING, model->at,
                       "model %s (%s): level = %g%s%s%s is not supported",
                       model->name, model->type, level, name ? " (" : "",
                       name ? name : "", name ? ")" : "");
}

yoke_status yk_device_check(const yk_netlist *net, const yk_net_element *e,
                            yoke_err *err)
{
    const yk_device_family *family = NULL;

    if (e->model < 0 || !strchr("dqmj", e->kind)) return YOKE_OK;
    return find_family(&family, e, &net->model[e->model], err);
}

/* ---- parameters ---------------------------------------------------------- */

static const yk_device_name *find_name(const yk_device_names *names,
                                       const char *name)
{
    for (int k = 0; k < names->count; k++)
        if (strcmp(names->name[k].name, name) == 0) return &names->name[k];
    return NULL;
}

bool yk_device_knows(const char *type, const char *name)
{
    bool found = false;

    for (int k = 0; k < FAMILIES; k++) {
        if (!has_type(families[k], type)) continue;
        found = true;
        if (find_name(families[k]->model, name)) return true;
    }
    return !found || strcmp(name, "level") == 0 || strcmp(name, "tnom") == 0 ||
           strcmp(name, "tref") == 0;
}

/* Later ones win over earlier ones, as in ngspice. */
static void preset(const yk_device_names *names, yk_given *slot)
{
    for (int k = names->count - 1; k >= 0; k--) {
        const yk_device_name *n = &names->name[k];
        if (n->slot >= 0) slot[n->slot].v = n->preset;
    }
}

/* Names for a message, as many as there is room for. */
typedef struct name_list {
    char text[300];
    int count;
} name_list;

static void list_name(name_list *list, const char *name)
{
    const size_t used = strlen(list->text);

    if (!yk_append(list->text, sizeof list->text, "%s%s",
                   list->count ? ", " : "", name))
        list->text[used] = '\0';
    list->count++;
}

static yoke_status warn_of(yk_netlist *netlist, const yk_net_model *model,
                           const name_list *list, const char *what,
                           yoke_err *err)
{
    if (list->count == 0) return YOKE_OK;
    return yk_net_warn(
        netlist, err, model->at, "model %s (%s): %s parameter%s ignored: %s",
        model->name, model->type, what, list->count > 1 ? "s" : "", list->text);
}

static yoke_status read_model(yk_netlist *netlist, const yk_net_model *model,
                              const yk_device_family *family, yk_given *slot,
                              yoke_err *err)
{
    name_list unknown = { .count = 0 }, ignored = { .count = 0 };

    preset(family->model, slot);
    for (int k = 0; k < model->params; k++) {
        const yk_net_param *p = &model->param[k];
        const yk_device_name *name = find_name(family->model, p->name);

        if (name && name->slot >= 0)
            slot[name->slot] = (yk_given){ p->value, true };
        else if (name && name->slot == YK_IGNORED && p->value != 0.0)
            list_name(&ignored, p->name);
        else if (strcmp(p->name, "tnom") == 0 || strcmp(p->name, "tref") == 0)
            slot[YK_P_TNOM] = (yk_given){ p->value, true };
        else if (!name && strcmp(p->name, "level") != 0)
            list_name(&unknown, p->name);
    }
    YK_TRY(warn_of(netlist, model, &unknown, "unknown", err));
    return warn_of(netlist, model, &ignored, "unsupported", err);
}

static const yk_device_name element_common[] = {
    { "temp", YK_E_TEMP, 0.0 },
    { "dtemp", YK_E_DTEMP, 0.0 },
    { "m", YK_E_M, 1.0 },
};
static const yk_device_names common = YK_NAMES(element_common);

static yoke_status read_element(yk_device_plan *plan,
                                const yk_device_family *family, yoke_err *err)
{
    const yk_net_element *e = plan->element;

    preset(&common, plan->e);
    preset(family->element, plan->e);
    for (int k = 0; k < e->params; k++) {
        const yk_net_param *p = &e->param[k];
        const yk_device_name *name = find_name(family->element, p->name);
        if (!name) name = find_name(&common, p->name);
        if (!name)
            return yk_net_fail(err, YOKE_E_ARG, p->at,
                               "%s: unknown parameter %s of the element",
                               e->name, p->name);
        if (name->slot >= 0) plan->e[name->slot] = (yk_given){ p->value, true };
    }
    plan->nominal = plan->p[YK_P_TNOM].given ? plan->p[YK_P_TNOM].v + YK_ZERO_C
                                             : plan->env->nominal;
    plan->t = plan->e[YK_E_TEMP].given
                  ? plan->e[YK_E_TEMP].v + YK_ZERO_C
                  : plan->env->temperature + plan->e[YK_E_DTEMP].v;
    if (!(plan->t > 0.0) || !(plan->nominal > 0.0))
        return yk_device_fail(plan, err,
                              "temperature %g C (parameters at %g C) is not "
                              "above absolute zero",
                              plan->t - YK_ZERO_C, plan->nominal - YK_ZERO_C);
    if (!(plan->e[YK_E_M].v > 0.0))
        return yk_device_fail(plan, err, "m = %g must be positive",
                              plan->e[YK_E_M].v);
    return YOKE_OK;
}

/* ---- sharing ------------------------------------------------------------- */

static bool same_env(const yk_device_env *a, const yk_device_env *b)
{
    return a->temperature == b->temperature && a->nominal == b->nominal &&
           a->gmin == b->gmin && a->scale == b->scale && a->meyer == b->meyer;
}

static bool same_element(const yk_net_element *a, const yk_net_element *b)
{
    if (a->params != b->params || a->off != b->off || a->nodes != b->nodes)
        return false;
    for (int k = 0; k < a->params; k++)
        if (a->param[k].value != b->param[k].value ||
            strcmp(a->param[k].name, b->param[k].name) != 0)
            return false;
    return true;
}

static yk_device *find_made(yk_net_model_cache *cache, const yk_net_element *e,
                            const yk_device_env *env)
{
    for (int k = 0; k < RECENT; k++) {
        const made *m = &cache->recent[k];
        if (m->device && same_env(&m->env, env) && same_element(m->element, e))
            return m->device;
    }
    return NULL;
}

static yoke_status cache_of(yk_net_model_cache **out, yk_netlist *netlist,
                            const yk_net_element *e, yoke_err *err)
{
    yk_net_model *model = &netlist->model[e->model];
    const yk_device_family *family = NULL;
    yk_net_model_cache *cache = model->cache;

    if (!cache || cache->family->kind != e->kind) {
        YK_TRY(find_family(&family, e, model, err));
        YK_TRY(YK_TAKE(&netlist->arena, &cache, 1, err));
        YK_TRY(read_model(netlist, model, family, cache->p, err));
        cache->family = family;
        model->cache = cache;
    }
    *out = cache;
    return YOKE_OK;
}

/* Which derivatives it has, tried at a few points. */
static void find_places(yk_device *d)
{
    double b[YK_DEVICE_BRANCHES], i[YK_DEVICE_NODES], q[YK_DEVICE_NODES];
    double di[YK_DEVICE_NODES * YK_DEVICE_BRANCHES];
    double dq[YK_DEVICE_NODES * YK_DEVICE_BRANCHES];
    unsigned long long seed = 11;

    for (int trial = 0; trial < 12; trial++) {
        for (int k = 0; k < d->branches; k++)
            b[k] = 4.0 * yk_random(&seed) - 2.0;
        d->ops->load(d, b, i, q, di, dq);
        for (int k = 0; k < d->nodes * d->branches; k++) {
            if (di[k] != 0.0) d->i_place[k] = true;
            if (dq[k] != 0.0) d->q_place[k] = d->has_charge = true;
        }
    }
}

yoke_status yk_device_make(yk_device **out, yk_netlist *netlist, int e,
                           const yk_device_env *env, yoke_err *err)
{
    const yk_net_element *element = &netlist->element[e];
    yk_device_plan plan = { .netlist = netlist,
                            .element = element,
                            .env = env };
    yk_net_model_cache *cache = NULL;
    yk_device *device = NULL;
    char *data = NULL;

    if (element->model < 0 || element->model >= netlist->models)
        return yk_net_fail(err, YOKE_E_ARG, element->at, "%s has no model",
                           element->name);
    YK_TRY(cache_of(&cache, netlist, element, err));
    device = find_made(cache, element, env);
    if (!device) {
        plan.model = &netlist->model[element->model];
        plan.p = cache->p;
        YK_TRY(read_element(&plan, cache->family, err));
        YK_TRY(YK_TAKE(&netlist->arena, &device, 1, err));
        YK_TRY(YK_TAKE(&netlist->arena, &data, cache->family->bytes, err));
        device->data = data;
        YK_TRY(cache->family->make(device, &plan, err));
        find_places(device);
        cache->recent[cache->next] = (made){ element, *env, device };
        cache->next = (cache->next + 1) % RECENT;
    }
    *out = device;
    return YOKE_OK;
}
