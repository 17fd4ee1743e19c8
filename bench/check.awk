# bench/check.awk -- compares results.csv (case,quantity,value) with limits.csv
# (case,quantity,least,most; an empty field is no limit; "*" at the end of a
# case stands for any text).  With quick, limits without a result do not count.
BEGIN { FS = "," }
FNR == 1 { file++; next }
/^#/ || /^$/ { next }
file == 1 {
    n++
    pattern[n] = $1
    quantity[n] = $2
    least[n] = $3
    most[n] = $4
    next
}
{
    for (i = 1; i <= n; i++) {
        if (quantity[i] != $2 || !fits($1, pattern[i])) continue
        used[i] = 1
        checked++
        bad = $3 !~ /^[-+0-9.]/ || (least[i] != "" && $3 + 0 < least[i] + 0) ||
              (most[i] != "" && $3 + 0 > most[i] + 0)
        if (!bad) continue
        printf "outside: %s, %s = %s, permitted %s ... %s\n", $1, $2, $3,
            least[i], most[i]
        failures++
    }
}
END {
    for (i = 1; i <= n; i++)
        if (!used[i] && !quick) {
            printf "no result: %s, %s\n", pattern[i], quantity[i]
            failures++
        }
    printf "%d values within their limits, %d failures\n",
        checked - failures, failures
    exit failures > 0
}
function fits(text, p) {
    if (p ~ /\*$/) return index(text, substr(p, 1, length(p) - 1)) == 1
    return text == p
}
