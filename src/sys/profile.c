/* sys/profile.c -- profiles: variables along a coordinate. */
#include "base/names.h"
#include "sys/call.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void free_text(const char *text)
{
    yk_free((void *)(size_t)text);
}

static void profile_clear(yoke_profile *p)
{
    for (int i = 0; p->mark && i < p->marks; i++) {
        free_text(p->mark[i].name);
        free_text(p->mark[i].variable);
    }
    for (int i = 0; p->tie && i < p->ties; i++) free_text(p->tie[i].to);
    free_text(p->name);
    free_text(p->label);
    free_text(p->unit);
    free_text(p->along);
    free_text(p->along_unit);
    YK_FREE((void *)(size_t)p->at, (void *)(size_t)p->variable,
            (void *)(size_t)p->mark, (void *)(size_t)p->tie);
}

void yk_profiles_free(yoke_system *system)
{
    for (int i = 0; i < system->profiles; i++)
        profile_clear(&system->profile[i]);
    yk_free(system->profile);
}

/* ---- copies -------------------------------------------------------------- */

/* A name with what stands in front of it; NULL stays NULL. */
static yoke_status copy_name(const char **out, const char *prefix,
                             const char *name, yoke_err *err)
{
    char *copy = NULL;

    if (!name) return YOKE_OK;
    YK_TRY(yk_print(&copy, err, "%s%s%s", prefix ? prefix : "",
                    prefix ? "." : "", name));
    *out = copy;
    return YOKE_OK;
}

static yoke_status copy_text(const char **out, const char *text, yoke_err *err)
{
    return copy_name(out, NULL, text ? text : "", err);
}

/* The array of names with their texts behind it, in one block: there may be
 * many. */
static yoke_status copy_variables(const char ***out, const char *prefix,
                                  const yoke_profile *from, yoke_err *err)
{
    const size_t front = prefix ? strlen(prefix) + 1 : 0;
    size_t size = (size_t)from->points * sizeof **out;
    const char **variable = NULL;

    for (int i = 0; i < from->points; i++)
        if (from->variable[i]) size += front + strlen(from->variable[i]) + 1;
    YK_TRY(yk_alloc((void **)&variable, size, 1, err));
    char *at = (char *)(variable + from->points);
    for (int i = 0; i < from->points; i++) {
        if (!from->variable[i]) continue;
        const size_t room = front + strlen(from->variable[i]) + 1;
        snprintf(at, room, "%s%s%s", prefix ? prefix : "", prefix ? "." : "",
                 from->variable[i]);
        variable[i] = at;
        at += room;
    }
    *out = variable;
    return YOKE_OK;
}

static yoke_status copy_points(yoke_profile *to, const char *prefix,
                               const yoke_profile *from, yoke_err *err)
{
    const char **variable = NULL;
    double *at = NULL;

    YK_TRY(yk_copy_doubles(&at, from->at, (size_t)from->points, err));
    to->at = at;
    YK_TRY(copy_variables(&variable, prefix, from, err));
    to->variable = variable;
    to->points = from->points;
    return YOKE_OK;
}

static yoke_status copy_marks(yoke_profile *to, const char *prefix,
                              const yoke_profile *from, yoke_err *err)
{
    yoke_mark *mark = NULL;

    YK_TRY(YK_NEW(&mark, from->marks, err));
    to->mark = mark;
    to->marks = from->marks;
    for (int i = 0; i < from->marks; i++) {
        mark[i].at = from->mark[i].at;
        mark[i].speed = from->mark[i].speed;
        YK_TRY(copy_text(&mark[i].name, from->mark[i].name, err));
        YK_TRY(
            copy_name(&mark[i].variable, prefix, from->mark[i].variable, err));
    }
    return YOKE_OK;
}

static yoke_status copy_ties(yoke_profile *to, const char *prefix,
                             const yoke_profile *from, yoke_err *err)
{
    yoke_tie *tie = NULL;

    YK_TRY(YK_NEW(&tie, from->ties, err));
    to->tie = tie;
    to->ties = from->ties;
    for (int i = 0; i < from->ties; i++) {
        tie[i].at = from->tie[i].at;
        YK_TRY(copy_name(&tie[i].to, prefix, from->tie[i].to, err));
    }
    return YOKE_OK;
}

