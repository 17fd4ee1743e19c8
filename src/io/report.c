/* io/report.c -- a result file as one HTML page. */
#define _POSIX_C_SOURCE 200809L
#include "base/text.h"
#include "io/entry.h"
#include "io/report.h"
#include "io/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VARIABLES = 200, POINTS = 5000, LEAST_POINTS = 10 };

static yoke_status check(const char *html, const yoke_report_options *o,
                         yoke_err *err)
{
    if (!yk_ends_with(html, ".html") && !yk_ends_with(html, ".htm"))
        return yk_fail(err, YOKE_E_ARG,
                       "%s: the name of a report ends in .html or .htm", html);
    if (o->variables < 0)
        return yk_fail(err, YOKE_E_ARG, "variables = %d is negative",
                       o->variables);
    if (o->points != 0 && o->points < LEAST_POINTS)
        return yk_fail(err, YOKE_E_ARG, "points = %d is less than %d",
                       o->points, LEAST_POINTS);
    return YOKE_OK;
}

static void complete(yoke_report_options *o, const char *path,
                     const yoke_notes *notes)
{
    const char *slash = strrchr(path, '/');

    if (!o->title) o->title = yoke_notes_find(notes, "system");
    if (!o->title) o->title = slash ? slash + 1 : path;
    if (o->variables == 0) o->variables = VARIABLES;
    if (o->points == 0) o->points = POINTS;
}

/* Copies the page up to the mark and steps over it. */
static yoke_status put_until(yk_text *out, const char **page, const char *mark,
                             yoke_err *err)
{
    const char *at = strstr(*page, mark);

    if (!at) return yk_fail(err, YOKE_E_MISSING, "the page has no %s", mark);
    YK_TRY(yk_text_add(out, *page, (size_t)(at - *page), err));
    *page = at + strlen(mark);
    return YOKE_OK;
}

/* Three bytes become four letters. */
static yoke_status put_base64(yk_text *out, const yk_text *bytes, yoke_err *err)
{
    static const char letter[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t k = 0; k < bytes->length; k += 3) {
        const size_t left = bytes->length - k;
        unsigned group = 0;
        for (size_t j = 0; j < 3; j++)
            group =
                group << 8 | (j < left ? (unsigned char)bytes->at[k + j] : 0u);
        const char four[4] = { letter[group >> 18], letter[group >> 12 & 63],
                               left > 1 ? letter[group >> 6 & 63] : '=',
                               left > 2 ? letter[group & 63] : '=' };
        YK_TRY(yk_text_add(out, four, sizeof four, err));
    }
    return YOKE_OK;
}

static yoke_status put_picture(yk_text *out, const char *path, yoke_err *err)
{
    const bool is_svg = yk_ends_with(path, ".svg");
    yk_text bytes = { NULL, 0, 0 };
    yoke_status status = YOKE_OK;

    if (!is_svg && !yk_ends_with(path, ".png"))
        return yk_fail(err, YOKE_E_ARG, "%s: a picture is a .svg or .png file",
                       path);
    YK_GO(yk_text_load(&bytes, path, err));
    YK_GO(yk_text_put(out, "<section><h2>", err));
    YK_GO(yk_html_text(out, path, err));
    YK_GO(yk_text_put(out, "</h2><img style=\"max-width:100%\" alt=\"\" src=\"",
                      err));
    YK_GO(yk_text_put(
        out, is_svg ? "data:image/svg+xml;base64," : "data:image/png;base64,",
        err));
    YK_GO(put_base64(out, &bytes, err));
    YK_GO(yk_text_put(out, "\"></section>\n", err));
done:
    yk_text_clear(&bytes);
    return status;
}

const char *yoke_report_template(void)
{
    return (const char *)yk_report_page;
}

static yoke_status make_page(yk_text *out, const yk_report *report,
                             yoke_err *err)
{
    const char *page = (const char *)yk_report_page;

    for (int k = 0; k < 2; k++) {
        YK_TRY(put_until(out, &page, "@YOKE_TITLE@", err));
        YK_TRY(yk_html_text(out, report->options.title, err));
    }
    YK_TRY(put_until(out, &page, "@YOKE_PICTURES@", err));
    for (int k = 0; k < report->options.pictures; k++)
        YK_TRY(put_picture(out, report->options.picture[k], err));
    YK_TRY(put_until(out, &page, "@YOKE_SHAPES@", err));
    YK_TRY(yk_report_shapes(out, report->shapes, err));
    YK_TRY(put_until(out, &page, "@YOKE_DATA@", err));
    YK_TRY(yk_report_data(out, report, err));
    return yk_text_put(out, page, err);
}

static yoke_status save(const yk_text *page, const char *path, yoke_err *err)
{
    FILE *file = fopen(path, "wbe");

    if (!file) return yk_cannot_write(path, errno, err);
    const size_t wrote = fwrite(page->at, 1, page->length, file);
    const int code = wrote < page->length ? errno : 0;
    if (fclose(file) == 0 && code == 0) return YOKE_OK;
    yk_cannot_write(path, code ? code : errno, err);
    remove(path); /* the first half of a page is of no use */
    return YOKE_E_FILE;
}

/* Times that go back cannot be drawn. */
static yoke_status check_times(const yoke_table *t, const char *path,
                               yoke_err *err)
{
    double last = -INFINITY;

    for (int i = 0; i < t->rows; i++) {
        const double time = yk_entry(t, i, 0);
        if (isnan(time) || time < last)
            return yk_fail(err, YOKE_E_FILE,
                           "%s: row %d: the first column is the time; it must "
                           "not go back",
                           path, i + 1);
        last = time;
    }
    return YOKE_OK;
}

/* A damaged note costs its section, not the page. */
static yoke_status read_profiles(yoke_profiles **out, const yoke_notes *notes,
                                 yoke_err *why, yoke_err *err)
{
    const yoke_notes none = { 0, NULL, NULL };
    const yoke_status status = yoke_profiles_read(out, notes, why);

    if (status == YOKE_E_FILE) return yoke_profiles_read(out, &none, err);
    if (status != YOKE_OK && err) *err = *why;
    return status;
}

yoke_status yoke_report_write(const char *result, const char *html,
                              const yoke_report_options *options, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_report report = { .path = result };
    yoke_notes *notes = NULL;
    yoke_table *table = NULL;
    yoke_profiles *profiles = NULL;
    yk_shapes shapes = { 0 };
    yoke_err why = { YOKE_OK, "" };
    yk_text page = { NULL, 0, 0 };
    YK_POINT;

    if (options) report.options = *options;
    YK_TRY(check(html, &report.options, err));
    YK_GO(yoke_notes_read(&notes, result, err));
    complete(&report.options, result, notes);
    YK_GO(yoke_table_read(&table, result, "result", err));
    YK_GO(check_times(table, result, err));
    YK_GO(read_profiles(&profiles, notes, &why, err));
    YK_GO(yk_shapes_create(&shapes, profiles, table, err));
    report.notes = notes;
    report.result = table;
    report.shapes = &shapes;
    report.no_profiles = why.text[0] ? why.text : NULL;
    YK_GO(make_page(&page, &report, err));
    YK_GO(save(&page, html, err));
done:
    yk_text_clear(&page);
    yk_shapes_clear(&shapes);
    yoke_profiles_free(profiles);
    yoke_table_free(table);
    yoke_notes_free(notes);
    return status;
}
