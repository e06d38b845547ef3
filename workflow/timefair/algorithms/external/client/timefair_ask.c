/* The objective of timefair_serve.m, compiled: value = timefair_ask(x). See octave.py. */
#include <stdio.h>
#include <stdlib.h>

#include "mex.h"

void mexFunction(int outputs, mxArray *output[], int inputs, const mxArray *input[]) {
  static FILE *requests, *answers;
  static char line[64];
  mxArray *x = (mxArray *)input[0];
  if (inputs != 1 || mxIsComplex(x)) {
    mexErrMsgTxt("the objective needs one array of real numbers");
  }
  if (!mxIsDouble(x)) {
    mexCallMATLAB(1, &x, 1, &x, "double");
  }
  if (mxIsSparse(x)) {
    mexCallMATLAB(1, &x, 1, &x, "full");
  }
  if (requests == NULL) {
    mexLock(); /* "clear all" would forget the streams */
    requests = fdopen(3, "w");
    answers = fdopen(4, "r");
  }
  for (size_t i = 0; i < mxGetNumberOfElements(x); i++) {
    fprintf(requests, "%.17g ", mxGetPr(x)[i]);
  }
  fputc('\n', requests);
  fflush(requests);
  if (fgets(line, sizeof line, answers) == NULL) {
    mexEvalString("exit(0)"); /* timefair has ended the launch */
  }
  output[0] = mxCreateDoubleScalar(strtod(line, NULL));
}
