// A hill climber with an adaptive step, for timefair: `use: "external:./climber"`.
//
//     c++ -O2 -std=c++17 -ffp-contract=off -o climber climber.cpp
//
// Parameters: step (0.25), the largest move over the width of the bounds; offspring (1), points
// that are tried at a time. It ends when the step has become tiny.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using Point = std::vector<double>;

// std::cin does not read inf, strtod does; the end of the input ends this process.
static double read_value() {
    std::string line;
    if (!std::getline(std::cin, line)) std::exit(0);
    return std::strtod(line.c_str(), nullptr);
}

// The values of points, by timefair.
static std::vector<double> ask(const std::vector<Point> &points) {
    if (points.size() > 1) std::printf("batch %zu\n", points.size());
    for (const Point &x : points) {
        for (double xi : x) std::printf("%.17g ", xi);
        std::putchar('\n');
    }
    std::fflush(stdout);
    std::vector<double> values(points.size());
    for (double &value : values) value = read_value();
    return values;
}

// Numbers in [0, 1) by the generator xorshift128 (Marsaglia 2003), the same in any language.
class Numbers {
    std::uint32_t x, y, z = 521288629, w = 88675123;

public:
    explicit Numbers(std::uint64_t seed)
        : x(123456789 ^ std::uint32_t(seed)), y(362436069 ^ std::uint32_t(seed >> 32)) {}
    double operator()() {
        std::uint32_t t = x ^ (x << 11);
        x = y, y = z, z = w;
        w ^= (w >> 19) ^ t ^ (t >> 8);
        return w / 4294967296.0;
    }
};

int main() {
    Point lower, upper;
    std::uint64_t seed = 0;
    double step = 0.25;
    std::size_t offspring = 1;
    for (std::string line, key; std::getline(std::cin, line) && line != "begin";) {
        std::istringstream words(line);
        words >> key;
        if (key == "parameter") words >> key;
        if (key == "lower" || key == "upper")
            for (double bound; words >> bound;) (key == "lower" ? lower : upper).push_back(bound);
        else if (key == "seed") words >> seed;
        else if (key == "step") words >> step;
        else if (key == "offspring") words >> offspring;
    }
    Numbers uniform(seed);
    Point x(lower.size());
    for (std::size_t i = 0; i < x.size(); i++) x[i] = lower[i] + (upper[i] - lower[i]) * uniform();
    double fx = ask({x})[0];
    while (step > 1e-9) {
        std::vector<Point> tries(offspring, x);
        for (Point &y : tries)
            for (std::size_t i = 0; i < y.size(); i++)
                y[i] = std::clamp(y[i] + (upper[i] - lower[i]) * step * (2 * uniform() - 1), lower[i], upper[i]);
        std::vector<double> values = ask(tries);
        bool better = false;
        for (std::size_t k = 0; k < offspring; k++)
            if (values[k] < fx) x = tries[k], fx = values[k], better = true;
        step *= better ? 1.5 : 0.9;
    }
}
