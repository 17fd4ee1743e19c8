/* comp/equation/equation.c -- equation models: read, then compile. */
#include "base/bytes.h"
#include "comp/equation/compile.h"
#include "comp/equation/front/front.h"
#include "comp/equation/ports.h"

static yoke_status check_options(const char *name, const char *path,
                                 const yoke_equation_options *options,
                                 yoke_err *err)
{
    if (!name) return yk_fail(err, YOKE_E_ARG, "equation model without name");
    if (!path) return yk_fail(err, YOKE_E_ARG, "equation model without path");
    if (!options) return YOKE_OK;
    if (options->parameters < 0 ||
        (options->parameters > 0 && !options->parameter))
        return yk_fail(err, YOKE_E_ARG, "%d parameters", options->parameters);
    for (int i = 0; i < options->parameters; i++)
        if (!options->parameter[i].name)
            return yk_fail(err, YOKE_E_ARG, "parameter %d has no name", i);
    return YOKE_OK;
}

static yoke_status parse(yoke_system **out, const char *name, const char *path,
                         const char *text, size_t length,
                         const yoke_equation_options *options,
                         const yk_equation_rates *rates,
                         yoke_equation_report *report, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_flat *flat = NULL;
    yoke_equation_report own = { .read_seconds = 0.0 };
    const double begin = yk_clock();
    bool none = false;

    if (!out)
        return yk_fail(err, YOKE_E_ARG, "the pointer to the subsystem is NULL");
    YK_TRY(check_options(name, path, options, err));
    if (!text && length > 0) return yk_fail(err, YOKE_E_ARG, "no text");
    YK_GO(yk_equation_front(&flat, path, text, length, options, err));
    YK_GO(yk_flat_open_ports(flat, rates, &none, err));
    YK_GO(yk_flat_add_rates(flat, rates, err));
    own.read_seconds = yk_clock() - begin;
    status = yk_equation_compile(out, name, flat, rates, options, &own, err);
    if (status == YOKE_E_MODEL && none)
        yk_suffix(err, "; no choice of potentials and flows as inputs of its "
                       "ports makes it solvable alone: write it and the parts "
                       "it is connected to as one model");
    if (status != YOKE_OK) goto done;
    if (report) *report = own;
done:
    yk_flat_free(flat);
    return status;
}

yoke_status yoke_equation_parse(yoke_system **out, const char *name,
                                const char *path, const char *text,
                                size_t length,
                                const yoke_equation_options *options,
                                yoke_equation_report *report, yoke_err *err)
{
    YK_POINT;

    return parse(out, name, path, text, length, options, NULL, report, err);
}

enum { MOST_MIB = 64 };

yoke_status yk_equation_text(const char *path, char **text, size_t *length,
                             yoke_err *err)
{
    return yk_bytes_read(text, length, path, MOST_MIB, err);
}

yoke_status yk_equation_read(yoke_system **out, const char *name,
                             const char *path,
                             const yoke_equation_options *options,
                             const yk_equation_rates *rates,
                             yoke_equation_report *report, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    char *text = NULL;
    size_t length = 0;

    YK_TRY(check_options(name, path, options, err));
    YK_TRY(yk_equation_text(path, &text, &length, err));
    status = parse(out, name, path, text, length, options, rates, report, err);
    yk_free(text);
    return status;
}

yoke_status yoke_equation_read(yoke_system **out, const char *name,
                               const char *path,
                               const yoke_equation_options *options,
                               yoke_equation_report *report, yoke_err *err)
{
    YK_POINT;

    return yk_equation_read(out, name, path, options, NULL, report, err);
}
