function value = shown(x)
  fprintf(stderr, "%.17g %.17g %.17g\n", x);
  value = sum((x - 0.7) .^ 2 + 1 - cos(5 * (x - 0.7)));
end
