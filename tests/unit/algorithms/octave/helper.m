function x = helper(low, n)
  x = low .* ones(1, n);
end
