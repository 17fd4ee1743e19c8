model A Real x(unit = "m)(/kg", start = {1,2}, nominal = 0); end A;
