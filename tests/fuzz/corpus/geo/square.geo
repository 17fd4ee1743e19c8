// a square with a hole
lc = 0.1; n = 3;
Point(1) = {0, 0, 0, lc}; Point(2) = {1, 0, 0, lc};
Point(3) = {1, 1, 0, lc}; Point(4) = {0, 1, 0, lc};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; /* outer */
Plane Surface(1) = {1};
Physical Surface("core", 1) = {1};
Physical Curve("outer") = {1, 2, 3, 4};
Mesh.Algorithm = 6;
