/* base/texts.c -- lists of texts. */
#include "base/texts.h"

#include <string.h>

int yk_texts_find(const char *const *list, int count, const char *text)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0) return i;
    return -1;
}

void yk_texts_free(char **list, int count)
{
    for (int i = 0; list && i < count; i++) yk_free(list[i]);
    yk_free(list);
}

yoke_status yk_texts_add(yk_texts *texts, const char *text, yoke_err *err)
{
    YK_TRY(YK_GROW(&texts->at, &texts->room, texts->count + 1, err));
    YK_TRY(yk_copy_text(&texts->at[texts->count], text, err));
    texts->count++;
    return YOKE_OK;
}

void yk_texts_clear(yk_texts *texts)
{
    yk_texts_free(texts->at, texts->count);
    *texts = (yk_texts){ 0 };
}

bool yk_texts_have(const yk_texts *texts, const char *text)
{
    return yk_texts_find((const char *const *)texts->at, texts->count, text) >=
           0;
}
