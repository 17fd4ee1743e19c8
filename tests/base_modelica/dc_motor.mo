//! base 0.1.0
package 'DCMotor'
  constant Real 'Modelica.Constants.eps' = 2.220446049250313e-16 "Biggest number such that 1.0 + eps = 1.0";

  record 'Gains' "of the controller"
    Real 'k' "proportional";
    Real 'Ti' "integral time";
  end 'Gains';

  function '-Gains' "Automatically generated constructor for Gains"
    input Real 'k';
    input Real 'Ti';
    output 'Gains' _result('k' = 'k', 'Ti' = 'Ti');
  end '-Gains';

  function 'limit' "between -most and most"
    input Real 'u';
    input Real 'most';
    output Real 'y';
  algorithm
    'y' := if 'u' > 'most' then 'most' elseif 'u' < -'most' then -'most' else 'u';
  end 'limit';

  model 'DCMotor' "Motor without inductance and a sampled PI controller"
    parameter Real 'motor.k'(quantity = "ElectricalTorqueConstant", unit = "N.m/A") = 0.5;
    parameter Real 'motor.R'(unit = "Ohm") = 2.0;
    parameter Real 'inertia.J'(quantity = "MomentOfInertia", unit = "kg.m2", min = 0.0);
    Real 'inertia.w'(quantity = "AngularVelocity", unit = "rad/s", displayUnit = "rpm", stateSelect = StateSelect.prefer);
    parameter equation guess('inertia.w') = 0.0;
    Real 'inertia.phi'(quantity = "Angle", unit = "rad", start = 0.0);
    Real 'inertia.flange_a.tau'(unit = "N.m");
    Real 'motor.flange.tau'(unit = "N.m");
    Real 'motor.i'(unit = "A"), 'motor.v'(unit = "V");
    Real 'motor.emf.v'(unit = "V");
    parameter Real 'controller.samplePeriod'(quantity = "Time", unit = "s") = 0.1;
    parameter Real 'controller.limit' = 1000.0;
    'Gains' 'controller.gains' = '-Gains'(4.0, 0.8);
    parameter Real 'controller.reference' = 3.0;
    discrete Real 'controller.e'(start = 0.0, fixed = true);
    discrete Real 'controller.x'(start = 0.0, fixed = true);
    discrete Real 'controller.y'(start = 0.0, fixed = true) "held between the instants";
    Integer 'controller.n'(start = 0, fixed = true) "number of samples";
    Boolean 'fast'(start = false) annotation(protected = true);
    Boolean '$whenCondition1'(start = false);
    discrete Real 'reached'(start = -1.0) "when w was 2 for the first time";
    output Real 'w', 'samples', 'tFast';
  initial equation
    'inertia.J' = 0.25;
    'inertia.w' = guess('inertia.w');
    'inertia.phi' = 0.0;
  equation
    when sample(0.0, 'controller.samplePeriod') then
      'controller.y' = 'limit'('controller.gains'.'k' * ('controller.e' + 'controller.x'), 'controller.limit');
      'controller.x' = pre('controller.x') + 'controller.samplePeriod' / 'controller.gains'.'Ti' * 'controller.e';
      'controller.e' = 'controller.reference' - 'inertia.w';
      'controller.n' = pre('controller.n') + 1;
    end when;
    'motor.v' = 'controller.y';
    'motor.v' = 'motor.R' * 'motor.i' + 'motor.emf.v';
    'motor.emf.v' = 'motor.k' * 'inertia.w';
    'motor.flange.tau' = -'motor.k' * 'motor.i';
    'motor.flange.tau' + 'inertia.flange_a.tau' = 0.0;
    'inertia.J' * der('inertia.w') = 'inertia.flange_a.tau';
    der('inertia.phi') = 'inertia.w';
    'fast' = 'inertia.w' > 2.0;
    '$whenCondition1' = 'fast' and pre('reached') < 0.0;
    when '$whenCondition1' then
      'reached' = time;
    end when;
    'w' = 'inertia.w';
    'samples' = 'controller.n';
    'tFast' = 'reached';
  end 'DCMotor';
end 'DCMotor';
