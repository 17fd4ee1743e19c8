set(FILES analyse.c bjt.c bjt_make.c circuit.c command.c command_print.c
    condition.c device.c diode.c element.c element_device.c element_source.c
    element_value.c expr.c expr_call.c expr_code.c expr_emit.c expr_time.c jfet.c
    junction.c limit.c line.c line_words.c measure.c mos.c mos1.c mos3.c
    mos_meyer.c op.c param.c part.c part_cells.c part_eval.c part_place.c part_system.c
    partition.c partition_auto.c partition_join.c partition_order.c probe.c
    read.c rest.c source.c subckt.c tline.c topology.c)
set(TESTS device_test expr_test measure_test op_test read_refuse_test read_test topology_test)
