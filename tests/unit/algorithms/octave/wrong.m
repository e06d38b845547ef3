function x = wrong(N, Max_iter, lb, ub, dim, fobj)
  x = fobj(zeros(1, dim);
end
