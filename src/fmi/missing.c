/* fmi/missing.c -- what the binary of an FMU does without: closed parts inside,
 * HDF5 results, METIS, OpenBLAS.  Defined here, the objects of the library are
 * not linked, nor what they need.
 */
#include "file/component.h"
#include "io/format.h"
#include "la/bisect.h"
#include "la/blas.h"

/* ---- closed parts ------------------------------------------------------- */

static yoke_status refuse(yk_reader *r, const yk_yaml *node,
                          const yk_yaml *given, yk_entries *parameters,
                          yoke_system **out, yoke_err *err)
{
    (void)parameters;
    (void)out;
    return yk_file_fail(r, given, err,
                        "\"%.100s\" is a closed part (%s), which an exported "
                        "FMU cannot contain",
                        node->key, given->key);
}

extern const yk_component yk_component_fmu;
const yk_component yk_component_fmu = { .source = "fmu",
                                        .text = "a closed part",
                                        .read = refuse };

/* ---- libraries ---------------------------------------------------------- */

const yk_format yk_format_hdf5 = { .extension = ".h5" };

yoke_status yk_bisect(const yk_weighted *graph, int wanted, int *part,
                      int *parts, yoke_err *err)
{
    (void)graph, (void)wanted, (void)part, (void)parts;
    return yk_fail(err, YOKE_E_MISSING,
                   "an exported FMU cannot cut a netlist by itself: give it "
                   "parts, or `partition: none`");
}

void yk_blas_one_thread(void)
{
}
