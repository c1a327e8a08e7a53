// Lanes add to words of lines of their own, more blocks than are resident: nvcc -arch=sm_75 -cubin; test_scattered_reds.py.

extern "C" __global__ void scatter(unsigned *words, int rounds) {
  for (int i = 0; i < rounds; ++i) atomicAdd(words + ((threadIdx.x * 64 + i * 2048 + blockIdx.x * 7) & 65535), 1u);
}
