set(FILES waveform.c combine.c norm.c jumps.c project.c history.c spline.c)
set(TESTS waveform_test combine_test norm_test jumps_test project_test history_test spline_test)
