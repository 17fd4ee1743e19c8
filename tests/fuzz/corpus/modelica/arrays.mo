model M "test"
  parameter Real k = 2*m, m = 3;
  parameter Integer n = 5;
  constant Real A[2,2] = {{1,2},{3,0}};
  Real x[n](each start = 1, each fixed = true);
  Real y = sum(x);
  Real z[2], w[2];
  output Real o(unit="kg.m/s2");
  input Real u;
equation
  der(x[1]) = u - k*x[1];
  for i in 2:n-1 loop
    der(x[i]) = (x[i-1] - 2*x[i] + x[i+1])*n^2;
  end for;
  der(x[n]) = if time > 1 then 1 else -x[end];
  z = A*w;
  w = {sin(time), cos(time)} + 2*z;
  o = max(x[2:3]) + sum(i*x[i] for i in 1:3);
  annotation(Icon(a={1,2}));
end M;
