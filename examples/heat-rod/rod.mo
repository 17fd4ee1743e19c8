model Rod "der(T) = a d2T/ds2, power enters at the left end"
  parameter Integer n = 100;
  parameter Real length = 0.1, a = 1e-4;
  parameter Real h = length/n;
  input Real power;
  output Real middle(unit = "K"), hot(unit = "K");
  Real T[n](each start = 0, each fixed = true, each unit = "K");
equation
  der(T[1]) = a*(T[2] - T[1])/h^2 + power/h*a;
  for i in 2:n - 1 loop
    der(T[i]) = a*(T[i - 1] - 2*T[i] + T[i + 1])/h^2;
  end for;
  der(T[n]) = a*(T[n - 1] - T[n])/h^2 - 0.01*T[n];
  middle = T[div(n, 2)];
  hot = T[1];
end Rod;

model Controller "proportional and integral"
  parameter Real target(unit = "K") = 1, kp = 20, ki = 1;
  input Real measured(unit = "K");
  output Real power;
  Real sum(start = 0, fixed = true);
equation
  der(sum) = target - measured;
  power = kp*(target - measured) + ki*sum;
end Controller;
