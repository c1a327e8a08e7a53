"""Kernels of public header libraries, instantiated over types: CUB's block and warp primitives, libcu++, CUTLASS."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["cub_sources", "cutlass_sources"]

_CUB = """\
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cuda/std/complex>
#include <cuda/std/bit>
#include <cuda/std/limits>
struct Less { template <class T> __device__ bool operator()(T a, T b) const { return a < b; } };
struct Plus { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Apart { template <class T> __device__ bool operator()(T a, T b) const { return a != b; } };

template <class T, int B, int I, cub::BlockReduceAlgorithm A> __global__ void reduce(const T* in, T* out, int n) {
  using R = cub::BlockReduce<T, B, A>; __shared__ typename R::TempStorage s; T v[I];
  cub::LoadDirectStriped<B>(threadIdx.x, in + blockIdx.x * B * I, v, n, T());
  T r = R(s).Reduce(v, Plus()); if (threadIdx.x == 0) out[blockIdx.x] = r; }
template <class T, int B, int I, cub::BlockScanAlgorithm A> __global__ void scan(const T* in, T* out, int n) {
  using S = cub::BlockScan<T, B, A>; using L = cub::BlockLoad<T, B, I, cub::BLOCK_LOAD_WARP_TRANSPOSE>; using W = cub::BlockStore<T, B, I, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union { typename S::TempStorage s; typename L::TempStorage l; typename W::TempStorage w; } u; T v[I];
  L(u.l).Load(in + blockIdx.x * B * I, v, n, T()); __syncthreads(); S(u.s).InclusiveScan(v, v, Plus()); __syncthreads(); W(u.w).Store(out + blockIdx.x * B * I, v, n); }
template <class T, int B, int I, int BITS> __global__ void sort(const T* in, T* out, int begin, int end) {
  using S = cub::BlockRadixSort<T, B, I, int, BITS>; __shared__ typename S::TempStorage s; T v[I]; int w[I];
  cub::LoadDirectBlocked(threadIdx.x, in, v); for (int i = 0; i < I; i++) w[i] = i; S(s).SortBlockedToStriped(v, w, begin, end);
  cub::StoreDirectStriped<B>(threadIdx.x, out, v); for (int i = 0; i < I; i++) out[w[i]] = v[i]; }
template <class T, int B, int I> __global__ void merge(const T* in, T* out) {
  using S = cub::BlockMergeSort<T, B, I>; __shared__ typename S::TempStorage s; T v[I];
  cub::LoadDirectBlocked(threadIdx.x, in, v); S(s).Sort(v, Less()); cub::StoreDirectBlocked(threadIdx.x, out, v); }
template <class T, int B, int I> __global__ void flags(const T* in, int* out, T* d) {
  using D = cub::BlockDiscontinuity<T, B>; using A = cub::BlockAdjacentDifference<T, B>; using E = cub::BlockExchange<T, B, I>;
  __shared__ union { typename D::TempStorage d; typename A::TempStorage a; typename E::TempStorage e; } u; T v[I], w[I]; int f[I];
  cub::LoadDirectBlocked(threadIdx.x, in, v); D(u.d).FlagHeads(f, v, Apart()); __syncthreads(); A(u.a).SubtractLeft(v, w, Plus()); __syncthreads();
  E(u.e).BlockedToStriped(w, w); for (int i = 0; i < I; i++) { out[threadIdx.x * I + i] = f[i]; d[threadIdx.x * I + i] = w[i]; } }
template <class T, int W> __global__ void warps(const T* in, T* out, int n) {
  using R = cub::WarpReduce<T, W>; using S = cub::WarpScan<T, W>; __shared__ typename R::TempStorage r[8]; __shared__ typename S::TempStorage s[8];
  int w = threadIdx.x / W & 7; T a = in[threadIdx.x], b, c; c = R(r[w]).Reduce(a, Plus(), n & W); S(s[w]).InclusiveSum(a, b); out[threadIdx.x] = b + c; }
template <class T> __global__ void histogram(const unsigned char* in, T* out) {
  using H = cub::BlockHistogram<unsigned char, 128, 4, 256>; __shared__ typename H::TempStorage s; __shared__ T h[256]; unsigned char v[4];
  cub::LoadDirectBlocked(threadIdx.x, in, v); H(s).Histogram(v, h); for (int i = threadIdx.x; i < 256; i += 128) out[i] = h[i]; }
template <class T> __global__ void complexes(cuda::std::complex<T>* a, const cuda::std::complex<T>* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { auto x = a[i], y = b[i]; a[i] = x * y + x / y; } }
template <class T> __global__ void bits(T* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { T x = a[i]; a[i] = cuda::std::rotl(x, 3) + cuda::std::bit_ceil(x >> 2) + cuda::std::countl_zero(x) + cuda::std::popcount(x) + cuda::std::bit_width(x); } }
"""
_TYPES = ("int", "float", "double")


def cub_sources() -> Iterator[tuple[str, str]]:
    """Yield the name and text of a file for each element type."""
    for kind in _TYPES:
        lines = [_CUB]
        for block in (64, 128, 256):
            for items in (1, 4, 7):
                for how in ("RAKING", "RAKING_COMMUTATIVE_ONLY", "WARP_REDUCTIONS"):
                    lines.append(
                        f"template __global__ void reduce<{kind}, {block}, {items}, cub::BLOCK_REDUCE_{how}>(const {kind}*, {kind}*, int);"
                    )
            for how in ("RAKING", "RAKING_MEMOIZE", "WARP_SCANS"):
                lines.append(
                    f"template __global__ void scan<{kind}, {block}, 5, cub::BLOCK_SCAN_{how}>(const {kind}*, {kind}*, int);"
                )
            lines.append(f"template __global__ void merge<{kind}, {block}, 3>(const {kind}*, {kind}*);")
            lines.append(f"template __global__ void flags<{kind}, {block}, 4>(const {kind}*, int*, {kind}*);")
        lines += [
            f"template __global__ void sort<{kind}, 128, {items}, {radix}>(const {kind}*, {kind}*, int, int);"
            for items, radix in ((1, 4), (6, 4), (4, 5))
        ]
        lines += [f"template __global__ void warps<{kind}, {w}>(const {kind}*, {kind}*, int);" for w in (4, 8, 16, 32)]
        if kind in ("float", "double"):
            lines.append(
                f"template __global__ void complexes<{kind}>(cuda::std::complex<{kind}>*, const cuda::std::complex<{kind}>*, int);"
            )
        if kind == "int":
            lines.append("template __global__ void bits<unsigned>(unsigned*, int);")
            lines.append("template __global__ void histogram<unsigned>(const unsigned char*, unsigned*);")
        yield f"cub_{kind.replace(' ', '_')}", "\n".join(lines)


_CUTLASS = """\
#include <cutlass/gemm/device/gemm.h>
#include <cutlass/epilogue/thread/linear_combination_relu.h>
using namespace cutlass;
using Gemm = gemm::device::Gemm<{a}, layout::{la}, {a}, layout::{lb}, {c}, layout::RowMajor, {acc}, arch::{op}, arch::{arch},
    gemm::GemmShape<{block}>, gemm::GemmShape<{warp}>, gemm::GemmShape<{instr}>,
    epilogue::thread::LinearCombination<{c}, {wide}, {acc}, {acc}>, gemm::threadblock::GemmIdentityThreadblockSwizzle<>, {stages}>;
template __global__ void cutlass::Kernel<Gemm::GemmKernel>(Gemm::GemmKernel::Params);
"""
_GEMMS = (
    # least sm, A and B, C, accumulator, layouts, arch, block, warp, instruction, stages
    (80, "bfloat16_t", "bfloat16_t", "float", "RowMajor", "ColumnMajor", "Sm80", "128, 128, 32", "64, 64, 32", "16, 8, 16", 3),
    (80, "bfloat16_t", "float", "float", "RowMajor", "RowMajor", "Sm80", "64, 64, 32", "32, 32, 32", "16, 8, 16", 4),
    (80, "half_t", "half_t", "half_t", "ColumnMajor", "RowMajor", "Sm80", "128, 64, 64", "64, 32, 64", "16, 8, 16", 3),
    (80, "tfloat32_t", "float", "float", "RowMajor", "ColumnMajor", "Sm80", "64, 128, 16", "32, 64, 16", "16, 8, 8", 3),
    (80, "double", "double", "double", "RowMajor", "ColumnMajor", "Sm80", "64, 64, 16", "32, 32, 16", "8, 8, 4", 3),
    (80, "int8_t", "int32_t", "int32_t", "RowMajor", "ColumnMajor", "Sm80", "128, 128, 64", "64, 64, 64", "16, 8, 32", 3),
    (75, "half_t", "half_t", "float", "RowMajor", "ColumnMajor", "Sm75", "128, 128, 32", "64, 64, 32", "16, 8, 8", 2),
    (75, "int8_t", "int32_t", "int32_t", "RowMajor", "ColumnMajor", "Sm75", "64, 64, 64", "32, 32, 64", "8, 8, 16", 2),
)  # fmt: skip


def cutlass_sources() -> Iterator[tuple[int, str, str]]:
    """Yield the least generation, name and text of a file for each of some GEMMs."""
    for sm, a, c, acc, la, lb, arch, block, warp, instr, stages in _GEMMS:
        size = {"double": 1, "float": 4, "int32_t": 4}.get(c, 8)
        text = _CUTLASS.format(
            a=a, c=c, acc=acc, la=la, lb=lb, op="OpClassTensorOp", arch=arch, block=block, warp=warp, instr=instr,
            wide=size, stages=stages,
        )  # fmt: skip
        yield sm, f"cutlass_{a}_{acc}_{arch}_{stages}".lower(), text
