#!/bin/sh
# Every #include of src/ obeys src/LAYERS; every public header has a folder.
set -eu
cd "$(dirname "$0")/../.."

status=0
for header in include/yoke/*.h; do
    name=yoke/$(basename "$header")
    grep -q "^$name = " src/LAYERS || {
        echo "src/LAYERS: $name has no folder"
        status=1
    }
done

# Tests beside the sources see the whole library.
find src -name '*.[ch]' ! -name '*_test.[ch]' ! -name '*_fixture.h' -exec \
    grep -Hn '^[[:space:]]*#[[:space:]]*include "' {} + |
    awk '
    FILENAME == "src/LAYERS" && /^[a-z]+ :/ {
        may[$1, $1] = 1
        known[$1] = 1
        for (i = 3; i <= NF; i++) may[$1, $i] = 1
        next
    }
    FILENAME == "src/LAYERS" && / = / { owner[$1] = $3; next }
    FILENAME == "src/LAYERS" { next }
    {
        split($0, part, ":")
        split(part[1], path, "/")
        folder = path[2]
        match($0, /"[^"]*"/)
        header = substr($0, RSTART + 1, RLENGTH - 2)
        split(header, piece, "/")
        target = header in owner ? owner[header] : piece[1]
        where = part[1] ":" part[2] ": "
        if (!(folder in known)) {
            print where "folder " folder " is not in src/LAYERS"; bad = 1
        } else if (index(header, "/") == 0) {
            print where header " has no folder"; bad = 1
        } else if (folder == "cli") {
            if (piece[1] != "yoke" && piece[1] != "cli") {
                print where "cli includes " header; bad = 1
            }
        } else if (folder == "comp" && piece[1] == "comp" &&
                   piece[2] != path[3] && piece[2] != "closed") {
            print where "one front end includes another: " header; bad = 1
        } else if (!((folder, target) in may)) {
            print where folder " includes " header " of " target; bad = 1
        }
    }
    END { exit bad }' src/LAYERS - || status=1
exit $status
