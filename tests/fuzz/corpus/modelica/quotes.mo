model 'a b' Real 'x.y[1]' "text" annotation(x=1); /* c */ equation 'x.y[1]' = 1e3 + .5 - 2.; // end
end 'a b';
