#!/bin/sh
# Every component of the program and each of its keys stands in the manual.
#
#   components.sh PROGRAM PAGE...
set -eu
program=$1
shift
status=0
names=$("$program" help components | awk 'NR > 1 { print $1 == "component" ? $2 : $1 }')
for name in $names; do
    keys=$("$program" help "$name" | awk 'NR > 1 { print $1 }')
    grep -qwF "$name" "$@" || {
        echo "the manual has no $name"
        status=1
    }
    for word in $keys; do
        grep -q "\`$word[\`:]" "$@" || {
            echo "the manual has no \`$word\` ($name)"
            status=1
        }
    done
done
[ "$(echo "$names" | wc -l)" -ge 10 ] || {
    echo "too few components: $names"
    status=1
}
exit $status
