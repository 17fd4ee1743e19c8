#!/bin/sh
# run.sh PROGRAM FILE...: runs the commands of text files and compares.
#
#   command ARGUMENTS      runs `yoke ARGUMENTS` in an empty folder
#   exit N                 exit status of the last command
#   out TEXT, err TEXT     standard output / error contains TEXT
#   noout TEXT             standard output does not contain TEXT
#   noerr TEXT             standard error does not contain TEXT
#   silent                 both are empty
#   json                   standard output is JSON (needs python3)
#   keys PATH KEY...       the keys of the JSON object at PATH, neither more nor
#                          fewer; PATH is ".", or names and numbers joined by
#                          dots, * for the first one: work.* subsystems.0
#   line NAME TEXT         adds a line to file NAME, for the commands after it
#   file NAME              NAME exists and is not empty
#   contains NAME TEXT     file NAME contains TEXT; lacks: it does not
#   value FILE COLUMN TIME NUMBER TOLERANCE
#                          the row of FILE at TIME has NUMBER in COLUMN
#
# Lines that begin with # are comments.
set -u
program=$1
shift
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
status=0
shown=

fail() {
    echo "$where: yoke $shown"
    echo "    $1"
    sed 's/^/    out: /' "$scratch/out" | head -n 20
    sed 's/^/    err: /' "$scratch/err" | head -n 20
    status=1
}

check_json() {
    if ! python3 -c '' 2>/dev/null; then
        echo "$where: skipped, there is no python3"
    elif ! python3 -m json.tool <"$scratch/out" >/dev/null 2>&1; then
        fail "not JSON"
    fi
}

# PATH KEY...
check_keys() {
    if ! python3 -c '' 2>/dev/null; then
        echo "$where: skipped, there is no python3"
        return
    fi
    python3 -c '
import json, sys
at = json.load(open(sys.argv[1]))
for step in sys.argv[2].split("."):
    if step == "*":
        at = next(iter(at.values()))
    elif step:
        at = at[int(step)] if isinstance(at, list) else at[step]
missing = [k for k in sys.argv[3:] if k not in at]
more = [k for k in at if k not in sys.argv[3:]]
if missing or more:
    print("missing:", missing, "not listed:", more)
    sys.exit(1)' "$scratch/out" "$@" || fail "keys of $1"
}

# FILE COLUMN TIME NUMBER TOLERANCE
check_value() {
    awk -F, -v column="$2" -v time="$3" -v want="$4" -v tol="$5" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
    NR > 1 && $1 - time < 1e-9 && time - $1 < 1e-9 {
        found = 1
        ok = at && $at - want <= tol && want - $at <= tol
        got = $at
    }
    END {
        if (!found || !ok) print "at " time " it is " got
        exit !(found && ok)
    }' "$scratch/run/$1" || fail "$2 of $1 at $3 is not $4 +- $5"
}

for file in "$@"; do
    rm -rf "$scratch/run"
    mkdir "$scratch/run"
    number=0
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        where=$(basename "$file"):$number
        word=${line%% *}
        rest=${line#"$word"}
        rest=${rest# }
        case $word in
        '' | \#*) ;;
        command)
            shown=$rest
            eval "set -- $rest"
            (cd "$scratch/run" && "$program" "$@") >"$scratch/out" \
                2>"$scratch/err" </dev/null
            code=$?
            ;;
        exit) [ "$code" = "$rest" ] || fail "exit status $code, not $rest" ;;
        out) grep -qF -e "$rest" "$scratch/out" || fail "no output \"$rest\"" ;;
        err) grep -qF -e "$rest" "$scratch/err" || fail "no error \"$rest\"" ;;
        noout)
            ! grep -qF -e "$rest" "$scratch/out" || fail "output \"$rest\""
            ;;
        noerr)
            ! grep -qF -e "$rest" "$scratch/err" || fail "error \"$rest\""
            ;;
        silent)
            [ ! -s "$scratch/out" ] && [ ! -s "$scratch/err" ] ||
                fail "it printed something"
            ;;
        json) check_json ;;
        keys)
            eval "set -- $rest"
            check_keys "$@"
            ;;
        line)
            into=$scratch/run/${rest%% *}
            mkdir -p "${into%/*}"
            printf '%s\n' "${rest#* }" >>"$into"
            ;;
        file) [ -s "$scratch/run/$rest" ] || fail "no file $rest" ;;
        contains)
            grep -qF -- "${rest#* }" "$scratch/run/${rest%% *}" ||
                fail "${rest%% *} does not contain: ${rest#* }"
            ;;
        lacks)
            ! grep -qF -- "${rest#* }" "$scratch/run/${rest%% *}" ||
                fail "${rest%% *} contains: ${rest#* }"
            ;;
        value)
            eval "set -- $rest"
            check_value "$@"
            ;;
        *)
            echo "$where: what is \"$word\"?"
            status=1
            ;;
        esac
    done <"$file"
done
exit $status
