set(FILES breaks.c level.c hold.c held.c op.c table.c jet.c program.c gradient.c rates.c corner.c)
set(TESTS breaks_test hold_test expr_test)
