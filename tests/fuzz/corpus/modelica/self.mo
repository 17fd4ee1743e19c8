model A parameter Real p[n] = fill(q, n); parameter Integer n = size(p, 1); parameter Real q = p[1]; end A;
