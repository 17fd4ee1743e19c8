set(FILES
    flat.c
)
set(TESTS
)
