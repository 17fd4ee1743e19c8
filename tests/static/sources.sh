#!/bin/sh
# All C sources of the project, one per line.
cd "$(dirname "$0")/../.." || exit 1
find src include tests examples bench python -name '*.[ch]' -type f | sort
