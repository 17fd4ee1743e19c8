SystemCall "touch x"; Merge "y"; // "
Printf("x") > "file"; Include "z.geo"; a = 1; a "b"; System = 2;
Plugin(Triangulate).Run; General.WatchFilePattern = "x"; Save "m.msh";
