set(FILES main.c options.c cmd_help.c cmd_run.c cmd_check.c check_formats.c cmd_plot.c
    cmd_report.c cmd_example.c system.c cmd_verify.c)
