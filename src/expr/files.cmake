set(FILES op.c table.c jet.c program.c gradient.c rates.c corner.c)
set(TESTS expr_test)
