% Launches a function of Octave or MATLAB for timefair: timefair_serve(FOLDER, NAME, ROLES), see octave.py.
% Requests go to file descriptor 3, answers come from 4; what the function prints goes to standard error.
function timefair_serve(folder, name, roles)
  answers = fopen('/dev/fd/4', 'r');
  header = struct();
  line = read_line(answers);
  while ~strcmp(line, 'begin')
    [key, rest] = strtok(line);
    if strcmp(key, 'parameter')
      [key, rest] = strtok(rest);
    end
    header.(key) = strtrim(rest);
    line = read_line(answers);
  end
  octave = exist('OCTAVE_VERSION', 'builtin') ~= 0;
  seed = mod(str2double(header.seed), 2^32);  % Octave's rand takes every larger seed for the same one
  if octave
    rand('twister', seed); randn('twister', seed); rande('twister', seed); randg('twister', seed);
  else
    rng(seed, 'twister');
  end
  set(0, 'defaultfigurevisible', 'off');
  known.population = str2double(header.population);
  known.iterations = str2double(header.iterations);
  known.lower = bounds(header.lower);
  known.upper = bounds(header.upper);
  known.dimension = str2double(header.dimension);
  if exist('timefair_ask') == 3
    known.objective = @timefair_ask;
  else
    requests = fopen('/dev/fd/3', 'w');
    known.objective = @(x) ask(requests, answers, octave, x);
  end
  words = strsplit(roles, ',');
  values = cell(1, numel(words));
  for k = 1:numel(words)
    values{k} = known.(words{k});
  end
  addpath(folder);
  if octave
    stand_in();
  end
  feval(name, values{:});
end

function stand_in()
  % Two functions of MATLAB's toolbox of statistics; and without a graphics toolkit, what draws does nothing.
  for pair = {'unifrnd', 'a + (b - a) .* rand'; 'normrnd', 'a + b .* randn'}'
    if ~exist(pair{1})
      body = 'if isempty(varargin), varargin = {size(a + b)}; end, r = %s(varargin{:}); end';
      eval(sprintf(['function r = %s(a, b, varargin), ' body], pair{:}));
    end
  end
  if isempty(available_graphics_toolkits())
    words = 'figure clf hold plot plot3 semilogx semilogy loglog bar surf surfc mesh contour scatter scatter3';
    words = [words ' line text legend title xlabel ylabel zlabel axis grid box view subplot colormap drawnow'];
    for word = strsplit(words, ' ')
      eval(sprintf('function varargout = %s(varargin), varargout = cell(1, nargout); end', word{1}));
    end
  end
end

function value = ask(requests, answers, octave, x)
  fprintf(requests, '%s\n', sprintf('%.17g ', x));
  if octave % MATLAB writes at once
    fflush(requests);
    value = fscanf(answers, '%f', 1);
  else
    value = str2double(read_line(answers));
  end
  if isempty(value)
    exit(0); % timefair has ended the launch
  end
end

function both = bounds(text)
  both = sscanf(text, '%f')';
  if all(both == both(1))
    both = both(1);
  end
end

function line = read_line(answers)
  % Octave's fgetl would wait for the byte after the line feed.
  line = '';
  byte = fread(answers, 1);
  while ~isequal(byte, 10)
    if isempty(byte)
      exit(0);
    end
    line(end + 1) = char(byte);
    byte = fread(answers, 1);
  end
end
