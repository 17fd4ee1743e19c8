# Of the cases that begin with c: error times tolerance, residuals.
index($1, c) == 1 {
    t = substr($1, length(c) + 1)
    if ($2 == "error") error[t] = $3 * t
    if ($2 == "residuals" && t in error) print error[t] "," $3
}
