/* comp/netlist/system/settings.h -- `--set` for a netlist that is the system. */
#ifndef YK_NETLIST_SETTINGS_H
#define YK_NETLIST_SETTINGS_H

#include "comp/netlist/netlist.h"
#include "comp/netlist/read/read.h"
#include "yoke/file.h"
#include "yoke/run.h"
#include "yoke/stepper.h"

/* The values among the settings, for yk_netlist_read_set; to be freed also if it
 * fails. */
yoke_status yk_net_settings_read(const yoke_file_options *options, int *sets,
                                 yk_net_set **out, yoke_err *err);
void yk_net_settings_free(int sets, yk_net_set *set);

/* Those that are no .param become values of elements, or are refused. */
yoke_status yk_net_settings_apply(yk_netlist *net,
                                  const yoke_file_options *options, int sets,
                                  const yk_net_set *set, yoke_err *err);

yoke_status yk_net_settings_stepper(const yoke_file_options *options,
                                    yoke_stepper_options *how, yoke_err *err);
yoke_status yk_net_settings_run(const yoke_file_options *options,
                                yoke_file *file, yoke_err *err);

/* 2k, 1e3, 4.7 kOhm: as netlists write numbers, blanks left out. */
yoke_status yk_net_setting_number(const char *text, double *value,
                                  yoke_err *err);

#endif
