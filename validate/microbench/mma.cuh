// One matrix instruction of each kind, with accumulators of its own.
#pragma once
#include "clock.cuh"

struct Mma16816F32 {
  float d[4];
  __device__ void operator()(const unsigned (&a)[4], unsigned b0, unsigned b1) { mma(d, a, b0, b1); }
};
struct Mma16816F16 {
  unsigned d[2];
  __device__ void operator()(const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
};
struct Mma1688F32 {
  float d[4];
  __device__ void operator()(const unsigned (&a)[4], unsigned b0, unsigned) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b0));
  }
};
