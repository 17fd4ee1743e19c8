# Draws results.csv: gnuplot -e "results='FILE'; picture='FILE.png'" plot.gp
#
# One panel for each problem: measured error (over 1 + max|y|) against residuals.
set datafile separator ","
set terminal pngcairo size 1500,1200 font "sans,11"
set output picture
problems = "signals constraint circuit rectifier mechanism stiff rod multirate nonlinear breaks events jump"
methods = "coupled radau5 ida"
set multiplot layout 4,3 title "error (over 1 + max|y|) against residuals"
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set grid
set key left bottom
do for [p in problems] {
    set title p
    plot for [m in methods] sprintf("< awk -F, -v c=%s-%s- -f points.awk %s", p, m, results) \
         using 2:1 with linespoints linewidth 2 pointtype 7 title m
}
unset multiplot
