/* base/texts.h -- lists of texts. */
#ifndef YK_BASE_TEXTS_H
#define YK_BASE_TEXTS_H

#include "base/base.h"

/* Where `text` is in the list; -1: nowhere. */
int yk_texts_find(const char *const *list, int count, const char *text);

/* The list, which may be NULL, and all texts in it. */
void yk_texts_free(char **list, int count);

/* A list that grows; zero-initialise it. */
typedef struct yk_texts {
    char **at;
    int count;
    size_t room;
} yk_texts;

yoke_status yk_texts_add(yk_texts *texts, const char *text, yoke_err *err);
void yk_texts_clear(yk_texts *texts);
bool yk_texts_have(const yk_texts *texts, const char *text);

#endif
