model Rod "cells of a rod that radiate, with neighbours at both ends"
  parameter Integer n = 40;
  parameter Real g = 400, weak = 0.05, w = 1;
  input Real left, right;
  output Real first, last;
  Real v[n](each start = 1, each fixed = true);
equation
  der(v[1]) = weak*(left - v[1]) + g*(v[2] - v[1]) - v[1]^4 + sin(w*time);
  for i in 2:n - 1 loop
    der(v[i]) = g*(v[i - 1] - 2*v[i] + v[i + 1]) - v[i]^4 + exp(-v[i]^2);
  end for;
  der(v[n]) = g*(v[n - 1] - v[n]) + weak*(right - v[n]) - v[n]^4;
  first = v[1];
  last = v[n];
end Rod;
