/* base/locale.h -- a decimal point is a point, whatever locale a program has.
 *
 * A program that has called setlocale may have decimal commas: then strtod reads
 * "1.5" as 1.  Every public function that reads or writes numbers as text begins
 * with
 *
 *     YK_POINT;
 *
 * and until it returns, numbers have points in this thread.  Nothing else of the
 * locale changes, which functions of the caller may need.
 */
#ifndef YK_BASE_LOCALE_H
#define YK_BASE_LOCALE_H

typedef struct yk_locale {
    void *plain, *before; /* locale_t */
} yk_locale;

yk_locale yk_locale_enter(void);
void yk_locale_leave(yk_locale *saved);

#define YK_POINT                                                               \
    yk_locale yk_point __attribute__((cleanup(yk_locale_leave), unused)) =     \
        yk_locale_enter()

#endif
