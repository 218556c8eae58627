// Not compiled: what the explanation quotes in explain_test.cpp.

































































  // Line 67.
  for (int i = first; i < part; i += stride) {
    load(tile);
    sum(tile);
    __syncthreads();
  }
  publish();
