/* tests/fuzz/csv_fuzz.c -- the CSV reader takes any bytes: it reads a table, or
 * notes, or gives a message.  What it read is a whole table, every column
 * findable.  The same bytes as the note "profiles" are profiles or refused. */
#include "fuzz.h"

#include "table_check.h"

#include <stdlib.h>
#include <string.h>

static void check_profiles(const yoke_profiles *p)
{
    for (int i = 0; i < p->count; i++) {
        const yoke_profile *q = &p->profile[i];
        size_t sum = strlen(q->name) + strlen(q->label) + strlen(q->unit) +
                     strlen(q->along) + strlen(q->along_unit);
        check(q->points >= 2);
        for (int k = 0; k < q->points; k++) {
            check(k == 0 || q->at[k] > q->at[k - 1]);
            if (q->variable[k]) sum += strlen(q->variable[k]);
        }
        for (int k = 0; k < q->marks; k++)
            sum += strlen(q->mark[k].name) + (q->mark[k].at == 0.0);
        for (int k = 0; k < q->ties; k++) sum += strlen(q->tie[k].to);
        (void)sum;
    }
}

static void read_profiles(const uint8_t *data, size_t size)
{
    char name[] = "profiles", *names[] = { name };
    char *text = malloc(size + 1);
    char *texts[] = { text };
    const yoke_notes notes = { 1, names, texts };
    yoke_profiles *profiles = NULL;
    yoke_err err = { YOKE_OK, "" };

    check(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    const yoke_status status = yoke_profiles_read(&profiles, &notes, &err);
    if (status == YOKE_OK)
        check_profiles(profiles);
    else
        check(strncmp(err.text, "note \"profiles\", line ", 22) == 0);
    yoke_profiles_free(profiles);
    free(text);
}

static void read_notes(const uint8_t *data, size_t size)
{
    yoke_notes notes = { 0, NULL, NULL };
    yoke_err err = { YOKE_OK, "" };
    const yoke_status status =
        yk_csv_parse_notes(&notes, "fuzz", (const char *)data, size, &err);

    check(status == YOKE_OK || strncmp(err.text, "fuzz:", 5) == 0);
    for (int i = 0; i < notes.count; i++)
        if (status == YOKE_OK)
            check(yoke_notes_find(&notes, notes.name[i]) == notes.text[i]);
    yk_notes_clear(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    yoke_table t = { 0, 0, NULL, NULL, NULL };
    yoke_err err = { YOKE_OK, "" };
    const yoke_status status =
        yk_csv_parse(&t, "fuzz", (const char *)data, size, &err);

    if (status == YOKE_OK) {
        yoke_difference d;
        check_table(&t);
        yoke_table_compare(&t, &t, t.name[t.cols - 1], &d, &err);
    } else {
        check(status == YOKE_E_FILE || status == YOKE_E_MEMORY);
        check(strncmp(err.text, "fuzz:", 5) == 0);
    }
    yk_table_clear(&t);
    read_notes(data, size);
    read_profiles(data, size);
    return 0;
}

FUZZ_MAIN("csv");
