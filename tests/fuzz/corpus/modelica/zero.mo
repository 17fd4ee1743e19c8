model A parameter Real p = 1/q; parameter Real q = 0; parameter Integer m = mod(3, 0); end A;
