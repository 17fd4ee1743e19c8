#!/bin/sh
# zsh.sh PROGRAM: what the completion of zsh offers in a terminal; skipped
# without zsh.
#
# An interactive zsh runs in a pseudo terminal.  Its compadd is replaced by one
# that also writes the matches to a file; the tab key does the rest.
set -u
program=$1
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v zsh >/dev/null 2>&1; then
    echo "skipped: there is no zsh"
    exit 77
fi
if ! zsh -f -c 'zmodload zsh/zpty && zmodload zsh/complist' 2>/dev/null; then
    echo "skipped: this zsh has no zsh/zpty or zsh/complist"
    exit 77
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir work functions bin
cp "$here/../../completion/_yoke" functions
ln -s "$program" bin/yoke
mkdir work/folder
touch work/mine.yaml "work/my result.csv" work/other.h5 work/model.mo \
    work/notes.txt

cat >start.zsh <<'EOF'
PROMPT= RPROMPT= HISTFILE=
unsetopt autolist automenu beep listbeep zle_bracketed_paste 2>/dev/null
path=($SCRATCH/bin $path)
fpath=($SCRATCH/functions $fpath)
autoload -Uz compinit
compinit -u -d $SCRATCH/dump
bindkey -e
bindkey '^I' complete-word
compadd() {
    local -a found
    case " ${(j: :)@[1,(i)--]} " in
    *' -'[OAD]' '*) builtin compadd "$@"; return ;;
    esac
    builtin compadd -A found "$@"
    print -rl -- "${found[@]}" >>$SCRATCH/offered
    builtin compadd "$@"
}
cd $SCRATCH/work
EOF

cat >drive.zsh <<'EOF'
zmodload zsh/zpty
SCRATCH=$1
export SCRATCH TERM=xterm COLUMNS=200
integer number=0 failed=0

# Waits for a file, reading what the terminal shows meanwhile.
wait_for() {
    local seen
    integer round=0
    while [[ ! -e $1 ]]; do
        while zpty -rt shell seen; do :; done
        (( ++round > 15000 )) && { print "zsh does not answer"; exit 1 }
        sleep 0.02
    done
}

zpty shell zsh -f -i
zpty -w shell "source $SCRATCH/start.zsh; touch $SCRATCH/ready"
wait_for $SCRATCH/ready

# WANTED LINE: the offers behind LINE contain WANTED; with ! not.
offers() {
    (( ++number ))
    : >$SCRATCH/offered
    zpty -w -n shell "$2"$'\t'
    zpty -w -n shell $'\C-a\C-k'
    zpty -w shell "touch $SCRATCH/done.$number"
    wait_for $SCRATCH/done.$number
    if [[ $1 == '!'* ]]; then
        grep -qxF -e "${1#!}" $SCRATCH/offered || return
        print -r -- "$2: offers ${1#!}"
    else
        grep -qxF -e "$1" $SCRATCH/offered && return
        print -r -- "$2: does not offer $1 but:"
        cat $SCRATCH/offered
    fi
    failed=1
}

source $SCRATCH/cases.zsh
zpty -d shell
exit $failed
EOF

cat >cases.zsh <<'EOF'
offers run 'yoke '
offers report 'yoke r'
offers '!check' 'yoke r'
offers two-masses 'yoke run '
offers mine.yaml 'yoke run m'
offers '!my\ result.csv' 'yoke run m'
offers --max-sweeps 'yoke run two-masses --max'
offers --stop-time 'yoke run two-masses --stop'
offers --step-size 'yoke run two-masses --step'
offers --interpret 'yoke check joint --i'
offers monolithic 'yoke run two-masses --scheme '
offers '!jacobi' 'yoke run two-masses --scheme m'
offers warning 'yoke run two-masses --log-level '
offers radau5 'yoke verify joint --stepper ra'
offers true 'yoke run joint --iterates '
offers notes.txt 'yoke run joint --output n'
offers notes.txt 'yoke run joint --output a.csv --output-file n'
offers notes.txt 'yoke run joint --output-file a.csv --output-file n'
offers notes.txt 'yoke run joint -o n'
offers notes.txt 'yoke run joint -o a.csv -o n'
offers 'my\ result.csv' 'yoke plot m'
offers other.h5 'yoke report '
offers '!mine.yaml' 'yoke report m'
offers model.mo 'yoke info m'
offers mine.yaml 'yoke info m'
offers two-masses 'yoke info '
offers --json 'yoke info two-masses --j'
offers coupling 'yoke plot other.h5 --table c'
offers van-der-pol 'yoke example v'
offers --force 'yoke example joint --'
offers verify 'yoke help v'
EOF

zsh -f drive.zsh "$scratch"
