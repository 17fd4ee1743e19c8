set(FILES about.c apply.c bindings.c component.c connect.c out.c read.c source.c strict.c systems.c
    text.c unit.c write.c)
