# Names of targets: NAME_fuzz.c with a folder corpus/NAME.  Also built for
# libFuzzer by `make fuzz`.
set(TESTS checkpoint_fuzz circuit_fuzz csv_fuzz deck_fuzz fmu_fuzz geo_fuzz hdf5_fuzz http_fuzz interface_fuzz market_fuzz mesh_fuzz modelica_fuzz netlist_fuzz program_fuzz raw_fuzz ssp_fuzz system_fuzz zip_fuzz)
