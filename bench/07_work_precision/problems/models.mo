model Mass "on a spring to the wall and one to its neighbour"
  parameter Real x0 = 0, k = 4*3.14159265358979323846^2, c = 4*k;
  input Real other;
  output Real x(start = x0, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -k*x - c*(x - other);
end Mass;

model X "Wang, Hou, Modnak 2011, equation (16), with springs that pull back"
  input Real force;
  output Real a;
  output Real x1(start = 0, fixed = true), x2(start = 0, fixed = true);
  Real v1(start = 0, fixed = true), v2(start = 0, fixed = true);
  Real a1;
equation
  der(x1) = v1;
  der(x2) = v2;
  der(v1) = a1;
  der(v2) = a;
  4*a1 + a = -2*x1 - x2 + 6;
  a1 + 3*a = -x1 - 2*x2 + 7 + force;
end X;

model Y "equation (17), likewise"
  input Real force;
  output Real a;
  output Real y1(start = 0, fixed = true), y2(start = 0, fixed = true);
  Real w1(start = 0, fixed = true), w2(start = 0, fixed = true);
  Real a2;
equation
  der(y1) = w1;
  der(y2) = w2;
  der(w1) = a;
  der(w2) = a2;
  5*a + 2*a2 = -y1 - 2*y2 + 10 + force;
  2*a + 4*a2 = -2*y2 + 4;
end Y;

model Cells "a line of RC cells, every one fed by a current of its own phase"
  parameter Integer n = 10;
  parameter Real g = 100, gl = 1, gr = 1, leak = 1, omega = 6.283185307179586;
  input Real left, right;
  output Real first, last;
  Real v[n](each start = 0, each fixed = true);
equation
  der(v[1]) = gl*(left - v[1]) + g*(v[2] - v[1]) - leak*v[1]
              + 5*(1 + sin(omega*time));
  for i in 2:n - 1 loop
    der(v[i]) = g*(v[i - 1] - 2*v[i] + v[i + 1]) - leak*v[i]
                + 5*(1 + sin(omega*time + 0.7*i));
  end for;
  der(v[n]) = g*(v[n - 1] - v[n]) + gr*(right - v[n]) - leak*v[n]
              + 5*(1 + cos(omega*time));
  first = v[1];
  last = v[n];
end Cells;

model Rectifier "a source, an inductance and a diode into the voltage v"
  parameter Real L = 1e-3, R = 1, Is = 1e-9, Vt = 0.05, Cj = 1e-5;
  input Real v;
  output Real id "current of the diode";
  Real i(start = 0, fixed = true), node(start = 0, fixed = true);
equation
  L*der(i) = 5*sin(2*3.14159265358979323846*50*time) - R*i - node;
  Cj*der(node) = i - id;
  id = Is*(exp((node - v)/Vt) - 1) + 1e-3*(node - v);
end Rectifier;

model Smoothing "a capacitor and a load that draws constant power"
  parameter Real C = 1e-3, G = 0.02, P = 0.1;
  input Real i;
  output Real v(start = 1, fixed = true);
equation
  C*der(v) = i - G*v - P*v/(v^2 + 0.25);
end Smoothing;

model VanDerPol "stiff; pulled by the filter"
  parameter Real mu = 100;
  input Real u;
  output Real x(start = 2, fixed = true);
  Real z(start = 0, fixed = true);
equation
  der(x) = mu*(z - x^3/3 + x);
  mu*der(z) = -x + 0.1*u;
end VanDerPol;

model Filter
  parameter Real T = 5;
  input Real u;
  output Real y(start = 0, fixed = true);
equation
  T*der(y) + y = u;
end Filter;

model Fast "a small motor in an oil bath: speed and current within ms"
  parameter Real L = 1e-3, J = 1e-5, k = 0.02, R0 = 1;
  input Real T "temperature above the surroundings, in 100 K";
  output Real heat;
  output Real omega(start = 0, fixed = true);
  Real i(start = 0, fixed = true);
equation
  L*der(i) = 12 + 2*sin(2*3.14159265358979323846*25*time) - R0*(1 + 0.4*T)*i
             - k*omega;
  J*der(omega) = k*i - 2e-5*omega - 1e-9*omega^2;
  heat = R0*(1 + 0.4*T)*i^2;
end Fast;

model Slow "its case"
  parameter Real capacity = 4;
  input Real heat;
  output Real T(start = 0, fixed = true);
equation
  capacity*der(T) = heat - 0.5*T;
end Slow;

model Prey "grows, is eaten"
  input Real y;
  output Real x(start = 1, fixed = true);
equation
  der(x) = x*(1.5 - y) - 0.1*x^2;
end Prey;

model Predator
  input Real x;
  output Real y(start = 0.5, fixed = true);
equation
  der(y) = y*(x - 1);
end Predator;

model Pulses "a source that is switched at given times, into a capacitor"
  parameter Real C = 1;
  input Real other;
  output Real v(start = 0, fixed = true);
equation
  C*der(v) = (if time < 0.3 then 1 elseif time < 0.9 then -2 elseif time < 1.7
              then 3 else 0) - v + 2*(other - v);
end Pulses;

model Load
  parameter Real C = 0.5;
  input Real other;
  output Real v(start = 0, fixed = true);
equation
  C*der(v) = 2*(other - v) - 0.5*v - 0.2*v^3;
end Load;

model Room "warmed by the heater, cooled by the wall; 0 is 20 degrees"
  input Real heat, wall;
  output Real T(start = -5, fixed = true);
equation
  der(T) = heat - 0.5*(T - wall);
end Room;

model Wall
  input Real room;
  output Real T(start = -8, fixed = true);
equation
  5*der(T) = 0.5*(room - T) - 0.3*(T + 15 - 3*sin(time/4));
end Wall;

model Thermostat "switches at -1 and 1"
  input Real T;
  output Real heat(start = 0, fixed = true);
  Boolean on(start = true, fixed = true);
equation
  0.2*der(heat) = (if on then 8 else 0) - heat;
  when {T > 1, T < -1} then
    on = T < 0;
  end when;
end Thermostat;

model Rod "heat conduction, stiff: 200 cells"
  parameter Integer n = 200;
  parameter Real a = 0.01, h = 1/n;
  input Real power;
  output Real middle;
  Real T[n](each start = 0, each fixed = true);
equation
  der(T[1]) = a*(T[2] - T[1])/h^2 + power/h*a;
  for i in 2:n - 1 loop
    der(T[i]) = a*(T[i - 1] - 2*T[i] + T[i + 1])/h^2;
  end for;
  der(T[n]) = a*(T[n - 1] - T[n])/h^2 - 0.1*T[n];
  middle = T[20];
end Rod;

model Controller "proportional and integral"
  parameter Real target = 1, kp = 3, ki = 0.5;
  input Real measured;
  output Real power;
  Real sum(start = 0, fixed = true);
equation
  der(sum) = target - measured;
  power = kp*(target - measured) + ki*sum;
end Controller;
