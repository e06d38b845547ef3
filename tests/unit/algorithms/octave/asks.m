function asks(objective, xmin, xmax, nVar)
  objective(helper(xmin, nVar));
  clear functions
  objective(int32(xmax .* ones(nVar, 1)));
  objective(sparse(zeros(1, nVar)));
end
function x = helper(low, n)
  x = low .* ones(1, n);
end
