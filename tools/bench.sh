#!/bin/sh
# tools/bench.sh -- runs every bench/*/run.sh in its folder, with the directory
# of the build as its argument.
set -eu

build=$PWD/build
for script in bench/*/run.sh; do
    if [ ! -f "$script" ]; then
        echo "There is no benchmark yet."
        exit 0
    fi
    folder=$(dirname "$script")
    echo "== $folder"
    (cd "$folder" && sh ./run.sh "$build")
done
