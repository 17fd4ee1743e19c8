set(FILES drift.c journal.c oracle.c power.c record.c tally.c)
set(TESTS journal_test oracle_test record_test)
