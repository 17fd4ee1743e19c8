model Cells "n cells with a capacitor to the ground, joined by resistors"
  parameter Integer n = 10;
  parameter Real g = 1 "conductance between the cells of a part";
  parameter Real weak = 0.1 "conductance to the neighbouring parts";
  parameter Real leak = 0.05 "conductance to the ground";
  input Real left, right "voltages of the neighbouring parts";
  output Real first, last;
  Real v[n](each start = 0, each fixed = true);
equation
  der(v[1]) = weak*(left - v[1]) + g*(v[2] - v[1]) - leak*v[1];
  for i in 2:n - 1 loop
    der(v[i]) = g*(v[i - 1] - 2*v[i] + v[i + 1]) - leak*v[i];
  end for;
  der(v[n]) = g*(v[n - 1] - v[n]) + weak*(right - v[n]) - leak*v[n];
  first = v[1];
  last = v[n];
end Cells;

model End "the same with one neighbour; counted from the open end"
  parameter Integer n = 10;
  parameter Real g = 1, weak = 0.1, leak = 0.05;
  parameter Real v0 = 0 "start value of the outermost voltage";
  input Real inside "voltage of the neighbouring part";
  output Real last;
  Real tip(start = v0, fixed = true);
  Real v[n - 1](each start = 0, each fixed = true);
equation
  der(tip) = g*(v[1] - tip) - leak*tip;
  der(v[1]) = g*(tip - 2*v[1] + v[2]) - leak*v[1];
  for i in 2:n - 2 loop
    der(v[i]) = g*(v[i - 1] - 2*v[i] + v[i + 1]) - leak*v[i];
  end for;
  der(v[n - 1]) = g*(v[n - 2] - v[n - 1]) + weak*(inside - v[n - 1])
                  - leak*v[n - 1];
  last = v[n - 1];
end End;
