function [best, position] = DE(nPop, MaxIt, VarMin, VarMax, nVar, CostFunction)
  X = VarMin + (VarMax - VarMin) * rand(nPop, nVar); f = zeros(nPop, 1);
  for i = 1:nPop, f(i) = CostFunction(X(i, :)); end
  for t = 2:MaxIt
    for i = 1:nPop
      r = randperm(nPop, 3);
      mutant = min(max(X(r(1), :) + 0.5 * (X(r(2), :) - X(r(3), :)), VarMin), VarMax);
      crossed = rand(1, nVar) < 0.9; crossed(randi(nVar)) = true;
      trial = X(i, :); trial(crossed) = mutant(crossed);
      value = CostFunction(trial);
      if value <= f(i), X(i, :) = trial; f(i) = value; end
    end
  end
  [best, k] = min(f); position = X(k, :);
end
