#!/bin/sh
# examples.sh PROGRAM: every example reaches its expected values, also with the
# interpreter and as one system; coupled and whole results agree.
set -u
program=$1
include=$(cd "$(dirname "$0")/../../include" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0

fail() {
    echo "$1"
    status=1
}

# EXAMPLE RESULT: the last row against EXAMPLE/expected.txt.  A variable may be
# a sum of columns, a+b.
check_values() {
    awk -v result="$2" '
    FILENAME == result {
        n = split($0, field, ",")
        if (FNR == 1) for (i = 1; i <= n; i++) at[field[i]] = i
        else split($0, last, ",")
        next
    }
    /^#/ || NF == 0 { next }
    {
        terms = split($1, term, "+")
        value = 0
        for (i = 1; i <= terms; i++) {
            if (!(term[i] in at)) { print "no column " term[i]; bad = 1 }
            else value += last[at[term[i]]]
        }
        off = value - $2
        if (!(off <= $3 && -off <= $3)) {
            print $1 " is " value ", not " $2 " +- " $3
            bad = 1
        }
        rows++
    }
    END { exit bad || !rows }' "$2" "$1/expected.txt" || fail "$1: see $2"
}

# EXAMPLE A B: no expected variable differs by more than its tolerance.
check_difference() {
    "$program" compare "$2" "$3" >difference || fail "$1: compare failed"
    awk '
    FILENAME == "difference" { most[$1] = $2; next }
    /^#/ || NF == 0 || /\+/ { next }
    !($1 in most) || most[$1] > $3 {
        print $1 " differs by " most[$1] ", more than " $3
        bad = 1
    }
    END { exit bad }' difference "$1/expected.txt" || fail "$1: $2 and $3 differ"
}

# EXAMPLE RESULT OPTIONS...
run() {
    example=$1
    result=$2
    shift 2
    if "$program" run "$example" --quiet --output "$result" "$@"; then
        check_values "$example" "$result"
    else
        fail "$example $*: exit status $?"
    fi
}

# EXAMPLE: its programs in C; false if one of another kind cannot run here.
build_programs() {
    if ls "$1"/*.py >/dev/null 2>&1 && ! command -v python3 >/dev/null 2>&1; then
        echo "left out: $1 needs python3"
        return 1
    fi
    for source in "$1"/*.c; do
        ${CC:-cc} -O2 -Wall -Wextra -Werror -I"$include" "$source" \
            -o "${source%.c}" -lm || fail "$source does not compile"
    done
}

names=$("$program" example --names)
[ "$(echo "$names" | wc -l)" -ge 7 ] || fail "there are only: $names"
for name in $names; do
    "$program" example "$name" >written || fail "$name is not written"
    grep -q "^Next: yoke run $name" written || fail "$name: no next command"
    for file in README.md expected.txt; do
        [ -s "$name/$file" ] || fail "$name has no $file"
    done
    if [ -s "$name/SystemStructure.ssd" ]; then
        run "$name" coupled.csv
        continue # closed parts
    fi
    [ -s "$name/system.yaml" ] || fail "$name has no system.yaml"
    if grep -q '^ *program:' "$name/system.yaml"; then
        build_programs "$name" && run "$name" coupled.csv
        continue # a closed part has no other way to be solved
    fi
    run "$name" coupled.csv
    grep -q 'fmu:' "$name/system.yaml" && continue # likewise
    ls "$name"/*.mo >/dev/null 2>&1 && run "$name" interpreted.csv --interpret
    run "$name" whole.csv --scheme monolithic
    check_difference "$name" coupled.csv whole.csv
done
exit $status
