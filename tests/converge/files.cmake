set(TESTS stepper_order window_order events states two_masses mechanism multibody
    strong_coupling index23 bumps genalpha pulses spikes tolerance inputs
    algebraic instants loops apart apart_events switching found amplified visits kinks stiff multipliers second whole)
