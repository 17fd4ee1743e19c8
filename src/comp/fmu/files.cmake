set(FILES archive.c binary.c description.c engine.c exchange.c info.c read.c simulation.c xml.c)
