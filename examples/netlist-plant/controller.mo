model Controller "proportional and integral"
  parameter Real want(unit = "V") = 5;
  parameter Real kp = 0.5, ki = 400;
  input Real v(unit = "V") "measured voltage";
  output Real drive(unit = "V");
  Real sum(start = 0, fixed = true, unit = "V");
equation
  der(sum) = ki*(want - v);
  drive = kp*(want - v) + sum;
end Controller;
