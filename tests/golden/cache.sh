#!/bin/sh
# cache.sh PROGRAM: where compiled models are kept, and what is not believed.
#
# In every case the result must be the same and exit status 0; the words on
# standard error tell what happened to the code.  Cases that need root or mounts
# are left out where that is not possible, and named.
set -u
program=$1
scratch=$(mktemp -d) || exit 1
scratch=$(cd "$scratch" && pwd -P)
trap 'chmod -R u+rwx "$scratch"; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0
unset XDG_CACHE_HOME TMPDIR
umask 022

if ! command -v cc >/dev/null 2>&1; then
    echo "skipped: there is no C compiler cc"
    exit 77
fi

cat >decay.mo <<'END'
model Decay
  output Real x(start = 1, fixed = true);
equation
  der(x) = -x;
end Decay;
END
cat >decay.yaml <<'END'
yoke: 1
run: {stop: 1, rtol: 1e-8, atol: 1e-10}
subsystems:
  d: {model: decay.mo}
END

fail() {
    echo "$case: $1"
    sed 's/^/    err: /' err
    status=1
}

# COMMAND...: runs the model; exp(-1) must come out.
runs() {
    rm -f r.csv
    "$@" "$program" run decay.yaml --log-level debug -o r.csv >out 2>err
    code=$?
    [ $code -eq 0 ] || fail "exit status $code"
    tail -n 1 r.csv | awk -F, '
        { off = $2 - exp(-1); exit !($1 == 1 && off < 1e-6 && off > -1e-6) }' ||
        fail "the result is $(tail -n 1 r.csv)"
}

says() {
    grep -q -e "$1" err || fail "it does not say: $1"
}

denies() {
    ! grep -q -e "$1" err || fail "it says: $1"
}

mode_of() {
    stat -c %a "$1"
}

objects() {
    ls "$1" 2>/dev/null | grep -c '^yoke-[0-9a-f]*\.so$'
}

# What was made in the temporary folder is gone.
leaves_nothing() {
    [ -z "$(ls -A tmp)" ] || fail "left behind: $(ls -A tmp)"
}

mkdir tmp
export TMPDIR="$scratch/tmp"

case="empty home"
mkdir home
runs env HOME="$scratch/home"
says 'states, compiled\.'
denies warning
[ "$(mode_of home/.cache)" = 700 ] || fail "mode of .cache: $(mode_of home/.cache)"
[ "$(mode_of home/.cache/yoke)" = 700 ] || fail "mode of the cache"
[ "$(objects home/.cache/yoke)" = 1 ] || fail "no object is kept"
[ "$(ls home/.cache/yoke | wc -l)" = 1 ] || fail "more is left in the cache"
runs env HOME="$scratch/home"
says 'compiled before'

[ $status -eq 0 ] || exit 1 # the rest stands on this

case="XDG_CACHE_HOME, not made yet"
runs env HOME=/nonexistent XDG_CACHE_HOME="$scratch/a/b c/d"
says 'states, compiled\.'
[ "$(objects "a/b c/d/yoke")" = 1 ] || fail "no object is kept"
case="XDG_CACHE_HOME is relative"
runs env HOME="$scratch/home" XDG_CACHE_HOME=elsewhere
says 'compiled before'
[ ! -e elsewhere ] || fail "a relative folder was made"

case="no home"
runs env -u HOME
says 'states, compiled\.'
denies warning
leaves_nothing
case="no home, TMPDIR does not exist"
runs env -u HOME TMPDIR=/nonexistent
says 'states, compiled\.'

