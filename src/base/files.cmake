set(FILES arena.c beside.c blocks.c bytes.c text.c texts.c transfer.c crew.c status.c memory.c numbers.c options.c names.c near.c quoted.c process.c locale.c
    digest.c policy.c image.c lazy.c loaded.c seen.c)
set(TESTS base_test digest_test near_test quoted_test)
