model Cart "a mass on a rail, held by a spring"
  parameter Real m(unit = "kg") = 5, k(unit = "N/m") = 40;
  input Real force(unit = "N");
  output Real x(start = 0, fixed = true, unit = "m");
  output Real energy(unit = "J");
  Real v(start = 0, fixed = true, unit = "m/s");
equation
  der(x) = v;
  m*der(v) = force - k*x;
  energy = m*v^2/2 + k*x^2/2;
end Cart;

model Rod "a free body in the plane; forces act at its upper end"
  parameter Real m(unit = "kg") = 1, L(unit = "m") = 1, g = 9.81;
  parameter Real phi0(unit = "rad") = 1.5707963267948966;
  final parameter Real J = m*L^2/12;
  input Real fx(unit = "N"), fy(unit = "N");
  output Real px(unit = "m"), py(unit = "m") "the upper end";
  output Real phi(start = phi0, fixed = true) "angle from hanging down";
  output Real energy(unit = "J");
  Real x(start = L/2*sin(phi0), fixed = true), vx(start = 0, fixed = true);
  Real y(start = -L/2*cos(phi0), fixed = true), vy(start = 0, fixed = true);
  Real omega(start = 0, fixed = true);
equation
  der(x) = vx;
  der(y) = vy;
  der(phi) = omega;
  m*der(vx) = fx;
  m*der(vy) = fy - m*g;
  J*der(omega) = -L/2*(fx*cos(phi) + fy*sin(phi));
  px = x - L/2*sin(phi);
  py = y + L/2*cos(phi);
  energy = m*(vx^2 + vy^2)/2 + J*omega^2/2 + m*g*y;
end Rod;
