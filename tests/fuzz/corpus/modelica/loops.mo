model Loops
  parameter Integer n = 4;
  parameter Real c[n, n] = {{(i - j)^2 for j in 1:n} for i in 1:n};
  Real x[n], y[n, n], z[:] = cat(1, x[2:end], {1.0, time});
equation
  for i in 1:n loop
    x[i] = sum(c[i, j]*y[j, i] for j in 1:n);
  end for;
  for i in 1:n, j in 1:i loop
    y[i, j] = if i == j then x[mod(i, n) + 1] else y[j, i] + c[i, end];
  end for;
  for i in {1, 3}, j in i + 1:n loop
    if j > 2 then y[i, j] = min(x) + max(c); else y[i, j] = product(x[1:i]); end if;
  end for;
end Loops;
