set(FILES program.c early.c http.c live.c main.c watch.c near.c progress.c signals.c analyses.c measures.c options.c log.c cmd_help.c cmd_run.c cmd_resume.c keep.c cmd_check.c check_find.c check_formats.c cmd_plot.c plot_field.c plot_panels.c plot_profile.c cmd_compare.c
    cmd_info.c info_mesh.c info_model.c info_netlist.c info_system.c cmd_report.c cmd_example.c cmd_export.c system.c power.c cmd_verify.c verify_formats.c
    cmd_sweep.c sweep_axes.c sweep_journal.c sweep_table.c sweep_map.c)
