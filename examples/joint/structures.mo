model X
  input Real force;
  output Real x1(start = 0, fixed = true), x2(start = 0, fixed = true);
  Real v1(start = 0, fixed = true), v2(start = 0, fixed = true);
equation
  der(x1) = v1;
  der(x2) = v2;
  4*der(v1) + der(v2) = 2*x1 + x2 + 6;
  der(v1) + 3*der(v2) = x1 + 2*x2 + 7 + force;
end X;

model Y
  input Real force;
  output Real y1(start = 0, fixed = true), y2(start = 0, fixed = true);
  Real w1(start = 0, fixed = true), w2(start = 0, fixed = true);
equation
  der(y1) = w1;
  der(y2) = w2;
  5*der(w1) + 2*der(w2) = y1 + 2*y2 + 10 + force;
  2*der(w1) + 4*der(w2) = 2*y2 + 4;
end Y;
