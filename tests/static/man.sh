#!/bin/sh
# The manual page renders without a warning.
set -u
cd "$(dirname "$0")/../.."

if command -v mandoc >/dev/null 2>&1; then
    warnings=$(mandoc -T lint -W warning docs/man/yoke.1 2>&1)
elif command -v groff >/dev/null 2>&1; then
    warnings=$(groff -man -Tutf8 -ww -z docs/man/yoke.1 2>&1)
elif command -v man >/dev/null 2>&1; then
    warnings=$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l docs/man/yoke.1 \
        2>&1 >/dev/null)
else
    echo "skipped: neither mandoc, groff nor man is installed"
    exit 77
fi
[ -z "$warnings" ] && exit 0
echo "$warnings"
exit 1
