set(FILES archive.c binary.c bounds.c calls.c description.c direct.c engine.c exchange.c honest.c idle.c info.c jacobian.c kinds.c rates.c read.c scout.c simulation.c steps.c trace.c values.c xml.c)
