/* A hill climber with an adaptive step, for timefair: `use: "external:./climber"`.
 *
 *     cc -O2 -std=c11 -ffp-contract=off -o climber climber.c
 *
 * Parameters: step (0.25), the largest move over the width of the bounds; offspring (1), points
 * that are tried at a time. It ends when the step has become tiny.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int dimension, offspring = 1;
static double *lower, *upper, step = 0.25;
static uint64_t seed;

static double read_number(void) {
    double value;
    if (scanf("%lf", &value) != 1) exit(0); /* timefair has ended the launch */
    return value;
}

static double *read_numbers(void) {
    double *values = malloc(dimension * sizeof *values);
    for (int i = 0; i < dimension; i++) values[i] = read_number();
    return values;
}

static void read_header(void) {
    char key[64];
    while (scanf("%63s", key) == 1 && strcmp(key, "begin") != 0) {
        if (strcmp(key, "parameter") == 0 && scanf("%63s", key) != 1) exit(1);
        if (strcmp(key, "dimension") == 0) dimension = (int)read_number();
        else if (strcmp(key, "lower") == 0) lower = read_numbers();
        else if (strcmp(key, "upper") == 0) upper = read_numbers();
        else if (strcmp(key, "seed") == 0) seed = (uint64_t)read_number();
        else if (strcmp(key, "step") == 0) step = read_number();
        else if (strcmp(key, "offspring") == 0) offspring = (int)read_number();
        scanf("%*[^\n]"); /* what is left of the line */
    }
}

/* Write points and read their values. */
static void ask(const double *points, double *values, int count) {
    if (count > 1) printf("batch %d\n", count);
    for (int k = 0; k < count * dimension; k++)
        printf("%.17g%c", points[k], (k + 1) % dimension == 0 ? '\n' : ' ');
    fflush(stdout);
    for (int k = 0; k < count; k++) values[k] = read_number();
}

/* A number in [0, 1) by the generator xorshift128 (Marsaglia 2003), the same in any language. */
static double uniform(void) {
    static uint32_t x, y, z = 521288629, w = 88675123;
    static int seeded = 0;
    if (!seeded) {
        x = 123456789 ^ (uint32_t)seed;
        y = 362436069 ^ (uint32_t)(seed >> 32);
        seeded = 1;
    }
    uint32_t t = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w ^= (w >> 19) ^ t ^ (t >> 8);
    return w / 4294967296.0;
}

static double near(double xi, int i) {
    double y = xi + (upper[i] - lower[i]) * step * (2 * uniform() - 1);
    return y < lower[i] ? lower[i] : y > upper[i] ? upper[i] : y;
}

int main(void) {
    read_header();
    double *x = malloc(dimension * sizeof *x), fx;
    double *tries = malloc(offspring * dimension * sizeof *tries);
    double *values = malloc(offspring * sizeof *values);
    for (int i = 0; i < dimension; i++) x[i] = lower[i] + (upper[i] - lower[i]) * uniform();
    ask(x, &fx, 1);
    while (step > 1e-9) {
        for (int k = 0; k < offspring * dimension; k++)
            tries[k] = near(x[k % dimension], k % dimension);
        ask(tries, values, offspring);
        int better = 0;
        for (int k = 0; k < offspring; k++)
            if (values[k] < fx) {
                memcpy(x, tries + k * dimension, dimension * sizeof *x);
                fx = values[k];
                better = 1;
            }
        step *= better ? 1.5 : 0.9;
    }
    return 0;
}
