function [Alpha_score, Alpha_pos, curve] = GWO(SearchAgents_no, Max_iter, lb, ub, dim, fobj)
  Positions = rand(SearchAgents_no, dim) .* (ub - lb) + lb;
  Alpha_pos = zeros(1, dim); Alpha_score = inf; curve = zeros(1, Max_iter);
  for l = 1:Max_iter
    for i = 1:size(Positions, 1)
      Positions(i, :) = min(max(Positions(i, :), lb), ub);
      fitness = fobj(Positions(i, :));
      if fitness < Alpha_score, Alpha_score = fitness; Alpha_pos = Positions(i, :); end
    end
    a = 2 - l * (2 / Max_iter);
    A = 2 * a * rand(size(Positions)) - a; C = 2 * rand(size(Positions));
    Positions = Alpha_pos - A .* abs(C .* Alpha_pos - Positions);
    curve(l) = Alpha_score;
  end
end
