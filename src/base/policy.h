/* base/policy.h -- numbers that decide: thresholds, margins, factors.
 *
 * Each room lists its own in policy.h, with meaning, unit and the reason:
 *
 *     A window is repeated if ... (part of the tolerance).  Derivation: ...
 *     YK_POLICY(YK_ITER_SHARE, 0.25);
 *     YK_POLICY_INT(YK_ITER_MOST_SWEEPS, 30);
 *
 * They are constants.  In the build of bench/14_policy (cmake -DYOKE_POLICY=ON)
 * they are variables which the environment may set, to see what they do:
 *
 *     YOKE_POLICY="YK_ITER_SHARE=0.5" yoke run system.yaml
 */
#ifndef YK_POLICY_H
#define YK_POLICY_H

#ifndef YOKE_POLICY_BENCH

#define YK_POLICY(name, value)                                                 \
    static const double name __attribute__((unused)) = value
#define YK_POLICY_INT(name, value) enum { name = value }

#else

/* What the environment says of this number, or `value`. */
double yk_policy(const char *name, double value);

#define YK_POLICY(name, value)     YK_POLICY_VARIABLE(double, name, value)
#define YK_POLICY_INT(name, value) YK_POLICY_VARIABLE(int, name, value)
#define YK_POLICY_VARIABLE(type, name, value)                                  \
    static type name __attribute__((unused)) = value;                          \
    __attribute__((constructor)) static void name##_set(void)                  \
    {                                                                          \
        name = (type)yk_policy(#name, value);                                  \
    }                                                                          \
    struct yk_policy_end

#endif

/* What a tolerance promises: values are wrong if they are off by more than so
 * many tolerances.  Errors of steps add up. */
YK_POLICY(YK_PROMISE, 10.0);

#endif
