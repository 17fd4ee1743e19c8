#!/bin/sh
# tools/bare.sh [--quick] [--keep] -- the commands of README.md on a bare machine.
#
# Makes a minimal Debian 12 in a temporary folder with mmdebstrap, from the
# package sources of this machine, copies a clean checkout into it and runs there
#
#   as root, with an empty home       make demo, make install, make test,
#                                     make package, and the package installed
#   as a plain user without sudo,     make demo, make test, in a new checkout
#   with an empty home
#
# in folders whose names have a blank, without .git.
#
# Nothing but make is installed beforehand: the commands install the rest.  With
# --quick the user goes on in root's tree, which is given to him, and runs the
# tests of the program only.
#
# Needs root, chroot and namespaces of mounts and processes (unshare): these end
# with the last process, so nothing stays mounted whatever happens.  The folder is
# removed at the end; --keep leaves it.
#
# Exit status 0: all passed; 1: something failed; 77: it cannot be tried here, with
# the reason.  Each command counts as one test (build/summary).
set -u
cd "$(dirname "$0")/.." || exit 1
suite=bookworm
quick=
keep=
for argument in "$@"; do
    case $argument in
    --quick) quick=yes ;;
    --keep) keep=yes ;;
    *)
        echo "bare: what is \"$argument\"?  --quick, --keep"
        exit 2
        ;;
    esac
done

work=
child=
passed=0
failed=0

clean() {
    [ -z "$child" ] || kill -KILL "$child" 2>/dev/null
    [ -n "$work" ] || return
    if [ -n "$keep" ]; then
        echo "bare: kept: $work"
    else
        rm -rf --one-file-system "$work"
    fi
}
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

cannot() {
    echo "bare: skipped: $*"
    exit 77
}

# Waits in such a way that a signal is answered at once.
patiently() {
    "$@" &
    child=$!
    wait "$child"
    code=$?
    child=
    return $code
}

# ---- The root ---------------------------------------------------------------

# Files of package sources that have the suite.
sources() {
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
        /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] && grep -v '^ *#' "$file" | grep -qw "$suite" &&
            echo "$file"
    done
}

# What this machine needs to reach them: proxies, retries.
apt_options() {
    apt-config dump | grep -E \
        '^Acquire::(https?::Proxy|Check-Valid-Until|Retries|ForceIPv)'
}

make_root() {
    set -- $(sources)
    [ $# -gt 0 ] || cannot "/etc/apt names no package source of $suite"
    apt_options >"$work/apt.conf"
    include=make
    cat "$@" | grep -q '^[^#]*https:' && include=make,ca-certificates
    patiently mmdebstrap --mode=root --variant=apt --include="$include" \
        --aptopt="$work/apt.conf" --aptopt='Apt::Install-Recommends "false"' \
        "$suite" "$root" "$@" >"$work/log" 2>&1 </dev/null || {
        tail -n 5 "$work/log" | sed 's/^/bare:   /'
        cannot "mmdebstrap could not make a root (no network?)"
    }
    cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
    chroot "$root" useradd --no-create-home --home-dir /home/plain \
        --shell /bin/sh plain && mkdir -p "$root/home" || exit 1
}

# PATH OWNER: a clean checkout.
check_out() {
    mkdir -p "$root$1"
    if git -c safe.directory="$PWD" rev-parse --verify -q HEAD >/dev/null \
        2>&1; then
        git -c safe.directory="$PWD" archive HEAD | tar -x -C "$root$1"
    else
        tar -c --exclude='./build*' --exclude='./.git' . | tar -x -C "$root$1"
    fi
    chroot "$root" chown -R "$2" "$1"
}

# NAME: an empty home and nothing of the last one in /tmp.
empty_home() {
    rm -rf "$root/$2" "$root/tmp" "$root/var/tmp"
    mkdir -p "$root/$2"
    chmod 700 "$root/$2"
    chroot "$root" chown "$1:$1" "$2"
    mkdir -m 1777 "$root/tmp" "$root/var/tmp"
}

# ---- What runs in it --------------------------------------------------------

# USER HOME TREE COMMAND...; takes the place of the shell that calls it.
enter() {
    user=$1 home=$2 tree=$3
    shift 3
    exec unshare --mount --propagation private --pid --fork --kill-child sh -c '
        root=$1 user=$2 home=$3 tree=$4
        shift 4
        mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
            exec chroot --userspec="$user:$user" "$root" \
                env -i HOME="$home" USER="$user" LOGNAME="$user" TERM=dumb \
                PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
                ${http_proxy:+http_proxy="$http_proxy"} \
                ${https_proxy:+https_proxy="$https_proxy"} \
                ${no_proxy:+no_proxy="$no_proxy"} \
                sh -c '\''cd "$1" && shift && exec "$@"'\'' sh "$tree" "$@"' \
        sh "$root" "$user" "$home" "$tree" "$@" </dev/null
}

# USER HOME TREE COMMAND...: one test.
try() {
    begin=$(date +%s)
    if patiently enter "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
        result=passed
    else
        failed=$((failed + 1))
        result=FAILED
    fi
    end=$(date +%s)
    user=$1
    shift 3
    echo "bare: $user: $*: $result, $((end - begin)) s;" \
        "$(tail -n 1 "$work/log" | tr -d '\r')"
    grep -E '^[a-z_]+: skipped: ' "$work/log" | sed 's/^/bare:   /'
    [ $result = passed ] || tail -n 60 "$work/log" | sed 's/^/bare:   /'
}

[ "$(id -u)" -eq 0 ] || cannot "this needs root"
for program in mmdebstrap unshare chroot apt-config; do
    command -v $program >/dev/null 2>&1 || cannot "there is no $program"
done
work=$(mktemp -d "${TMPDIR:-/tmp}/yoke-bare.XXXXXX") || exit 1
root=$work/root
unshare --mount --propagation private --pid --fork --kill-child true \
    2>"$work/log" || cannot "no namespaces: $(cat "$work/log")"

begin=$(date +%s)
make_root
chmod 755 "$work" # the plain user passes through it
echo "bare: $suite with make in $root: $(($(date +%s) - begin)) s," \
    "$(du -sm "$root" | cut -f 1) MB"

empty_home root /root
tree='/srv/yo ke'
check_out "$tree" root:root
try root /root "$tree" make demo
try root /root "$tree" make install DESTDIR=/srv/stage PREFIX=/usr
try root /root "$tree" make test
try root /root "$tree" make package
try root /root "$tree" sh -c 'dpkg -i build/package/*.deb && cd / &&
    yoke run two-masses --quiet --output /tmp/x.csv && test -s /tmp/x.csv'

empty_home plain /home/plain
if [ -n "$quick" ]; then
    some='^(golden|examples|tutorial|install|src_comp_equation|fault)'
    chroot "$root" chown -R plain:plain "$tree"
    try plain /home/plain "$tree" make demo
    try plain /home/plain "$tree" \
        ctest --test-dir build -j 2 --output-on-failure -R "$some"
else
    tree='/home/plain/yo ke'
    check_out "$tree" plain:plain
    try plain /home/plain "$tree" make demo
    try plain /home/plain "$tree" make test
fi

if grep -qF "$work" /proc/self/mounts; then
    echo "bare: something is still mounted below $work"
    failed=$((failed + 1))
fi
mkdir -p build
echo "$passed passed, $failed failed" | tee build/summary | sed 's/^/bare: /'
[ $failed -eq 0 ]
