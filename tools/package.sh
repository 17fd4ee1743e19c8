#!/bin/sh
# tools/package.sh -- a Debian package and an archive of the sources, in
# build/package, and a try of each: the program of the unpacked package runs an
# example from an empty folder, the archive holds what the package was made of.
set -eu
cd "$(dirname "$0")/.."
out=$PWD/build/package
rm -rf "$out"
mkdir -p "$out"

for program in cpack dpkg-shlibdeps; do
    command -v $program >/dev/null 2>&1 || {
        echo "package: there is no $program (Debian: cmake, dpkg-dev)"
        exit 1
    }
done

cpack --config build/CPackConfig.cmake -G DEB -B "$out" >"$out/log" 2>&1 || {
    cat "$out/log"
    exit 1
}
rm -rf "$out/_CPack_Packages" "$out/log"
package=$(ls "$out"/*.deb)

version=$(dpkg-deb -f "$package" Version)
name=yoke-$version
if git rev-parse --verify -q HEAD >/dev/null 2>&1; then
    git archive --prefix="$name/" HEAD | gzip -9n >"$out/$name.tar.gz"
else
    tar -cz --exclude='./build*' --exclude='./.git' --transform "s,^\.,$name," \
        -f "$out/$name.tar.gz" .
fi

# ---- Do they work? ------------------------------------------------------------

try=$(mktemp -d)
trap 'rm -rf "$try"' EXIT
dpkg-deb -x "$package" "$try/root"
[ -s "$try/root/usr/share/doc/yoke/copyright" ] || {
    echo "package: the licence is not in the package"
    exit 1
}
mkdir "$try/work" "$try/home"
cd "$try/work"
env -i HOME="$try/home" PATH="$try/root/usr/bin:/usr/bin:/bin" \
    yoke run two-masses --quiet --output two-masses.csv
[ -s two-masses.csv ]
cd - >/dev/null
gzip -dc "$out/$name.tar.gz" | tar -t >"$try/list"
for file in CMakeLists.txt Makefile README.md include/yoke/yoke.h; do
    grep -qxF "$name/$file" "$try/list" || {
        echo "package: $name.tar.gz has no $file"
        exit 1
    }
done
dpkg-deb -f "$package" Depends | sed 's/^/needs /'
ls -l "$out" | awk 'NR > 1 { print $5, "bytes:", $9 }'
