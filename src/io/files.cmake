set(FILES text.c number.c writer.c reopen.c csv.c csv_read.c apart.c pages.c hdf5.c hdf5_drive.c hdf5_lazy.c hdf5_read.c raw.c raw_read.c table.c judge.c lock.c profile.c prefix.c plot.c
    report.c report_data.c report_json.c report_profile.c
    report_shapes.c
    sink.c)
set(TESTS apart_test number_test prefix_test pages_test raw_test writer_test writer_files_test table_test judge_test profile_test plot_test report_test)
