// When an SM is done whose warps add `reds` times to one line of all, or to `spread` words of it, and then store `stores` pieces,
// each in a page of its own: drains_1 whole lines, drains_0 a sector of each, by eight lanes.
// drains.csv has sm__cycles_active, the last SM's and the mean of all, and the time of the launch, on an H200 at 1980 MHz, L2 warm,
// one pass. nvcc -arch=sm_90 -cubin; see test_drains.py.
template <int WHOLE>
static __device__ __forceinline__ void drains(char *hot, char *own, int reds, int stores, int spread) {
  const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
#pragma unroll 4
  for (int i = 0; i < reds; ++i) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(hot + lane % spread * 4), "r"(1) : "memory");
#pragma unroll 4
  for (int i = 0; i < stores; ++i)
    if (WHOLE || lane < 8)
      asm volatile("st.global.u32 [%0], %1;" ::"l"(own + (size_t)i * 1048576 + warp * 128u + lane * 4), "r"(reds) : "memory");
}
extern "C" __global__ void drains_0(char *hot, char *own, int reds, int stores, int spread) { drains<0>(hot, own, reds, stores, spread); }
extern "C" __global__ void drains_1(char *hot, char *own, int reds, int stores, int spread) { drains<1>(hot, own, reds, stores, spread); }
