/* base/options.c -- reads and checks option structs by their tables. */
#include "base/options.h"

#include "base/near.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_SIZE = 32 };

static int count_words(const char *words)
{
    int count = 0;

    for (const char *p = words; *p; p++)
        count += *p != ' ' && (p == words || p[-1] == ' ');
    return count;
}

/* Index of `word` in the list, or -1. */
static int find_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    int index = 0;

    for (const char *p = words; *p; index++) {
        const size_t span = strcspn(p, " ");
        if (span == length && strncmp(p, word, span) == 0) return index;
        p += span;
        p += strspn(p, " ");
    }
    return -1;
}

static yoke_status unknown_name(const yk_option *table, int count,
                                const char *name, yoke_err *err)
{
    enum { MOST = 100 };
    const char *list[MOST], *near = NULL;

    for (int i = 0; i < count && i < MOST; i++) list[i] = table[i].name;
    near = yk_nearest_word(name, count < MOST ? count : MOST, list);
    if (!near)
        return yk_fail(err, YOKE_E_ARG, "there is no option \"%s\"", name);
    return yk_fail(err, YOKE_E_ARG,
                   "there is no option \"%s\"; did you mean \"%s\"?", name,
                   near);
}

/* Index of the name of a number, or -1. */
static int find_named(const yk_option *option, double value)
{
    const bool named = option->type == YK_REAL && option->words &&
                       value <= 0.0 && value == floor(value) &&
                       -value < count_words(option->words);

    return named ? (int)-value : -1;
}

static yoke_status check_number(const yk_option *option, double value,
                                yoke_err *err)
{
    if (value >= option->least && value <= option->most) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG, "%s = %g is not between %g and %g",
                   option->name, value, option->least, option->most);
}

static yoke_status check_word(const yk_option *option, const char *word,
                              yoke_err *err)
{
    if (!option->words || find_word(option->words, word) >= 0) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG, "%s = \"%s\" is not one of: %s",
                   option->name, word, option->words);
}

static double read_field(const yk_option *option, const char *field)
{
    switch (option->type) {
    case YK_REAL:
        return *(const double *)(const void *)field;
    case YK_FLAG:
        return *(const bool *)(const void *)field;
    default:
        return *(const int *)(const void *)field;
    }
}

static void write_number(const yk_option *option, char *field, double value)
{
    switch (option->type) {
    case YK_REAL:
        *(double *)(void *)field = value;
        break;
    case YK_FLAG:
        *(bool *)(void *)field = value != 0.0;
        break;
    default:
        *(int *)(void *)field = (int)value;
    }
}

static const char **text_field(const yk_option *option, const void *options)
{
    return (const char **)(void *)((char *)(size_t)options + option->offset);
}

static void write_text(const yk_option *option, char *field, const char *text)
{
    if (option->type == YK_WORD)
        snprintf(field, WORD_SIZE, "%s", text ? text : "");
    else
        *(const char **)(void *)field = text ? text : "";
}

static bool is_text(const yk_option *option)
{
    return option->type == YK_WORD || option->type == YK_TEXT;
}

void yk_options_defaults(const yk_option *table, int count, void *options)
{
    for (int i = 0; i < count; i++) {
        char *field = (char *)options + table[i].offset;
        if (is_text(&table[i]))
            write_text(&table[i], field, table[i].preset_word);
        else
            write_number(&table[i], field, table[i].preset);
    }
}

static yoke_status read_number(const yk_option *option, const char *text,
                               double *value, yoke_err *err)
{
    char *end = NULL;

    if (option->type == YK_FLAG) {
        *value = strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;
        if (*value == 1.0 || strcmp(text, "false") == 0 ||
            strcmp(text, "no") == 0)
            return YOKE_OK;
        return yk_fail(err, YOKE_E_ARG, "%s = \"%s\" is neither true nor false",
                       option->name, text);
    }
    *value = strtod(text, &end);
    while (end && isspace((unsigned char)*end)) end++;
    if (end == text || *end || isnan(*value))
        return yk_fail(err, YOKE_E_ARG, "%s = \"%s\" is not a number%s%s",
                       option->name, text,
                       option->words ? " and not one of: " : "",
                       option->words ? option->words : "");
    if (option->type == YK_INT && *value != floor(*value))
        return yk_fail(err, YOKE_E_ARG, "%s = \"%s\" is not a whole number",
                       option->name, text);
    return YOKE_OK;
}

