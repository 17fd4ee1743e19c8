set(FILES main.c bytes.c link.c ranks.c jobs.c closed.c remote.c served.c serve.c place.c read.c save.c tenant.c)
