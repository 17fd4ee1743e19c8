function g input Real x; output Real y; algorithm y := if x > 0 then h(x) else -x; end g;
function h input Real x; output Real y; output Integer k = 3; protected Real t[3]; algorithm
 for i in 1:3 loop t[i] := x^i; if t[i] > 2 then t[i] := 2; end if; end for; y := t*t; end h;
model A Real x = g(time); Real y; equation (y, ) = h(x = x); assert(true, "ok"); end A;
