/* comp/equation/code/code_c.c -- equations as generated C. */
#include "comp/equation/code/code_c.h"

typedef void (*function)(double t, const double *w, double *out,
                         const int *const *list, const int *const *at,
                         const double *const *sign, const double *number);

struct yk_native {
    yk_object *object;
    function f, j;
    const int **list, **at;
    const double **sign;
    double *number;
};

void yk_native_free(yk_native *native)
{
    if (!native) return;
    yk_object_free(native->object);
    YK_FREE(native->list, native->at, native->sign, native->number, native);
}

void yk_native_f(const yk_native *n, double t, const double *w, double *f)
{
    n->f(t, w, f, n->list, n->at, n->sign, n->number);
}

void yk_native_j(const yk_native *n, double t, const double *w, double *J)
{
    n->j(t, w, J, n->list, n->at, n->sign, n->number);
}

/* ---- The lists and tables, numbered as in emit.c ------------------------ */

static yoke_status make_tables(yk_native *n, const yk_layout *l, yoke_err *err)
{
    size_t lists = 0, entries = 0;

    for (int i = 0; i < l->blocks; i++) {
        lists += l->block[i].t.list != NULL;
        entries += (size_t)l->block[i].entries;
    }
    YK_TRY(YK_NEW(&n->list, lists, err));
    YK_TRY(YK_NEW(&n->at, entries, err));
    YK_TRY(YK_NEW(&n->sign, entries, err));
    lists = entries = 0;
    for (int i = 0; i < l->blocks; i++) {
        const yk_block *b = &l->block[i];
        if (b->t.list) n->list[lists++] = b->t.list;
        for (int k = 0; k < b->entries; k++) {
            n->at[entries] = b->entry[k].at;
            n->sign[entries++] = b->entry[k].sign;
        }
    }
    return YOKE_OK;
}

yoke_status yk_native_create(yk_native **out, const yk_layout *layout,
                             yk_model *model, const yk_native_options *options,
                             yk_native_report *report, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_native *n = NULL;
    yk_c_text source = { 0 };

    *report = (yk_native_report){ .cached = false };
    YK_GO(YK_NEW(&n, 1, err));
    YK_GO(make_tables(n, layout, err));
    YK_GO(yk_emit(&source, layout, model, err));
    YK_GO(yk_object_create(&n->object, &source, options, report, err));
    YK_GO(yk_object_find(n->object, "yoke_f", &n->f, err));
    YK_GO(yk_object_find(n->object, "yoke_j", &n->j, err));
    n->number = source.number;
    source.number = NULL;
    *out = n;
    n = NULL;
done:
    yk_c_text_free(&source);
    yk_native_free(n);
    return status;
}
