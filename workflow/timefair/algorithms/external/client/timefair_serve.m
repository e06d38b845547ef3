% Launches one Octave function for timefair: timefair_serve(FOLDER, NAME, ROLES), see octave.py.
% Requests go to file descriptor 3; what the function prints goes to standard error.
function timefair_serve(folder, name, roles)
  header = struct("population", "30", "iterations", "500");
  line = read_line();
  while ! strcmp(line, "begin")
    [key, rest] = strtok(line);
    if strcmp(key, "parameter")
      [key, rest] = strtok(rest);
    end
    header.(key) = strtrim(rest);
    line = read_line();
  end
  seed = str2double(header.seed);
  rand("twister", seed); randn("twister", seed); rande("twister", seed); randg("twister", seed);
  set(0, "defaultfigurevisible", "off");
  requests = fopen("/dev/fd/3", "w");
  known.population = str2double(header.population);
  known.iterations = str2double(header.iterations);
  known.lower = bounds(header.lower);
  known.upper = bounds(header.upper);
  known.dimension = str2double(header.dimension);
  known.objective = @(x) ask(requests, x);
  values = {};
  words = strsplit(roles, ",");
  for k = 1:numel(words)
    values{k} = known.(words{k});
  end
  addpath(folder);
  feval(name, values{:});
end

function value = ask(requests, x)
  fputs(requests, [sprintf("%.17g ", x) "\n"]);
  fflush(requests);
  value = fscanf(stdin, "%f", 1);
  if isempty(value)
    exit(0); % timefair has ended the launch
  end
end

function both = bounds(text)
  both = sscanf(text, "%f")';
  if all(both == both(1))
    both = both(1);
  end
end

function line = read_line()
  % fgetl would wait for the byte after the line feed.
  line = "";
  while (byte = fread(stdin, 1)) != 10
    line(end + 1) = char(byte);
  end
end
