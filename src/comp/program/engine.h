/* comp/program/engine.h -- programs as engines of closed parts.
 *
 * The settings of the part: `word:`, program and arguments, in their order;
 * `folder` to run it in; `in:NAME` and `out:NAME` with the unit or nothing, in
 * their order; `set:NAME`, parameters; `tolerance`, `absolute`, `step`.
 */
#ifndef YK_PROGRAM_ENGINE_H
#define YK_PROGRAM_ENGINE_H

#include "part/part.h"

yoke_status yk_program_make(const yk_part_spec *spec, yk_part_engine *out,
                            yoke_err *err);

#endif
