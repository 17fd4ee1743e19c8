model M
  Real x(start=0, fixed=true);
  Integer n(start=0), m(start=0), c(start=0), k(start=0);
  discrete Real y(start=0);
  Boolean hot(start=false), big;
  Boolean cond;
  Real u;
equation
  der(x) = u;
  u = if hot then -1 else 1;
  big = x > 0.5;
  cond = x > 0.25;
  hot = x > 1 or pre(hot) and x > 0.2;
  when sample(0, 0.25) then
    n = pre(n) + 1;
    y = 2*n;
  end when;
  when change(n) then
    m = pre(m) + n;
  end when;
  when cond and not big then
    c = pre(c) + 1;
  elsewhen big then
    c = pre(c) + 100;
  end when;
  when {big, not big} then
    k = pre(k) + 1;
  end when;
end M;
