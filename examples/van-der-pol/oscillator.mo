model VanDerPol
  parameter Real mu = 1;
  output Real x(start = 2, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = mu*(1 - x^2)*v - x;
end VanDerPol;

model Filter
  parameter Real T = 0.5;
  input Real u;
  output Real y(start = 0, fixed = true);
equation
  T*der(y) + y = u;
end Filter;
