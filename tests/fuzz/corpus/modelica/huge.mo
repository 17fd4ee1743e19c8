model A Real x[1000000000], y[99999, 99999]; end A;
