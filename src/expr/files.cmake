set(FILES breaks.c level.c op.c table.c jet.c program.c gradient.c rates.c corner.c)
set(TESTS breaks_test expr_test)
