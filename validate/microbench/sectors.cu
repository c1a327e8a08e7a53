// Stores of whole sectors, each `apart` bytes from the one before: what L2 keeps of a line of which it has a part, and what
// it costs to write such a line to DRAM. Two lanes write a sector; a warp's next instruction is `step` bytes further.
#include "clock.cuh"

extern "C" __global__ void store_sectors(unsigned *times, char *data, int count, int apart, int step, int own) {
  const unsigned lane = threadIdx.x & 31;
  char *at = data + static_cast<size_t>(warp_index()) * own + lane / 2 * apart + lane % 2 * 16;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 4
  for (int i = 0; i < count; ++i, at += step) *reinterpret_cast<uint4 *>(at) = make_uint4(i, i, i, i);
  keep(times, start, now());
}
