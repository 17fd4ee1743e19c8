#!/bin/sh
# The options in the manual page are those of the program's table.
#
#   options.sh PROGRAM MANUAL
set -eu
listed=$(mktemp)
trap 'rm -f "$listed"' EXIT
sed -n '/^\.\\" BEGIN OPTIONS/,/^\.\\" END OPTIONS/p' "$2" | sed '1d;$d' >"$listed"
if ! "$1" help --roff | diff "$listed" - >&2; then
    echo "$2: put the output of \`yoke help --roff\` between the marks" >&2
    exit 1
fi
