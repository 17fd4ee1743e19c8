function f input Real x; output Real y; algorithm y := g(x); end f; function g input Real x; output Real y; algorithm y := f(x); end g; model A Real x = f(1); end A;
