#!/bin/sh
# Runs this benchmark: sh ./run.sh BUILD [--quick | --closed] [NAME...]
#
# Halves and doubles every number of the policy.h of src, or those named, and
# tables what happens to the work, the errors and the failures of a suite.
# BUILD is one with cmake -DYOKE_POLICY=ON; in others the numbers are constants
# and the benchmark is left out.  It takes half an hour, so it is no part of any
# test.
set -eu

build=$1
shift
quick=
case "${1:-}" in --quick | --closed)
    quick=$1
    shift
    ;;
esac
if ! grep -q '^YOKE_POLICY:BOOL=ON' "$build/CMakeCache.txt" 2>/dev/null; then
    echo "left out: this build has constants (cmake -DYOKE_POLICY=ON has not)"
    exit 0
fi
source=$(cd ../../src && pwd)
examples=$(cd ../../examples && pwd)
results=results.csv
if [ -n "$quick" ] || [ $# -gt 0 ]; then results=$build/bench_14_policy.csv; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Examples of all kinds that take a tenth of a second; those of the second list
# also with cluster: none.
suite="floating-capacitor joint netlist-plant port-hamiltonian-masses
    rc-chain swing two-masses van-der-pol"
apart="floating-capacitor joint netlist-plant two-masses van-der-pol"
random=6 # systems of tests/family, cases of bench/05_strong_coupling
whole="--scheme monolithic --rtol 1e-9 --atol 1e-11"
if [ "$quick" = --quick ]; then
    suite="netlist-plant two-masses"
    apart=$suite
    random=2
elif [ "$quick" = --closed ]; then # closed parts; none of them is a system
    suite="fmu-pair program-pair ngspice-switch ngspice-pair"
    apart=
    whole="--rtol 1e-6"
    random=0
fi

# Numbers as NAME VALUE TYPE, from "YK_POLICY(NAME, VALUE);", where VALUE may be
# a quotient.
list() {
    find "$source" -name policy.h | sort | xargs cat |
        sed -nE 's/^YK_POLICY(_INT)?\(([A-Z0-9_]+), *([-+0-9.eE]+)( *\/ *([0-9.]+))?\);.*/\2 \3 real\1 \5/p' |
        awk '{ if ($4) $2 = sprintf("%.17g", $2 / $4); print $1, $2, $3 }'
}

# One example: "case residuals sweeps failures checks error".
example() {
    here=$folder/$1
    options=
    if [ "$2" = none ]; then options="--cluster none"; fi
    code=0
    # shellcheck disable=SC2086
    (cd "$here" && timeout 60 "$build/yoke" run system.yaml $options --json \
        -o run.csv > run.json 2> /dev/null) || code=$?
    awk -v case="$1-$2" -v failed="$((code != 0))" '
        /"spot":/ { spot = 1 }
        /"work":/ && spot { match($0, /"residuals": [0-9]+/)
            checks = substr($0, RSTART + 13, RLENGTH - 13); spot = 0; next }
        /"sweeps":/ && /"windows":/ { match($0, /"sweeps": [0-9]+/)
            sweeps = substr($0, RSTART + 10, RLENGTH - 10) }
        /"oracle":/ { exit }
        /"residuals":/ { match($0, /"residuals": [0-9]+/)
            sum += substr($0, RSTART + 13, RLENGTH - 13) }
        END { printf "%s %d %d %d %d ", case, sum, sweeps, failed, checks }' \
        "$here/run.json"
    (cd "$here" && env -u YOKE_POLICY "$build/yoke" compare run.csv \
        reference.csv 2> /dev/null) |
        awk 'NR > 1 && $3 + 0 > most { most = $3 + 0 } END { print most + 0 }'
}

# A random suite that writes case,quantity,value: the same line.
random_line() {
    awk -F, -v case="$1" '
        $1 != "all" { next }
        $2 == "residuals" || $2 == "residuals_over_monolithic" { work = $3 }
        $2 == "sweeps_per_window" { sweeps = 1000 * $3 }
        $2 == "wrong" || $2 == "failures" || $2 == "endless" ||
            $2 == "crashed" { bad += $3 }
        $2 == "refused_percent" { bad += $3 }
        $2 == "worst" { worst = $3 }
        END { printf "%s %.6g %d %d 0 %.4g\n", case, work, sweeps, bad,
                  worst }' "$2"
}

# All of the suite, with the policy of the environment.
measure() {
    for name in $suite; do example "$name" auto; done
    for name in $apart; do example "$name" none; done
    [ $random -gt 0 ] || return 0
    timeout 300 "$build/tests/family" --count $random --rtol 1e-6 \
        "$folder/family.csv" > /dev/null 2>&1 || true
    random_line family "$folder/family.csv"
    timeout 300 "$build/bench_05_strong_coupling" --cases $random \
        "$folder/strong.csv" > /dev/null 2>&1 || true
    random_line strong "$folder/strong.csv"
}

# Lines of a changed policy against those of the base.  Errors below a
# millionth are the tolerance of most examples; their growth does not count.
judge() {
    awk -v name="$1" -v factor="$2" '
        NR == FNR { work[$1] = $2; sweeps[$1] = $3; bad[$1] = $4
                    checks[$1] = $5; error[$1] = $6; line[$1] = $0; next }
        $0 != line[$1] { changed++ }
        $2 > 0 && work[$1] > 0 { n++; r = $2 / work[$1]; sum += log(r)
            if (r > most) { most = r; where = $1 } }
        $3 > 0 && sweeps[$1] > 0 { s++; swept += log($3 / sweeps[$1]) }
        $5 > 0 && checks[$1] > 0 { c++; checked += log($5 / checks[$1]) }
        { failures += $4 - bad[$1] }
        $6 > 1e-6 { e = error[$1] > 1e-6 ? error[$1] : 1e-6
            if ($6 / e > worse) { worse = $6 / e; bad_at = $1 } }
        END { printf "%s,%s,%d,%.3f,%.3f,%s,%.3f,%.3f,%d,%.3g,%s\n", name,
                  factor, changed, exp(sum / n), most, where, exp(swept / s),
                  c ? exp(checked / c) : 1, failures, worse, bad_at }' \
        "$folder/base" "$folder/now"
}

for name in $suite; do
    case $name in
        ngspice-*) cp -R "$name" "$folder" ;;
        *) cp -R "$examples/$name" "$folder" ;;
    esac
    if [ "$name" = program-pair ]; then
        cc -O2 -I "$examples/../include" "$folder/$name/left.c" \
            -o "$folder/$name/left" -lm
    fi
    # shellcheck disable=SC2086
    (cd "$folder/$name" && "$build/yoke" run system.yaml $whole \
        -o reference.csv > /dev/null 2>&1) || true
done
measure > "$folder/base"
echo "name,factor,changed,work,most,where,sweeps,checks,failures,error,at" \
    > "$results"
list > "$folder/list"
while read -r name value kind; do
    if [ $# -gt 0 ]; then
        case " $* " in *" $name "*) ;; *) continue ;; esac
    fi
    for factor in 0.5 2; do
        new=$(echo "$value $factor $kind" | awk '{ v = $1 * $2
            if ($3 != "real") { v = int(v); if (v < 1) v = 1 }
            printf "%.9g", v }')
        (export YOKE_POLICY="$name=$new" && measure) > "$folder/now"
        judge "$name" "$factor" | tee -a "$results"
    done
done < "$folder/list"
