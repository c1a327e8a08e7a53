// Which lines are of one slice of L2: all SMs add five times to one line, then each loads another; one that comes late is
// of the same slice (as that of the other half, for SMs near that one). Behind 16 RED at it, loads from all slices of its
// stack of memory come late. Of an array of 8 GiB: so many lines at its beginning, others anywhere in it.
// slice_lines.csv has the lines 256 bytes apart of the first MiB, 2,048 lines anywhere (in 128 bytes), each with the number
// of its slice in the order in which they were found, and of each slice the number of its stack.
// nvcc -arch=sm_90 -O2; slice_lines 16384 16384 64 FILE, on an H200, 32768 65536 64 FILE on an H100; see test_slices.py.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cstdint>
#include <algorithm>
#define CK(x) do{cudaError_t e=(x); if(e){printf("cuda %s %d\n",cudaGetErrorString(e),__LINE__);exit(1);}}while(0)
__global__ void half_of_sm(unsigned *line, unsigned *out, int want) {
  unsigned sm; asm("mov.u32 %0, %%smid;" : "=r"(sm));
  if (sm != want || threadIdx.x) return;
  unsigned best = 1 << 30;
  for (int k = 0; k < 6; k++) { unsigned s = clock(); unsigned v = atomicAdd(line, 1u); unsigned e = clock() + (v == 0xffffffff); if (e - s < best) best = e - s; }
  out[sm] = best;
}
__global__ void touch(char **at, int n, unsigned *out) {
  unsigned sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) { unsigned v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at[i]) : "memory"); sum += v; }
  if (sum == 77777) out[0] = 1;
}
// half[sm], index[sm]: tester number within its half; each tests candidate base+index
__global__ void probe(char *hot, char **at, int n, const int *half, const int *index, unsigned short *out0, unsigned short *out1, int reds, int first) {
  unsigned sm; asm("mov.u32 %0, %%smid;" : "=r"(sm));
  const unsigned lane = threadIdx.x;
  const int mine = first + index[sm], h = half[sm];
  char *b = at[mine < n ? mine : 0];
  __syncwarp();
  for (int j = 0; j < reds; ++j) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(hot + lane * 4), "r"(1) : "memory");
  unsigned start = clock(), more;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(more) : "l"(b) : "memory");
  if (more == 77777) return;
  unsigned lat = clock() - start;
  if (lane == 0 && mine < n) (h ? out1 : out0)[mine] = lat > 65535 ? 65535 : lat;
}
int main(int argc, char **argv) {
  char *base; size_t size = (size_t)8 << 30; CK(cudaMalloc(&base, size)); CK(cudaMemset(base, 0, size));
  cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int sms = p.multiProcessorCount;
  unsigned *o; CK(cudaMalloc(&o, 4096)); CK(cudaMemset(o, 0, 4096));
  for (int s = 0; s < sms; s++) half_of_sm<<<4 * sms, 32>>>((unsigned *)base, o, s);
  std::vector<unsigned> lat(sms); CK(cudaMemcpy(lat.data(), o, 4 * sms, cudaMemcpyDeviceToHost));
  std::vector<int> half(sms), index(sms); int cnt[2] = {0, 0};
  for (int s = 0; s < sms; s++) { half[s] = lat[s] > 390; index[s] = cnt[half[s]]++; }
  printf("base %p sms %d halves %d %d\nlat", base, sms, cnt[0], cnt[1]); for (auto l : lat) printf(" %u", l); printf("\n");
  int per = std::min(cnt[0], cnt[1]);
  std::vector<size_t> off;
  int cont = atoi(argv[1]), rnd = atoi(argv[2]), secs = atoi(argv[3]); const char *file = argv[4];
  for (int i = 0; i < cont; i++) off.push_back((size_t)128 * i);
  uint64_t x = 88172645463325252ull;
  for (int i = 0; i < rnd; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; off.push_back(((x >> 11) % (size >> 7)) << 7); }
  for (int i = 0; i < secs; i++) for (int s = 1; s < 4; s++) off.push_back((size_t)128 * i + 32 * s);
  int n = off.size();
  std::vector<int> cls0(n, -1), cls1(n, -1);
  int *dh, *di; CK(cudaMalloc(&dh, 4 * sms)); CK(cudaMalloc(&di, 4 * sms));
  CK(cudaMemcpy(dh, half.data(), 4 * sms, cudaMemcpyHostToDevice)); CK(cudaMemcpy(di, index.data(), 4 * sms, cudaMemcpyHostToDevice));
  char **d; unsigned short *o0, *o1; CK(cudaMalloc(&d, 8 * n)); CK(cudaMalloc(&o0, 2 * n)); CK(cudaMalloc(&o1, 2 * n));
  std::vector<char *> a(n); std::vector<unsigned short> h0(n), h1(n);
  auto pass = [&](size_t hot, std::vector<int> &who, int reds) {
    int m = who.size(); for (int i = 0; i < m; i++) a[i] = base + off[who[i]];
    CK(cudaMemcpy(d, a.data(), 8 * m, cudaMemcpyHostToDevice));
    CK(cudaMemset(o0, 0, 2 * m)); CK(cudaMemset(o1, 0, 2 * m));
    for (int k = 0; k < 1; k++) touch<<<2 * sms, 1024>>>(d, m, o);
    for (int f = 0; f < m; f += per) probe<<<sms, 32>>>(base + hot, d, m, dh, di, o0, o1, reds, f);
    CK(cudaMemcpy(h0.data(), o0, 2 * m, cudaMemcpyDeviceToHost)); CK(cudaMemcpy(h1.data(), o1, 2 * m, cudaMemcpyDeviceToHost));
  };
  std::vector<int> all(n); for (int i = 0; i < n; i++) all[i] = i;
  int reds = 5; unsigned cut = 900;
  std::vector<int> reps; int from = 0;
  while (from < n && reps.size() < 160) {
    if (cls0[from] >= 0 || cls1[from] >= 0) { from++; continue; }
    int r = reps.size(); reps.push_back(from);
    std::vector<int> who; for (int i = 0; i < n; i++) if (cls0[i] < 0 || cls1[i] < 0) who.push_back(i);
    pass(off[from], who, reds);
    if (r < 3) { // histogram
      int hist[2][32] = {}; for (size_t i = 0; i < who.size(); i++) { hist[0][std::min(31, h0[i] / 150)]++; hist[1][std::min(31, h1[i] / 150)]++; }
      for (int k = 0; k < 2; k++) { printf("rep %d view %d:", r, k); for (int j = 0; j < 32; j++) printf(" %d", hist[k][j]); printf("\n"); }
    }
    std::vector<int> sus; for (size_t i = 0; i < who.size(); i++) if (h0[i] > cut || h1[i] > cut) sus.push_back(who[i]);
    std::vector<int> yes0(n, 0), yes1(n, 0);
    for (int k = 0; k < 3; k++) { pass(off[from], sus, reds); for (size_t i = 0; i < sus.size(); i++) { yes0[sus[i]] += h0[i] > cut; yes1[sus[i]] += h1[i] > cut; } }
    int c0 = 0, c1 = 0;
    for (int i : sus) { if (yes0[i] >= 2 && cls0[i] < 0) { cls0[i] = r; c0++; } if (yes1[i] >= 2 && cls1[i] < 0) { cls1[i] = r; c1++; } }
    printf("rep %d off %zu: %zu suspects, %d %d\n", r, off[from], sus.size(), c0, c1);
    from++;
  }
  FILE *f = fopen(file, "wb"); int head[3] = {n, (int)reps.size(), cont}; fwrite(head, 4, 3, f); fwrite(off.data(), 8, n, f); fwrite(cls0.data(), 4, n, f); fwrite(cls1.data(), 4, n, f); fwrite(reps.data(), 4, reps.size(), f);
  int R = reps.size(); std::vector<unsigned short> m0(R * R), m1(R * R);  // stacks: 16 RED at each, loads of the others
  for (int r = 0; r < R; r++) { pass(off[reps[r]], reps, 16); for (int i = 0; i < R; i++) m0[r * R + i] = h0[i], m1[r * R + i] = h1[i]; }
  fwrite(m0.data(), 2, R * R, f); fwrite(m1.data(), 2, R * R, f); fclose(f);
  return cudaGetLastError();
}
