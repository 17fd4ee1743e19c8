#!/bin/sh
# Relative links of all pages lead to files and headings that exist, and
# docs/README.md links every page of docs/.  With a folder as argument its pages
# are looked at instead of ours.
set -eu
cd "${1:-$(dirname "$0")/../..}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find . -name '*.md' -type f ! -path './build*' ! -path '*/node_modules/*' |
    sed 's|^\./||' | sort >"$work/pages"

# "file:line target", without code, which has brackets of its own.
links_of() {
    awk '
    /^ *```/ { code = !code }
    code || /^    / { next }
    {
        gsub(/`[^`]*`/, "`")
        while (match($0, /\]\([^() ]+\)/)) {
            print FILENAME ":" FNR, substr($0, RSTART + 2, RLENGTH - 3)
            $0 = substr($0, RSTART + RLENGTH)
        }
    }' "$1"
}

# Headings as the anchors that the usual renderers make of them.
anchors_of() {
    awk '/^ *```/ { code = !code } !code && /^#+ / { print }' "$1" |
        sed 's/^#* *//' | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9_ -]//g; s/ /-/g'
}

while read -r page; do
    links_of "$page"
done <"$work/pages" >"$work/links"

status=0
while read -r place target; do
    case $target in
        [a-z]*:*) continue ;;
    esac
    page=${place%:*}
    file=${target%%#*}
    path=$(dirname "$page")/$file
    [ -n "$file" ] || path=$page
    if [ ! -e "$path" ]; then
        echo "$place: there is no $file"
        status=1
        continue
    fi
    case $target in
        *.md\#* | \#*)
            anchors_of "$path" >"$work/anchors"
            grep -qxF -- "${target#*\#}" "$work/anchors" || {
                echo "$place: $path has no heading #${target#*\#}"
                status=1
            }
            ;;
    esac
done <"$work/links"

for page in $(grep '^docs/.*/' "$work/pages" || true); do
    grep -q "^docs/README.md:[0-9]* ${page#docs/}\$" "$work/links" || {
        echo "docs/README.md does not link $page"
        status=1
    }
done
echo "$(wc -l <"$work/pages") pages, $(wc -l <"$work/links") links"
exit $status
