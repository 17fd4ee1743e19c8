connector Pin Real v; flow Real i; end Pin;
model Divider
  Pin a, b, c, ground;
  parameter Real R[2] = {1, 2};
equation
  connect(a, b); connect(b, c);
  a.v - ground.v = R[1]*a.i + R[2]*homotopy(actual = b.i, simplified = 0);
  a.i + b.i + noEvent(abs(c.i)) = semiLinear(ground.i, 1, 2);
  ground.v = 0; ground.i = smooth(1, sign(a.v)*sqrt(abs(a.v)));
end Divider;
