model Ball
  Real h(start = 1, fixed = true), v;
  discrete Integer n(start = 0);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.8*pre(v));
    n = pre(n) + 1;
  elsewhen {time >= 3, v > 10} then
    n = 0;
  end when;
end Ball;
