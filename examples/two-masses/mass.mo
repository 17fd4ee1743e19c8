model Mass "a mass on a spring to the wall and one to its neighbour"
  parameter Real m(unit = "kg") = 1;
  parameter Real k(unit = "N/m") = 4*3.14159265358979323846^2;
  parameter Real c(unit = "N/m") = 16*3.14159265358979323846^2;
  parameter Real x0(unit = "m") = 0;
  input Real other(unit = "m") "position of the neighbour";
  output Real x(start = x0, fixed = true, unit = "m");
  Real v(start = 0, fixed = true, unit = "m/s");
equation
  der(x) = v;
  m*der(v) = -k*x - c*(x - other);
end Mass;
