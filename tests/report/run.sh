#!/bin/sh
# run.sh PROGRAM: pages of yoke report in a browser without a window.
# Skipped where there is no Chromium or no Node.
set -u
program=$1

if ! command -v node >/dev/null 2>&1; then
    echo "skipped: there is no node"
    exit 77
fi
browser=
for name in chromium chromium-browser google-chrome; do
    [ -z "$browser" ] && browser=$(command -v "$name" 2>/dev/null)
done
if [ -z "$browser" ]; then
    echo "skipped: there is no chromium"
    exit 77
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
node "$(dirname "$0")/browser.mjs" "$program" "$browser" "$scratch"
