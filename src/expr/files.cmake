set(FILES breaks.c level.c hold.c held_branches.c op.c table.c jet.c program.c gradient.c rates.c corner.c why.c c_text.c code_cache.c native.c object.c)
set(TESTS breaks_test hold_test code_cache_test native_test expr_test)
