model Swing "a pendulum by its positions only"
  parameter Real L(unit = "m") = 1, g(unit = "m/s2") = 9.81, m(unit = "kg") = 1;
  output Real x(start = L, fixed = true, unit = "m");
  output Real y(start = 0, unit = "m");
  output Real energy(unit = "J");
  Real vx(start = 0, unit = "m/s"), vy(start = 0, fixed = true, unit = "m/s");
  Real F(unit = "N/m") "force of the rod, divided by its length";
equation
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -F*x;
  m*der(vy) = -F*y - m*g;
  x^2 + y^2 = L^2;
  energy = m*(vx^2 + vy^2)/2 + m*g*y;
end Swing;
