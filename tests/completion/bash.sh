#!/bin/sh
# bash.sh PROGRAM: what the completion of bash offers; skipped without bash.
set -u
program=$1
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v bash >/dev/null 2>&1; then
    echo "skipped: there is no bash"
    exit 77
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir folder
touch mine.yaml "my result.csv" other.h5 model.mo notes.txt
status=0

# WANTED WORD...: the offers, one after another, contain WANTED; with ! not.
offers() {
    wanted=$1
    shift
    bash --norc -c '
    . "$1"
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _yoke
    printf "%s\n" "${COMPREPLY[@]}"' bash \
        "$here/../../completion/yoke.bash" "$program" "$@" >offered
    case $wanted in
    !*)
        grep -qxF -e "${wanted#!}" offered || return
        echo "yoke $*: offers ${wanted#!}"
        ;;
    *)
        grep -qxF -e "$wanted" offered && return
        echo "yoke $*: does not offer $wanted but:"
        cat offered
        ;;
    esac
    status=1
}

offers run ''
offers report r
offers '!check' r
offers --version --
offers two-masses run ''
offers mine.yaml run m
offers folder run ''
offers '!notes.txt' run ''
offers --max-sweeps run two-masses --max
offers --stop-time run --stop
offers --interpret check joint --i
offers monolithic run two-masses --scheme ''
offers '!jacobi' run two-masses --scheme m
offers radau5 verify joint --stepper ra
offers true run joint --iterates ''
offers notes.txt run joint --output n
offers 'my result.csv' plot m
offers other.h5 report ''
offers '!mine.yaml' report ''
offers model.mo info m
offers mine.yaml info m
offers two-masses info t
offers --json info two-masses --j
offers --step-size run --step
offers warning run joint --log-level w
offers notes.txt run joint -o n
offers notes.txt run joint -o a.csv -o n
offers coupling plot other.h5 --table c
offers van-der-pol example v
offers --force example joint --
offers verify help v
exit $status
