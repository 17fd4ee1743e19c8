# mpirun.sh -- to be read by tests: mpirun_yoke RANKS PROGRAM ARGUMENT...: more ranks
# than processors, as root too.  Exits with 77 where there is no mpirun.
if [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null 2>&1; then
    echo "skipped: there is no mpirun, or yoke-mpi was built without MPI"
    exit 77
fi
# With sanitizers: leaks of Open MPI are not ours, and its frames have no pointers.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}fast_unwind_on_malloc=0
LSAN_OPTIONS=${LSAN_OPTIONS:+$LSAN_OPTIONS:}print_suppressions=0:suppressions=$(
    cd "$(dirname "$0")" && pwd
)/openmpi.supp
export ASAN_OPTIONS LSAN_OPTIONS
mpirun_yoke() {
    count=$1
    shift
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        mpirun --oversubscribe -n "$count" "$@"
}
