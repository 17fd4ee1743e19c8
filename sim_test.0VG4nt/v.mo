model Ramp
  output Real x(start = 0, fixed = true);
equation
  der(x) = 0.1;
end Ramp;
model Ear
  input Real u; input Real v;
  output Real z(start = 0, fixed = true);
  output Real s(start = 0, fixed = true);
  discrete output Real n(start = 0, fixed = true);
equation
  
  der(z) = u;
  der(s) = if v > 0.5 then 1 else 0;
  when v > 0.5 then n = pre(n) + 1; end when;
end Ear;
