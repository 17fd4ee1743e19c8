/* comp/fmu/ssp/policy.h -- bounds of what is read.
 *
 * Each is far above what people exchange, and small enough that a file that
 * refers to itself in ways nobody thought of ends with a sentence. */
#ifndef YK_SSP_POLICY_H
#define YK_SSP_POLICY_H

#include "base/policy.h"

/* Systems in systems, and descriptions in descriptions.  The largest packages
 * in public repositories nest 4 deep. */
#define YK_SSP_DEEPEST 40

/* Components, systems and references of all files together.  Each component is
 * a process. */
#define YK_SSP_MOST_ELEMENTS 20000

/* Bytes of the name of an element with those of its systems: system files take
 * 500 with the name of the variable, so 250 are left for that. */
#define YK_SSP_LONGEST_NAME 250

/* Packages in packages, each unpacked into a folder. */
#define YK_SSP_MOST_PACKAGES 100

/* Bytes of a description, a parameter set or a mapping. */
#define YK_SSP_MOST_BYTES ((size_t)64 << 20)

/* The type of the annotation with options of a run and of components, which
 * SSP has no place for. */
#define YK_SSP_ANNOTATION "yoke.options"

#endif
