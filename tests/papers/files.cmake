set(TESTS
    wang_model
    wang_splitting
)
