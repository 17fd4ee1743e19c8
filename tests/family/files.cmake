# Random systems with exact solutions; shared with bench/17_family.
set(FAMILY_FILES case.c judge.c wave.c wave_ode.c drivers.c shapes.c classes.c
    class_one_way.c class_events.c class_loops.c class_parts.c)
