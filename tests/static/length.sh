#!/bin/sh
# Files have at most 900 lines; less than a tenth of the functions of src/ have
# more than 60.  With -v every long function is listed.
set -eu
cd "$(dirname "$0")/../.."

status=0
for file in $(sh tests/static/sources.sh); do
    lines=$(wc -l <"$file")
    if [ "$lines" -gt 900 ]; then
        echo "$file has $lines lines"
        status=1
    fi
done

# A function of ours begins with { and ends with } in the first column.
find src -name '*.c' ! -name '*_test.c' -exec \
    awk -v most=60 -v list="${1:-}" '
    /^\{/ { start = FNR }
    /^\}/ && start {
        size = FNR - start - 1
        count++
        if (size > most) {
            long++
            if (list == "-v") print FILENAME ":" start ": " size " lines"
        }
        start = 0
    }
    END {
        printf "%d functions, %d of more than %d lines\n", count, long, most
        exit count > 0 && 10 * long >= count
    }' {} + || {
    echo "too many long functions"
    status=1
}
exit $status
