/* A hill climber in C for docs/guide/own.md: gcc -O2 -shared -fPIC -o search.so search.c */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int (*evaluate_t)(void *objective, const double *x, double *y);

static double uniform(uint64_t *state) /* xorshift64* */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717ULL) >> 11) / 9007199254740992.0;
}

/* Climb until the step is tiny. Returns -1 at once when an evaluation does, else 0. */
int climb(evaluate_t evaluate, void *objective, int n, const double *lower, const double *upper,
          uint64_t seed)
{
    double *x = malloc(2 * n * sizeof *x), *y = x + n, fx, fy, step = 0.25;
    uint64_t state = 2 * seed + 1;
    int status;

    for (int i = 0; i < n; i++) x[i] = lower[i] + uniform(&state) * (upper[i] - lower[i]);
    status = evaluate(objective, x, &fx);
    while (status == 0 && step > 1e-9) {
        for (int i = 0; i < n; i++) {
            double move = step * (upper[i] - lower[i]) * (2 * uniform(&state) - 1);
            y[i] = x[i] + move < lower[i] ? lower[i] : x[i] + move > upper[i] ? upper[i] : x[i] + move;
        }
        status = evaluate(objective, y, &fy);
        if (status == 0 && fy < fx) {
            memcpy(x, y, n * sizeof *x);
            fx = fy;
            step *= 1.5;
        } else {
            step *= 0.95;
        }
    }
    free(x);
    return status;
}