# ---- Objects that are not what they should be -------------------------------
object=$(ls home/.cache/yoke/*.so)
cp "$object" whole
size=$(wc -c <whole)
rebuilt() {
    runs env HOME="$scratch/home"
    says 'states, compiled\.'
    cmp -s "$object" whole || fail "it is not built again as it was"
    runs env HOME="$scratch/home"
    says 'compiled before'
}
for length in 0 1 100 4096 $((size / 2)) $((size - 104)) $((size - 1)); do
    case="truncated to $length bytes"
    head -c "$length" whole >"$object"
    rebuilt
done
case="one byte changed"
{ head -c 5000 whole; printf '\377'; tail -c +5002 whole; } >"$object"
rebuilt
case="one byte more"
printf x >>"$object"
rebuilt
case="object of another model"
sed 's/-x/-2*x/' decay.mo >other.mo
sed 's/decay/other/' decay.yaml >other.yaml
"$program" run other.yaml -o r.csv >/dev/null 2>&1 # has no home: not kept
mkdir second
HOME="$scratch/second" "$program" run other.yaml -o r.csv >/dev/null 2>&1
cp second/.cache/yoke/*.so "$object"
rebuilt
case="a library that would do harm"
cat >harm.c <<'END'
#include <stdlib.h>
static void begin(void) __attribute__((constructor));
static void begin(void) { _Exit(99); }
END
cc -shared -fPIC harm.c -o harm.so
cp harm.so "$object"
rebuilt
case="an object that others may write"
chmod 666 "$object"
rebuilt
case="a link instead of the object"
mv "$object" aside.so
ln -s "$scratch/aside.so" "$object"
rebuilt
case="a folder instead of the object"
rm -f "$object"
mkdir "$object"
runs env HOME="$scratch/home"
says 'compiled models are not kept: .*\.so cannot be written'
leaves_nothing
rmdir "$object"
runs env HOME="$scratch/home"

# ---- What is left behind is removed -----------------------------------------
case="a killed run and too many objects"
mkdir crowded crowded/.cache crowded/.cache/yoke
chmod 700 crowded/.cache/yoke
(
    cd crowded/.cache/yoke || exit 1
    mkdir yoke-aaaaaa yoke-bbbbbb
    touch yoke-aaaaaa/code.c yoke-aaaaaa/message yoke-bbbbbb/code.c others
    touch -d '2 days ago' yoke-aaaaaa others
    number=0
    while [ $number -le 1000 ]; do
        printf 'yoke-%064d.so\n' $number
        number=$((number + 1))
    done | xargs touch -d '3 days ago'
    touch -d '4 days ago' "yoke-$(printf %064d 500).so"
)
runs env HOME="$scratch/crowded"
denies warning
cache="crowded/.cache/yoke"
[ ! -e $cache/yoke-aaaaaa ] || fail "what an old run left is still there"
[ -e $cache/yoke-bbbbbb/code.c ] || fail "a run at work was disturbed"
[ -e $cache/others ] || fail "a foreign file was removed"
[ "$(objects $cache)" = 1001 ] || fail "$(objects $cache) objects"
[ ! -e "$cache/yoke-$(printf %064d 500).so" ] || fail "not the oldest went"

# ---- Folders that are not what they should be -------------------------------
case="others may write in the folder"
chmod 777 home/.cache/yoke
runs env HOME="$scratch/home"
says 'compiled models are not kept: others may write in .*/home/.cache/yoke'
says 'states, compiled\.'
denies 'compiler'
leaves_nothing
chmod 700 home/.cache/yoke
case="a file instead of the folder"
mkdir third third/.cache
: >third/.cache/yoke
runs env HOME="$scratch/third"
says 'not kept: .*/third/.cache/yoke is not a folder'
case="a file instead of its parent"
mkdir fourth
: >fourth/.cache
runs env HOME="$scratch/fourth"
says 'not kept: .*/fourth/.cache/yoke.*: Not a directory'
case="the home does not exist"
runs env HOME="$scratch/nowhere/home"
[ "$(objects nowhere/home/.cache/yoke)" = 1 ] || fail "it is not made"
case="a link to a folder of one's own"
mkdir fifth fifth/.cache real
chmod 700 real
ln -s "$scratch/real" fifth/.cache/yoke
runs env HOME="$scratch/fifth"
denies warning
[ "$(objects real)" = 1 ] || fail "no object is kept"
case="a link that leads nowhere"
mkdir sixth sixth/.cache
ln -s "$scratch/void" sixth/.cache/yoke
runs env HOME="$scratch/sixth"
says 'not kept: .* is a link that leads nowhere'

# ---- No compiler, no folder -------------------------------------------------
case="no compiler"
mkdir bin
runs env HOME="$scratch/home" PATH="$scratch/bin"
says 'is interpreted, which is slow: there is no C compiler "cc" in the PATH'
case="no compiler for a model in an included system"
cat >outer.yaml <<'END'
yoke: 1
run: {stop: 1}
subsystems:
  inside: {system: decay.yaml}
END
env PATH="$scratch/bin" "$program" check outer.yaml >out 2>err ||
    fail "it is not read"
says 'inside is interpreted, which is slow: there is no C compiler "cc"'
case="a compiler that fails"
printf '#!/bin/sh\necho "cc: error: out of paper" >&2\nexit 1\n' >bin/cc
chmod +x bin/cc
runs env HOME="$scratch/home" PATH="$scratch/bin:$PATH"
says 'is interpreted, which is slow: .*out of paper'
leaves_nothing
case="another compiler of the same name"
cat >bin/cc <<END
#!/bin/sh
exec $(command -v cc) "\$@"
END
runs env HOME="$scratch/home" PATH="$scratch/bin:$PATH"
says 'states, compiled\.'
runs env HOME="$scratch/home" PATH="$scratch/bin:$PATH"
says 'compiled before'

case="two at once"
mkdir seventh
for k in 1 2 3 4; do
    (HOME="$scratch/seventh" "$program" run decay.yaml -o at-once-$k.csv \
        --quiet >out-$k 2>&1 || echo "status $?" >>out-$k) &
done
wait
cat out-[1-4] >err
[ ! -s err ] || fail "four runs at once"
[ "$(ls seventh/.cache/yoke | wc -l)" = 1 ] ||
    fail "in the cache: $(ls seventh/.cache/yoke)"

# ---- What only root can set up ----------------------------------------------
if [ "$(id -u)" -ne 0 ]; then
    case="a home that cannot be written"
    mkdir eighth
    chmod 500 eighth
    runs env HOME="$scratch/eighth"
    says 'not kept: .*/eighth/.cache cannot be made: Permission denied'
    chmod 700 eighth
    leaves_nothing
    echo "left out, since it needs root: folders of others, full disks"
    exit $status
fi

case="the folder belongs to somebody else"
mkdir ninth ninth/.cache ninth/.cache/yoke
cp whole ninth/.cache/yoke/"$(basename "$object")"
chmod 700 ninth/.cache/yoke
chown -R 12345:12345 ninth/.cache/yoke
runs env HOME="$scratch/ninth"
says 'not kept: .*/ninth/.cache/yoke belongs to user 12345, not 0'
denies 'compiled before'
leaves_nothing
case="the link belongs to somebody else"
mkdir tenth tenth/.cache
ln -s "$scratch/real" tenth/.cache/yoke
chown -h 12345:12345 tenth/.cache/yoke
runs env HOME="$scratch/tenth"
says 'not kept: the link .* belongs to user 12345, not 0'
case="the object belongs to somebody else"
chown 12345:12345 "$object"
rebuilt
case="the home of somebody else"
mkdir eleventh
chown 12345:12345 eleventh
runs env HOME="$scratch/eleventh"
says 'not kept: .* is not made, since .*/eleventh belongs to user 12345'
[ ! -e eleventh/.cache ] || fail "root has left a folder there"

# Mounts in a namespace of their own.
private() {
    unshare --mount --propagation private "$@"
}
if ! private true 2>/dev/null; then
    echo "left out: no mounts here: read-only, full and noexec file systems"
    exit $status
fi
mkdir mounted
cat >mount.sh <<'END'
options=$1
shift
mount -t tmpfs -o "$options" tmpfs mounted && "$@"
code=$?
ls -A mounted >seen
exit $code
END
case="a home that can only be read"
runs private sh mount.sh ro env HOME="$scratch/mounted"
says 'not kept: .*/mounted/.cache cannot be made: Read-only file system'
says 'states, compiled\.'
leaves_nothing
case="a full disk"
runs private sh mount.sh size=4k,mode=700 env HOME="$scratch/mounted"
says 'not kept: .*[Nn]o space left'
says 'states, compiled\.'
denies 'interpreted'
leaves_nothing
case="a disk that is full before the object is whole"
runs private sh mount.sh size=16k,mode=700 env HOME="$scratch/mounted"
says 'compiled models are not kept: .*no space left'
says 'states, compiled\.'
leaves_nothing
case="a home from which nothing is executed"
runs private sh mount.sh noexec,mode=700 env HOME="$scratch/mounted"
says 'not kept: nothing may be executed in .*/mounted/.cache/yoke (mounted noexec)'
says 'states, compiled\.'
leaves_nothing
case="nothing is executed anywhere"
case $program in
/tmp/* | "$scratch"/*) ;;
*)
    cat >closed.sh <<'END'
for folder in /tmp "$1"; do
    mount --bind "$folder" "$folder" &&
        mount -o remount,bind,noexec "$folder" || exit 1
done
cd "$1" && shift && exec "$@"
END
    runs private sh closed.sh "$scratch" env HOME="$scratch/home"
    says 'is interpreted, which is slow: .*nothing may be executed in .*noexec'
    denies 'no C compiler'
    leaves_nothing
    ;;
esac
exit $status
