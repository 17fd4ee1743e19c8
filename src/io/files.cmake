set(FILES text.c writer.c csv.c csv_read.c hdf5.c raw.c raw_read.c table.c plot.c
    report.c report_data.c report_json.c)
set(TESTS raw_test writer_test writer_files_test table_test plot_test report_test)
