//! base 0.1.0
package 'Pkg'
  constant Real 'g' = 9.81;
  type Voltage = Real(unit = "V");
  connector Pin
    Voltage v;
    flow Real i(unit="A");
  end Pin;
  function f
    input Real x[:];
    input Real a = 2;
    output Real y;
    output Real z[size(x,1)];
  protected
    Real s;
  algorithm
    s := 0;
    for i in 1:size(x,1) loop
      s := s + a*x[i];
      z[i] := s;
    end for;
    if s > 1 then
      y := s;
    elseif s < 0 then
      y := 0;
    else
      y := s*s;
    end if;
  end f;
  model 'M'
    Pin p, n(v(start=3));
    Pin q[2];
    Real 'a.b[1]'(start = 2);
    Real r, c[3], d[3];
    discrete Real cnt(start=1);
    Boolean b = r > 2;
    parameter Real tab[:,2] = [0,0;1,2;2,5];
    parameter Boolean flag = false;
    parameter Real pf = f({1,2});
    Real e = interpolate(tab, time);
    Real xx, vv;
  initial equation
    xx = 1;
  equation
    connect(p, n);
    for k in 1:2 loop q[k].v = k; q[k].i = p.i; end for;
    der('a.b[1]') = -'g'*'a.b[1]' + pf;
    (r, c) = f(d, a=3);
    d = {i^2*time for i in 1:3};
    if flag then p.v = 1; else p.v = time; end if;
    if xx > 0 then der(vv) = -1; else der(vv) = 1; end if;
    der(xx) = vv;
    when xx < 0 then
      reinit(vv, -0.9*pre(vv));
      cnt = pre(cnt) + 1;
    elsewhen time >= 2 then
      cnt = 0;
    end when;
    assert(pf > 0, "pf");
  end 'M';
end 'Pkg';
