function asks(objective, xmin, xmax, nVar)
  objective(helper(xmin, nVar));
  objective(xmax .* ones(nVar, 1));
end
