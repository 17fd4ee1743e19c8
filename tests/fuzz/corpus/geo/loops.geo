DefineConstant[ r = {0.5, Min 0, Max 1, Name "Parameters/r"} ];
For i In {0:3}
  x~{i} = Cos(i * Pi / 2) * r; p[i] = newp; Point(p[i]) = {x~{i}, 0, 0};
  If (i > 1 && i != 3) Printf("i = %g", i); EndIf
EndFor
Macro square
  y = x_0 ^ 2;
Return
Call square;
Field[1] = MathEval; Field[1].F = "0.1 + x^2"; Background Field = 1;
