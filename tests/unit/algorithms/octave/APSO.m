function [best, pos, curve] = PSOx(SearchAgents_no, Max_iter, lb, ub, dim, fobj)
  X = lb + (ub - lb) .* rand(SearchAgents_no, dim); V = zeros(size(X));
  P = X; pf = inf(1, SearchAgents_no); best = inf; pos = X(1, :); curve = zeros(1, Max_iter);
  parfor k = 1:2, end
  for t = 1:Max_iter
    for i = 1:SearchAgents_no
      f = fobj(X(i, :));
      if f < pf(i), pf(i) = f; P(i, :) = X(i, :); end
      if f < best, best = f; pos = X(i, :); end
    end
    w = 0.9 - 0.5 * t / Max_iter;
    V = w * V + 2 * rand(size(X)) .* (P - X) + 2 * rand(size(X)) .* (pos - X);
    X = min(max(X + V, lb), ub);
    curve(t) = best;
    if mod(t, 10) == 0, disp(['iter ' num2str(t)]); printf("best %g\n", best); end
  end
end
