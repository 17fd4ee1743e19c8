model Controller "proportional and integral"
  parameter Real want = 5 "V";
  parameter Real kp = 0.5, ki = 400;
  input Real v "measured voltage";
  output Real drive "V";
  Real sum(start = 0, fixed = true);
equation
  der(sum) = ki*(want - v);
  drive = kp*(want - v) + sum;
end Controller;
