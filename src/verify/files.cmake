set(FILES certify.c replay.c rest.c spot.c spot_check.c spot_held.c)
set(TESTS rest_test spot_test)
