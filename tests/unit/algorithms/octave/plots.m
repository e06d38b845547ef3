function best = plots(N, T, lb, ub, dim, fobj)
  figure; hold on
  for t = 1:T, best(t) = fobj(unifrnd(lb, ub, [1, dim])); plot(t, best(t), 'x'); drawnow; end
  legend('best'); close all
end
