#!/bin/sh
# tools/coverage.sh -- runs the tests and lists the statements of src/ that none
# of them executed, in build-coverage/never.txt.
set -eu

top=$PWD
cmake --preset coverage
cmake --build --preset coverage -j "${JOBS:-2}"
find build-coverage -name '*.gcda' -delete
ctest --test-dir build-coverage -j "${JOBS:-2}" --output-on-failure || true

rm -f build-coverage/never.part
work=build-coverage/gcov
rm -rf "$work"
mkdir -p "$work"
find "$top/build-coverage" -name '*.gcda' -path '*yoke_objects.dir*' |
    (cd "$work" && xargs -d '\n' gcov -p >/dev/null 2>&1)

# "    #####:   12:    text" is a statement never executed.
for file in "$work"/*src#*.gcov; do
    awk -v out=build-coverage/never.part '
        /^ *-: *0:Source:/ { sub(/.*Source:/, ""); sub(/.*\/src\//, "src/")
                             source = $0 }
        /^ *[0-9]+\*?:/ { done++ }
        /^ *(#####|=====):/ { missed++; split($0, part, ":")
            printf "%s:%d:%s\n", source, part[2],
                   substr($0, length(part[1]) + length(part[2]) + 3) >> out }
        END { printf "%d %d %s\n", done, missed, source }' "$file"
done | awk '{ done += $1; missed += $2; total = $1 + $2
              printf "%6.1f %%  %4d of %4d  %s\n",
                     total ? 100 * $1 / total : 100, $1, total, $3 }
            END { printf "%6.1f %%  in all\n", 100 * done / (done + missed) }'
touch build-coverage/never.part
sort -t: -k1,1 -k2,2n build-coverage/never.part >build-coverage/never.txt
rm -f build-coverage/never.part
echo "$(wc -l <build-coverage/never.txt) statements are never executed:" \
    "build-coverage/never.txt"
