//! base 0.1.0
package 'S'
  model 'S'
    parameter Real p; parameter equation guess(p) = 2;
    parameter Real q; parameter Real n = 3;
    Real x[3]; parameter equation each guess(x) = prioritize(1.5, 2);
    discrete Real d; Boolean b = x[1] > q or pre(b) and x[1] > 0.1;
  initial equation
    q = 0.5; guess(x[2]) = 3; x[1] = guess(x[1]); prioritize(x[2], 1); der(x[3]) = 0; pre(d) = 7;
  equation
    der(x) = {1 - p*x[1], @1 -x[2], if b then -1 else p - x[3]};
    when {sample(0, 0.1) and b, edge(b), change(b)} then d = pre(d) + 1; elsewhen d > 9 then d = 0; end when;
    when change(d) then reinit(x[2], d); end when;
    assert(x[1] < 5, "x is " + String(x[1]), AssertionLevel.warning);
    assert(x[1] < 9 or not b, "large");
  end 'S';
end 'S';
