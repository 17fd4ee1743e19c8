#!/bin/sh
# The sources are laid out as .clang-format says.
cd "$(dirname "$0")/../.." || exit 1
if ! command -v clang-format >/dev/null 2>&1; then
    echo "skipped: clang-format is not installed"
    exit 77
fi
sh tests/static/sources.sh | xargs -d '\n' clang-format --dry-run --Werror
