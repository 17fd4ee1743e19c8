model Controller "proportional and integral"
  parameter Real fast(unit = "rad/s") = 100, slow(unit = "rad/s") = 60;
  parameter Real kp = 0.1, ki = 6;
  input Real speed(unit = "rad/s");
  output Real u(unit = "V") "voltage of the driver";
  Real want(unit = "rad/s") "fast for a quarter of a second, then slow";
  Real sum(unit = "V", start = 0, fixed = true);
equation
  want = if time < 0.25 then fast else slow;
  der(sum) = ki*(want - speed);
  u = kp*(want - speed) + sum;
end Controller;
