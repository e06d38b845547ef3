function best = clears(N, Max_iter, lb, ub, dim, fobj)
  clear all; clc; close all
  best = fobj(lb + (ub - lb) .* rand(1, dim));
end
