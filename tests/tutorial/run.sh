#!/bin/sh
# run.sh PROGRAM TUTORIAL: does what the tutorial says, in an empty folder.
#
#   ```LANGUAGE file=NAME   the block becomes the file NAME
#   ```console              lines "$ yoke ..." are run, with "# fails" behind
#                           them they must fail; the lines below must occur in
#                           the output, up to numbers and blanks; "..." stands
#                           for any text, also at the end of a line
set -u
program=$1
tutorial=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/work"
ln -s "$program" "$scratch/bin/yoke"
PATH=$scratch/bin:$PATH
if ! command -v gnuplot >/dev/null 2>&1; then
    echo "skipped: there is no gnuplot"
    exit 77
fi
cd "$scratch/work" || exit 1
yoke run two-masses --quiet --output ../try.h5 2>../err || {
    cat ../err
    grep -q "HDF5" ../err && exit 77
    exit 1
}
status=0
number=0
commands=0
block=
: >../plain

fail() {
    echo "$(basename "$tutorial"):$number: $1"
    status=1
}

# Numbers become #, blanks one blank.
simplify() {
    sed -E 's/[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/#/g; s/[[:space:]]+/ /g
        s/^ //; s/ $//' "$@"
}

run_command() {
    commands=$((commands + 1))
    (eval "$1") >../out 2>&1 </dev/null
    code=$?
    case $1 in
    *'# fails') [ $code -ne 0 ] || fail "$1: it does not fail" ;;
    *) [ $code -eq 0 ] || fail "$1: exit status $code: $(cat ../out)" ;;
    esac
    simplify ../out >../plain
}

check_line() {
    wanted=$(printf '%s\n' "${1%...}" | simplify)
    [ -z "$wanted" ] || grep -qF -e "$wanted" ../plain ||
        fail "\"$1\" is not in the output"
}

while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    case $block,$line in
    ,'```console') block=console ;;
    ,'```'*file=*)
        block=file
        name=${line##*file=}
        : >"$name"
        ;;
    ,'```'?*) block=other ;;
    ?*,'```') block= ;;
    'console,$ '*) run_command "${line#'$ '}" ;;
    console,*) check_line "$line" ;;
    file,*) printf '%s\n' "$line" >>"$name" ;;
    esac
done <"$tutorial"

for file in drive.mo drive.yaml drive.h5 speed.png drive.html; do
    [ -s "$file" ] || fail "there is no $file"
done
[ $commands -ge 9 ] || fail "only $commands commands were found"
exit $status