static yoke_status set_field(const yk_option *option, char *field,
                             const char *text, yoke_err *err)
{
    double value = 0.0;

    if (option->type == YK_ENUM) {
        YK_TRY(check_word(option, text, err));
        *(int *)(void *)field = find_word(option->words, text);
        return YOKE_OK;
    }
    if (is_text(option)) {
        if (option->type == YK_WORD && strlen(text) >= WORD_SIZE)
            return yk_fail(err, YOKE_E_ARG,
                           "%s has %zu characters, at most "
                           "%d are permitted",
                           option->name, strlen(text), WORD_SIZE - 1);
        YK_TRY(check_word(option, text, err));
        write_text(option, field, text);
        return YOKE_OK;
    }
    if (option->words && find_word(option->words, text) >= 0) {
        write_number(option, field, -find_word(option->words, text));
        return YOKE_OK;
    }
    YK_TRY(read_number(option, text, &value, err));
    YK_TRY(check_number(option, value, err));
    write_number(option, field, value);
    return YOKE_OK;
}

yoke_status yk_options_set(const yk_option *table, int count, void *options,
                           const char *name, const char *value, yoke_err *err)
{
    for (int i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return set_field(&table[i], (char *)options + table[i].offset,
                             value, err);
    return unknown_name(table, count, name, err);
}

yoke_status yk_options_check(const yk_option *table, int count,
                             const void *options, yoke_err *err)
{
    for (int i = 0; i < count; i++) {
        const char *field = (const char *)options + table[i].offset;
        if (table[i].type == YK_TEXT) {
            if (!*text_field(&table[i], options))
                return yk_fail(err, YOKE_E_ARG,
                               "%s is NULL; an empty text is \"\"",
                               table[i].name);
        } else if (table[i].type == YK_WORD)
            YK_TRY(check_word(&table[i], field, err));
        else if (table[i].type == YK_ENUM) {
            const int index = *(const int *)(const void *)field;
            if (index < 0 || index >= count_words(table[i].words))
                return yk_fail(err, YOKE_E_ARG, "%s = %d is not one of: %s",
                               table[i].name, index, table[i].words);
        } else if (find_named(&table[i], read_field(&table[i], field)) < 0)
            YK_TRY(check_number(&table[i], read_field(&table[i], field), err));
    }
    return YOKE_OK;
}

static void print_word(const char *words, int index, char *text, size_t room)
{
    for (; index > 0; index--) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    snprintf(text, room, "%.*s", (int)strcspn(words, " "), words);
}

static void print_value(const yk_option *option, double number,
                        const char *word, char *text, size_t room)
{
    if (is_text(option))
        snprintf(text, room, "%s", word ? word : "");
    else if (option->type == YK_FLAG)
        snprintf(text, room, "%s", number != 0.0 ? "true" : "false");
    else if (option->type == YK_ENUM)
        print_word(option->words, (int)number, text, room);
    else if (find_named(option, number) >= 0)
        print_word(option->words, find_named(option, number), text, room);
    else
        snprintf(text, room, "%.12g", number);
}

void yk_option_preset(const yk_option *option, char *text, size_t room)
{
    print_value(option, option->preset, option->preset_word, text, room);
}

const char *yk_option_value(const yk_option *option, const void *options,
                            char scratch[YK_OPTION_SIZE])
{
    const char *field = (const char *)options + option->offset;

    if (option->type == YK_TEXT) return *text_field(option, options);
    if (option->type == YK_WORD)
        print_value(option, 0.0, field, scratch, YK_OPTION_SIZE);
    else
        print_value(option, read_field(option, field), NULL, scratch,
                    YK_OPTION_SIZE);
    return scratch;
}

yoke_status yk_options_keep(const yk_option *table, int count, void *options,
                            char **store, yoke_err *err)
{
    size_t size = 1;
    char *block = NULL;

    for (int i = 0; i < count; i++)
        if (table[i].type == YK_TEXT)
            size += strlen(*text_field(&table[i], options)) + 1;
    YK_TRY(yk_alloc((void **)&block, size, 1, err));
    char *to = block;
    for (int i = 0; i < count; i++) {
        if (table[i].type != YK_TEXT) continue;
        const char **text = text_field(&table[i], options);
        const size_t length = strlen(*text) + 1;
        memcpy(to, *text, length);
        *text = to;
        to += length;
    }
    yk_free(*store);
    *store = block;
    return YOKE_OK;
}
