#!/bin/sh
# The system file in README.md is that of the example, and the version is the same
# everywhere.
cd "$(dirname "$0")/../.." || exit 1
status=0
if ! sed -n '/^```yaml$/,/^```$/p' README.md | sed '1d;$d' |
    diff - examples/dc-drive/system.yaml; then
    echo "README.md: the file is not examples/dc-drive/system.yaml"
    status=1
fi
version=$(sed -n 's/^project(yoke VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
while read -r file text; do
    if ! grep -q "$text" "$file"; then
        echo "$file: the version is not $version"
        status=1
    fi
done <<END
include/yoke/version.h "$version"
CITATION.cff ^version: $version\$
web/package.json "version": "$version"
docs/man/yoke.1 Yoke $version
CHANGELOG.md ^## $version -
END
exit $status
