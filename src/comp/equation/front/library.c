/* comp/equation/front/library.c -- functions of the standard library that
 * exports leave out.
 *
 * Some versions of tools write the functions that a model calls, but not those
 * that only these functions call.  The few that many models need are here,
 * as text, and count where a file does not define them.
 */
#include "comp/equation/front/translate.h"

#include <string.h>

static const char text[] =
    /* v/|v|, and finite where v is zero */
    "function 'Modelica.Math.Vectors.normalize'\n"
    "  input Real v[:];\n"
    "  input Real eps = 2.220446049250313e-14;\n"
    "  output Real result[size(v, 1)];\n"
    "protected\n"
    "  Real size_of_v = sqrt(v*v);\n"
    "algorithm\n"
    "  result := smooth(0, if size_of_v >= eps then v/size_of_v else v/eps);\n"
    "end 'Modelica.Math.Vectors.normalize';\n"
    /* The axes of m phases: an odd number is spread evenly; twice as many are
     * the same axes and once more, turned back by pi/m. */
    "function 'Modelica.Electrical.Polyphase.Functions.symmetricOrientation'\n"
    "  input Integer m;\n"
    "  output Real orientation[m];\n"
    "protected\n"
    "  Integer base = m;\n"
    "algorithm\n"
    "  while base > 2 and mod(base, 2) == 0 loop\n"
    "    base := div(base, 2);\n"
    "  end while;\n"
    "  for k in 1:base loop\n"
    "    orientation[k] := if base == 2 then (k - 1)*1.5707963267948966\n"
    "                      else (k - 1)*6.283185307179586/base;\n"
    "  end for;\n"
    "  while base < m loop\n"
    "    for k in 1:base loop\n"
    "      orientation[base + k] := orientation[k] -\n"
    "                               1.5707963267948966/base;\n"
    "    end for;\n"
    "    base := 2*base;\n"
    "  end while;\n"
    "end 'Modelica.Electrical.Polyphase.Functions.symmetricOrientation';\n"
    /* Poles of a filter with the cut-off frequency f_cut. */
    "function "
    "'Modelica.Blocks.Continuous.Internal.Filter.coefficients.lowPass'\n"
    "  input Real cr_in[:];\n"
    "  input Real c0_in[:];\n"
    "  input Real c1_in[size(c0_in, 1)];\n"
    "  input Real f_cut;\n"
    "  output Real cr[size(cr_in, 1)];\n"
    "  output Real c0[size(c0_in, 1)];\n"
    "  output Real c1[size(c0_in, 1)];\n"
    "protected\n"
    "  Real w = 6.283185307179586*f_cut;\n"
    "algorithm\n"
    "  cr := w*cr_in;\n"
    "  c1 := w*c1_in;\n"
    "  c0 := w^2*c0_in;\n"
    "end 'Modelica.Blocks.Continuous.Internal.Filter.coefficients.lowPass';\n"
    "function 'Complex.\\'constructor\\'.fromReal'\n"
    "  input Real re;\n"
    "  input Real im = 0;\n"
    "  output 'Complex' result;\n"
    "algorithm\n"
    "  result.re := re;\n"
    "  result.im := im;\n"
    "end 'Complex.\\'constructor\\'.fromReal';\n"
    "function 'Modelica.Units.Conversions.to_degC'\n"
    "  input Real K;\n"
    "  output Real degC = K - 273.15;\n"
    "algorithm\n"
    "end 'Modelica.Units.Conversions.to_degC';\n";

static bool is_defined(const yk_source *source, const char *path)
{
    for (int i = 0; i < source->classes; i++)
        if (strcmp(source->class_[i]->path, path) == 0) return true;
    return false;
}

yoke_status yk_library_add(yk_source *source, yk_arena *arena, yoke_err *err)
{
    yk_source library = { .path = "library" };
    yk_class **all = NULL;
    int count = source->classes;

    YK_TRY(yk_parse(&library, arena, library.path, text, sizeof text - 1, err));
    YK_TRY(YK_TAKE(arena, &all, count + library.classes, err));
    if (count) memcpy(all, source->class_, (size_t)count * sizeof *all);
    for (int i = 0; i < library.classes; i++)
        if (!is_defined(source, library.class_[i]->path))
            all[count++] = library.class_[i];
    source->class_ = all;
    source->classes = count;
    return YOKE_OK;
}
