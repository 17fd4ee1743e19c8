//! base 0.1.0
package 'HeatExchanger'
  type 'Temperature' = Real(quantity = "ThermodynamicTemperature", unit = "K", displayUnit = "degC", nominal = 300.0);
  type 'Flow' = enumeration('laminar', 'turbulent');

  record 'Medium'
    Real 'd' "density";
    Real 'cp' "specific heat capacity";
  end 'Medium';

  pure constant function 'water'
    output 'Medium' 'm'('d' = 1000.0, 'cp' = 4000.0);
  end 'water';

  pure function 'alpha' "heat transfer coefficient"
    input 'Flow' 'flow';
    input Real 'v';
    output Real 'y';
  algorithm
    if 'flow' == 'Flow'.'laminar' then
      'y' := 100.0;
    else
      'y' := 2000.0 * 'v' ^ 0.0;
    end if;
  end 'alpha';

  model 'HeatExchanger' "Stirred segments of a pipe along a wall"
    constant Integer 'pipe.n' = 5;
    'Medium' 'pipe.medium' = 'water'();
    parameter 'Flow' 'pipe.flow' = 'Flow'.'turbulent';
    parameter Real 'pipe.V'(unit = "m3") = 0.01 "of a segment";
    parameter Real 'pipe.A'(unit = "m2") = 4.0 "of a segment";
    parameter Real 'pipe.Vflow'(unit = "m3/s") = 0.04;
    'Temperature'[5] 'pipe.T'(start = fill(300.0, 5), fixed = fill(true, 5));
    Real[6] 'pipe.H_flow'(unit = "W", nominal = 1e5);
    Real[5] 'pipe.Q_flow'(unit = "W", nominal = 1e3);
    Real[5, 2] 'pipe.state'(nominal = 1e3);
    'Temperature' 'inlet.T' = 350.0;
    'Temperature' 'wall.T'[5] = fill(300.0, 'pipe.n');
    Real 'pipe.mass'[5];
    output Real 'T' = 'pipe.T'[5];
    output Real 'checksum';
  equation
    'pipe.mass' = fill('pipe.medium'.'d' * 'pipe.V', 5);
    'pipe.H_flow'[1] = 'pipe.Vflow' * 'pipe.medium'.'d' * 'pipe.medium'.'cp' * 'inlet.T';
    for 'i' in 1:5 loop
      'pipe.H_flow'['i' + 1] = 'pipe.Vflow' * 'pipe.medium'.'d' * 'pipe.medium'.'cp' * 'pipe.T'['i'];
      'pipe.Q_flow'['i'] = 'alpha'('pipe.flow', 1.0 + 0.0 * 'pipe.T'['i']) * 'pipe.A' * ('wall.T'['i'] - 'pipe.T'['i']);
      'pipe.mass'['i'] * 'pipe.medium'.'cp' * der('pipe.T'['i']) = 'pipe.H_flow'['i'] - 'pipe.H_flow'['i' + 1] + 'pipe.Q_flow'['i'] "energy balance";
    end for;
    'pipe.state' = ['pipe.T', 'pipe.Q_flow'];
    'checksum' = sum('pipe.state'[:, 1]) / sum('pipe.T'[k] for k in 1:5) + (1e6 + 'pipe.state'[end, 2]) / (1e6 + 'pipe.Q_flow'[5]);
    assert(min('pipe.T') >= 273.15, "The water freezes");
  end 'HeatExchanger';
end 'HeatExchanger';
