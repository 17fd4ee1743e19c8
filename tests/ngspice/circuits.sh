#!/bin/sh
# circuits.sh PROGRAM CIRCUITS [MORE]: the same circuits, in either folder, solved
# by Yoke, at a tighter tolerance, and by ngspice as an engine.  At all common
# times outputs agree to five tolerances of their size.  Skipped without ngspice's shared library.
set -u
program=$1
circuits=$2
more=${3:-$2}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0

system() { # ENGINE NAME STOP RTOL ATOL OUTPUTS
    folder=$circuits
    [ -f "$folder/$2.cir" ] || folder=$more
    cat <<END
yoke: 1
subsystems:
  a: {netlist: $folder/$2.cir, engine: $1, outputs: [$6]}
run: {stop: $3, every: $(awk "BEGIN { print $3 / 200 }"), rtol: $4, atol: $5}
END
}

agree() { # OURS THEIRS
    awk -F, -v most=5e-4 '
    FNR == 1 {
        file++
        for (i = 2; i <= NF; i++) if (file == 1) at[$i] = i; else name[i] = $i
        next
    }
    file == 1 {
        row[$1] = $0
        for (i = 2; i <= NF; i++) {
            v = $i < 0 ? -$i : $i
            if (v > size[i]) size[i] = v
        }
        next
    }
    $1 in row {
        split(row[$1], ours, ",")
        times++
        for (i = 2; i <= NF; i++) {
            k = at[name[i]]
            if (!k || size[k] == 0) continue
            off = ($i - ours[k]) / size[k]
            if (off < 0) off = -off
            if (off > worst) { worst = off; where = name[i] " at t = " $1 }
        }
    }
    END {
        printf "%.1e of its size (%s), %d times\n", worst, where, times
        exit worst > most || times < 100
    }' "$1" "$2"
}

while read -r name stop outputs; do
    system yoke "$name" "$stop" 1e-6 1e-9 "$outputs" >ours.yaml
    system ngspice "$name" "$stop" 1e-4 1e-7 "$outputs" >theirs.yaml
    if ! "$program" run theirs.yaml --quiet -o theirs.csv 2>err; then
        if grep -q 'is not installed' err; then
            echo "skipped: $(cat err)"
            exit 77
        fi
        # POLY is a code model, and those are in another package than the library.
        if grep -q 'unable to find definition of model a$poly' err; then
            echo "$name: left out: ngspice's code models (package ngspice) are not there"
            continue
        fi
        echo "$name: $(cat err)"
        status=1
        continue
    fi
    "$program" run ours.yaml --quiet -o ours.csv || status=1
    printf '%-20s ' "$name"
    agree ours.csv theirs.csv || {
        echo "$name: that is too much"
        status=1
    }
done <<'END'
behavioural_passive 3e-4 v(a), v(b)
behavioural_tran 1.5e-3 v(c), v(d), v(e)
buck_converter 2e-4 v(out), i(l1)
class_ab 3e-3 v(out), v(d3), v(fb)
charge_pump 6e-6 v(out), v(n1), v(n3)
cmos_inverter 1.2e-8 v(out)
colpitts 1e-5 v(c), v(e), v(b)
comparator 3e-3 v(out), v(f), v(cmp)
comparator_oscillator 3e-4 v(a)
coupled_inductors 2e-4 v(a), v(b), i(l1), i(l2)
crystal 2e-5 v(out)
emitter_follower 3e-6 v(e), v(b)
emitter_tran 4e-5 v(b), v(out), v(c)
ic_held 4e-3 v(a), v(b)
opamp_macro_tran 2e-3 v(out), v(fb)
passive_models 6e-5 v(a), v(b), v(c)
push_pull 2.5e-4 v(out), i(vp)
rectifier 6e-2 v(out), i(v1)
regulator 3e-2 v(o), v(p), v(z)
rlc_series 4e-4 v(out), i(l1)
schmitt_trigger 2e-4 v(c1), v(c2), v(e)
source_am 2.5e-4 v(b)
source_pwl 4e-5 v(b), v(d), v(f)
source_sffm 1.5e-4 v(b)
source_sin 3e-4 v(a), v(b), v(c)
steep_pulse 2e-5 v(a), v(b)
switch_current 1.5e-4 v(a), i(vs)
switch_hysteresis 1.3e-4 v(a)
switch_voltage 2.5e-4 v(a)
switched_buck 1e-4 v(out), i(l1)
switched_divider 2.3e-4 v(a)
two_switches 2.3e-4 v(a), v(b)
END
exit $status
