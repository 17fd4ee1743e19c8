model A inner Real x; stream Real y; redeclare Real z; equation terminate("x"); end A;