static yoke_status copy_all(yoke_profile *to, const char *prefix,
                            const yoke_profile *from, yoke_err *err)
{
    YK_TRY(copy_name(&to->name, prefix, from->name, err));
    YK_TRY(copy_text(&to->label, from->label, err));
    YK_TRY(copy_text(&to->unit, from->unit, err));
    YK_TRY(copy_text(&to->along, from->along, err));
    YK_TRY(copy_text(&to->along_unit, from->along_unit, err));
    YK_TRY(copy_points(to, prefix, from, err));
    YK_TRY(copy_marks(to, prefix, from, err));
    return copy_ties(to, prefix, from, err);
}

yoke_status yk_profile_add(yoke_system *system, const char *prefix,
                           const yoke_profile *profile, yoke_err *err)
{
    yoke_profile copy = { 0 };

    YK_TRY(yk_grow((void **)&system->profile, &system->profile_room,
                   (size_t)system->profiles + 1, sizeof copy, err));
    const yoke_status status = copy_all(&copy, prefix, profile, err);
    if (status == YOKE_OK)
        system->profile[system->profiles++] = copy;
    else
        profile_clear(&copy);
    return status;
}

/* ---- checks -------------------------------------------------------------- */

static yoke_status check_point(const yk_names *known, const yoke_profile *p,
                               int i, yoke_err *err)
{
    if (!isfinite(p->at[i]) || (i > 0 && !(p->at[i] > p->at[i - 1])))
        return yk_fail(err, YOKE_E_ARG,
                       "coordinate %d is %g; coordinates increase", i + 1,
                       p->at[i]);
    if (p->variable[i] && yk_names_find(known, p->variable[i]) < 0)
        return yk_fail(err, YOKE_E_ARG,
                       "\"%s\" is neither an unknown nor an output",
                       p->variable[i]);
    return YOKE_OK;
}

static yoke_status check_mark(const yk_names *known, const yoke_mark *m,
                              yoke_err *err)
{
    if (!isfinite(m->at) || !isfinite(m->speed))
        return yk_fail(err, YOKE_E_ARG, "mark \"%s\" is at %g + %g t",
                       m->name ? m->name : "", m->at, m->speed);
    if (m->variable && yk_names_find(known, m->variable) < 0)
        return yk_fail(err, YOKE_E_ARG,
                       "\"%s\" is neither an unknown nor an output",
                       m->variable);
    return YOKE_OK;
}

static yoke_status check_names(const yoke_system_info *f, const yoke_profile *p,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_names known = { 0 };

    for (int i = 0; i < f->n; i++)
        YK_GO(yk_names_add(&known, f->x_name[i], i, err));
    for (int i = 0; i < f->p; i++)
        YK_GO(yk_names_add(&known, f->y_name[i], i, err));
    for (int i = 0; i < p->points; i++) YK_GO(check_point(&known, p, i, err));
    for (int i = 0; i < p->marks; i++)
        YK_GO(check_mark(&known, &p->mark[i], err));
done:
    yk_names_clear(&known);
    return status;
}

static yoke_status check(const yoke_system *s, const yoke_profile *p,
                         yoke_err *err)
{
    if (!p->name || !p->name[0])
        return yk_fail(err, YOKE_E_ARG, "it has no name");
    for (int i = 0; i < s->profiles; i++)
        if (strcmp(s->profile[i].name, p->name) == 0)
            return yk_fail(err, YOKE_E_ARG, "there is one of this name");
    if (p->points < 2 || p->marks < 0 || p->ties < 0)
        return yk_fail(err, YOKE_E_ARG,
                       "%d points, %d marks, %d ties; at least 2, 0, 0",
                       p->points, p->marks, p->ties);
    for (int i = 0; i < p->ties; i++)
        if (!isfinite(p->tie[i].at) || !p->tie[i].to)
            return yk_fail(err, YOKE_E_ARG, "tie %d leads nowhere", i + 1);
    return check_names(&s->info, p, err);
}

yoke_status yoke_system_add_profile(yoke_system *system,
                                    const yoke_profile *profile, yoke_err *err)
{
    const yoke_status status = check(system, profile, err);

    if (status == YOKE_OK) return yk_profile_add(system, NULL, profile, err);
    yk_prefix(err, "subsystem \"%s\": profile \"%s\"", system->name,
              profile->name ? profile->name : "");
    return status;
}

int yk_system_profiles(const yoke_system *system, const yoke_profile **list)
{
    *list = system->profile;
    return system->profiles;
}
