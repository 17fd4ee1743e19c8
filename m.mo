model Oscillator
  output Real y; Real p(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(p) = v; der(v) = -p; y = p;
end Oscillator;
model Follower
  input Real u; output Real x(start = 0, fixed = true);
equation
  der(x) = exp(10000*(u - 1));
end Follower;
