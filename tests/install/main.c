/* A foreign program: a ramp from 1 to 3, asked at its middle. */
#include <stdio.h>
#include <string.h>

#include <yoke/version.h>
#include <yoke/wave.h>

int main(void)
{
    const double left = 1.0, right = 3.0;
    double value = 0.0;
    yoke_wave *w = NULL;
    yoke_err err;

    if (strcmp(yoke_version(), YOKE_VERSION) != 0) return 1;
    if (yoke_wave_create(&w, 1, &err) != YOKE_OK) return 1;
    yoke_wave_clear(w, 0.0);
    if (yoke_wave_append_linear(w, 1.0, &left, &right, &err) != YOKE_OK)
        return 1;
    yoke_wave_eval(w, 0.5, NULL, &value);
    yoke_wave_free(w);
    printf("yoke %s: w(0.5) = %g\n", yoke_version(), value);
    return value == 2.0 ? 0 : 1;
}
