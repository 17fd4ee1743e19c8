#!/bin/sh
# getdp.sh PROGRAM MESH: fluxes and energy of the transformer against GetDP on
# the same mesh, to 1e-6: against stored numbers always, against the program if
# it is installed.
set -u
program=$1
mesh=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
cp "$here/transformer.pro" "$mesh" . || exit 1
status=0
fresh=yes
command -v getdp >/dev/null 2>&1 || {
    fresh=no
    echo "getdp is not installed (package getdp): stored numbers only"
}

# I1 I2: writes flux1, flux2 and energy.
by_yoke() {
    cat >field.yaml <<END
yoke: 1
run: {stop: 1 ms, step: 1 ms, window: 1 ms, scheme: monolithic, given: true}
subsystems:
  one: {linear: {E: 0, A: -1, source: "$1 + 0*time", x: i}, stepper: implicit-euler}
  two: {linear: {E: 0, A: -1, source: "$2 + 0*time", x: i}, stepper: implicit-euler}
  field:
    component: field
    mesh: $(basename "$mesh")
    depth: 41.275 mm
    symmetry: 4
    materials: {iron: {brauer: [0.3774, 2.97, 388.33]}}
    regions: {core: iron, winair: air, outair: air}
    windings:
      primary: {region: primary, turns: 130, resistance: 1 Ohm}
      secondary: {region: secondary, turns: 45, resistance: 1 Ohm}
    boundary: [dirichlet]
    drive: current
    stepper: implicit-euler
couplings:
  - signal: [field.primary.i = one.i, field.secondary.i = two.i]
END
    "$program" run field.yaml --quiet --output field.csv || return 1
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { last = $0 }
        END { split(last, v, ",")
              print v[at["field.primary.phi"]], v[at["field.secondary.phi"]],
                    v[at["field.energy"]] }' field.csv
}

by_getdp() {
    getdp transformer.pro -msh "$(basename "$mesh")" -solve Static -pos Static \
        -setnumber I1 "$1" -setnumber I2 "$2" -name x >log 2>&1 || return 1
    awk '{ printf "%s ", $NF }' flux1.txt flux2.txt energy.txt
}

# WHAT OURS THEIRS
compare() {
    echo "$2 $3" | awk -v what="$1" '{
        for (k = 1; k <= 3; k++) {
            off = $k / $(k + 3) - 1
            if (off < 0) off = -off
            if (off > most) most = off
        }
        printf "%s: largest relative difference %.2g\n", what, most
        exit NF != 6 || !(most < 1e-6)
    }' || { echo "$1: yoke $2, GetDP $3"; status=1; }
}

while read -r i1 i2 stored; do
    case $i1 in \#* | '') continue ;; esac
    ours=$(by_yoke "$i1" "$i2") || { echo "yoke fails at $i1 $i2"; exit 1; }
    compare "$i1 A, $i2 A, stored" "$ours" "$stored"
    [ $fresh = no ] && continue
    theirs=$(by_getdp "$i1" "$i2") || { cat log; exit 1; }
    compare "$i1 A, $i2 A, GetDP" "$ours" "$theirs"
done <"$here/getdp.txt"
exit $status
