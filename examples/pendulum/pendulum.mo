model Pendulum "written with positions only: the compiler reduces the index"
  parameter Real L = 1, g = 9.81, m = 1;
  output Real x(start = 1, fixed = true), y(start = 0);
  Real vx(start = 0, fixed = true), vy(start = 0);
  Real tension(start = 0);
equation
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -tension*x;
  m*der(vy) = -tension*y - m*g;
  x^2 + y^2 = L^2;
end Pendulum;

model Meter "a slow instrument that follows the angle"
  parameter Real T = 0.1;
  input Real x, y;
  output Real angle(start = 1.5707963267948966, fixed = true);
equation
  T*der(angle) = atan2(x, -y) - angle;
end Meter;
