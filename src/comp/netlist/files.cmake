set(FILES analyse/analyse.c analyse/measure.c analyse/measure_run.c
    analyse/probe.c analyse/tables.c circuit/circuit.c circuit/op.c
    circuit/part.c circuit/part_cells.c circuit/part_eval.c circuit/part_events.c circuit/part_integral.c
    circuit/part_courses.c circuit/part_place.c circuit/part_system.c circuit/part_why.c circuit/rest.c cut/choose.c
    cut/hints.c cut/partition.c cut/partition_auto.c cut/partition_join.c
    cut/partition_order.c cut/topology.c device/bjt.c device/bjt_make.c
    device/device.c device/diode.c device/jfet.c device/junction.c
    device/limit.c device/mos.c device/mos1.c device/mos2.c device/mos3.c device/mos_meyer.c
    device/source.c device/vdmos.c device/tline.c ngspice/deck.c
    ngspice/engine.c ngspice/library.c ngspice/read.c ngspice/watch.c read/command.c read/command_print.c
    read/condition.c read/control.c read/laplace.c read/letters.c read/problem.c read/element.c read/element_device.c read/element_source.c
    read/element_value.c read/expr.c read/expr_call.c
    read/expr_emit.c read/line.c read/line_words.c read/parasitic.c
    read/operator.c read/pwl.c read/vector.c read/param.c read/read.c read/shunt.c read/subckt.c system/calls.c system/facts.c system/lines.c
    system/model.c system/ringing.c system/settings.c system/subsystem.c system/system.c)
set(TESTS analyse/measure_run_test analyse/measure_test circuit/op_test
    cut/cut_test cut/topology_test device/device_test ngspice/deck_test ngspice/watch_test read/control_test read/expr_test
    read/read_refuse_test read/read_test system/branch_test system/calls_test system/converter_test system/fail_test system/latent_test system/ringing_test
    system/subsystem_test system/switch_test system/system_test system/time_test)
