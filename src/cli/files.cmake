set(FILES main.c options.c cmd_help.c cmd_run.c cmd_check.c cmd_plot.c problems.c)
