set(FILES choice.c drift.c journal.c oracle.c power.c record.c shown.c statistics.c tally.c thin.c window.c)
set(TESTS choice_test journal_test oracle_test record_test)
