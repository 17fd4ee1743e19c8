set(FILES geo_scan.c geo_words.c mesh_check.c mesh_geo.c mesh_groups.c mesh_read.c mesh_svg.c mesh_text.c)
set(TESTS geo_test mesh_test)
