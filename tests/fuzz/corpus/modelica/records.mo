type E = enumeration(a, b);
record Q Real c[2]; E e; end Q;
record R Q q; Real d = 2; end R;
function make input Real a; input E e; output R r(q(c = {a, 2*a}, e = e)); end make;
function twice input R u; output R v; R w; algorithm w.d := u.d; v.q.c := 2*u.q.c; v.q.e := u.q.e; v.d := w.d; end twice;
model M
  R r = make(time, E.b), s, p[2];
  Real x[E], B[3, 3], y;
equation
  s = twice(r);
  for i in 1:2 loop p[i] = R(Q({i, 2}, E.a), d = i); end for;
  x = {1, if r.q.e == E.b then 2 else 3};
  B = [s.q.c, [1, 2; 3, 4]; (B[1:2, :])[1, 1:3]];
  y = sum(skew({1, 2, 3})*vector([x; {1}])) + Integer(E.b);
end M;
