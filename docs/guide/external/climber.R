#!/usr/bin/env Rscript
# A hill climber with an adaptive step, for timefair: `use: "external:Rscript climber.R"`.
#
# Parameters: step (0.25), the largest move over the width of the bounds; offspring (1), points
# that are tried at a time. It ends when the step has become tiny.

input <- file("stdin", "r")
header <- list(step = 0.25, offspring = 1)
while ((line <- readLines(input, 1)) != "begin") {
  words <- strsplit(sub("^parameter ", "", line), " ")[[1]]
  header[[words[1]]] <- suppressWarnings(as.numeric(words[-1]))
}

# The values of points, by timefair; the end of its input ends this process.
ask <- function(points) {
  lines <- vapply(points, function(x) paste(sprintf("%.17g", x), collapse = " "), "")
  if (length(points) > 1) lines <- c(paste("batch", length(points)), lines)
  writeLines(lines)
  values <- readLines(input, length(points))
  if (length(values) < length(points)) quit(status = 0)
  as.numeric(values)
}

# Numbers in [0, 1) by the generator xorshift128 (Marsaglia 2003), the same in any language. R has
# no unsigned integers: words of 32 bits are doubles here.
xor <- function(a, b) {
  bitwXor(a %/% 65536, b %/% 65536) * 65536 + bitwXor(a %% 65536, b %% 65536)
}
state <- c(xor(123456789, header$seed %% 2^32), xor(362436069, header$seed %/% 2^32), 521288629, 88675123)
uniform <- function() {
  t <- xor(state[1], (state[1] * 2^11) %% 2^32)
  w <- xor(xor(state[4], state[4] %/% 2^19), xor(t, t %/% 2^8))
  state <<- c(state[-1], w)
  w / 2^32
}
uniforms <- function() vapply(header$lower, function(lower) uniform(), 0)

lower <- header$lower
width <- header$upper - lower
step <- header$step
x <- lower + width * uniforms()
fx <- ask(list(x))
while (step > 1e-9) {
  tries <- lapply(seq_len(header$offspring), function(k) {
    pmin(pmax(x + width * step * (2 * uniforms() - 1), lower), header$upper)
  })
  better <- FALSE
  values <- ask(tries)
  for (k in seq_along(tries)) {
    if (values[k] < fx) {
      x <- tries[[k]]
      fx <- values[k]
      better <- TRUE
    }
  }
  step <- step * if (better) 1.5 else 0.9
}
