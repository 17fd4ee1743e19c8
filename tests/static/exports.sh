#!/bin/sh
# exports.sh LIBRARY HEADERS -- all exported names begin with yoke_ and are
# declared in a public header.
set -u

names=$(nm -D --defined-only "$1" | awk '$2 ~ /[TDBRVWi]/ { print $3 }' |
    sed 's/@.*//' | grep -v -e '^__' -e '^_init$' -e '^_fini$')
if [ -z "$names" ]; then
    echo "$1 exports nothing"
    exit 1
fi
status=0
for name in $names; do
    case $name in
    yoke_*)
        grep -qw "$name" "$2"/*.h || {
            echo "$name is exported and in no public header"
            status=1
        }
        ;;
    *)
        echo "$name is exported and does not begin with yoke_"
        status=1
        ;;
    esac
done
exit $status
