// Attention in the common manner: O = softmax(Q K^T / 8) V with f16 operands and head dimension 64. A block of four warps
// takes 64 queries past tiles of 64 keys: cp.async, ldmatrix, mma.sync, a running maximum and a running sum of each row.
#include <cuda_fp16.h>

namespace {

constexpr int DEPTH = 64, PITCH = 72, TILE = 64, THREADS = 128;
constexpr unsigned ALL = ~0u;

__device__ __forceinline__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;"); }

template <int GROUPS> __device__ __forceinline__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS)); }

__device__ __forceinline__ void fetch(half* tile, const half* rows)
{
    for (int i = threadIdx.x; i < TILE * 8; i += THREADS) {
        unsigned to = shared_address(&tile[i / 8 * PITCH + i % 8 * 8]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(rows + i / 8 * DEPTH + i % 8 * 8));
    }
}

__device__ __forceinline__ void load(unsigned* r, const half* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(p)));
}

__device__ __forceinline__ void load_transposed(unsigned* r, const half* p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(p)));
}

__device__ __forceinline__ void mma(float* c, const unsigned* a, unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <int STAGES, bool DIVIDE>
__device__ __forceinline__ void attention(const half* Q, const half* K, const half* V, half* O, int length)
{
    __shared__ half q[TILE * PITCH], k[STAGES][TILE * PITCH], v[STAGES][TILE * PITCH];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, tiles = (length + TILE - 1) / TILE;
    const size_t head = (size_t)blockIdx.y * length * DEPTH, first = (size_t)blockIdx.x * TILE * DEPTH;
    auto fetch_both = [&](int stage, int tile) {
        fetch(k[stage], K + head + (size_t)tile * TILE * DEPTH);
        fetch(v[stage], V + head + (size_t)tile * TILE * DEPTH);
    };
    fetch(q, Q + head + first);
    for (int stage = 0; stage < STAGES - 1; stage++) {
        if (stage < tiles) fetch_both(stage, stage);
        commit();
    }
    float o[8][4] = {}, highest[2] = {-1e30f, -1e30f}, total[2] = {};
    for (int j = 0; j < tiles; j++) {
        const int stage = j % STAGES, next = j + STAGES - 1;
        __syncthreads();
        if (next < tiles) fetch_both(next % STAGES, next);
        commit();
        wait<STAGES - 1>();
        __syncthreads();

        float s[8][4] = {};
        for (int depth = 0; depth < DEPTH; depth += 16) {
            unsigned a[4], b[4];
            load(a, &q[(warp * 16 + lane % 16) * PITCH + depth + lane / 16 * 8]);
            for (int n = 0; n < 4; n++) {
                load(b, &k[stage][(n * 16 + lane % 8 + lane / 16 * 8) * PITCH + depth + lane / 8 % 2 * 8]);
                mma(s[2 * n], a, b[0], b[1]);
                mma(s[2 * n + 1], a, b[2], b[3]);
            }
        }
        for (int half_ = 0; half_ < 2; half_++) {
            float most = highest[half_], sum = 0;
            for (int n = 0; n < 8; n++)
                for (int e = 0; e < 2; e++) {
                    float& x = s[n][2 * half_ + e];
                    x *= 0.125f * 1.44269504f;
                    if (j * TILE + n * 8 + lane % 4 * 2 + e >= length) x = -1e30f;
                    most = fmaxf(most, x);
                }
            most = fmaxf(most, __shfl_xor_sync(ALL, most, 1));
            most = fmaxf(most, __shfl_xor_sync(ALL, most, 2));
            const float scale = exp2f(highest[half_] - most);
            highest[half_] = most;
            for (int n = 0; n < 8; n++)
                for (int e = 0; e < 2; e++) {
                    sum += s[n][2 * half_ + e] = exp2f(s[n][2 * half_ + e] - most);
                    o[n][2 * half_ + e] *= scale;
                }
            total[half_] = total[half_] * scale + sum;
        }
        for (int m = 0; m < 4; m++) {
            unsigned a[4], b[4];
            for (int i = 0; i < 4; i++) {
                const float* x = &s[2 * m + i / 2][i % 2 * 2];
                const half2 pair = __floats2half2_rn(x[0], x[1]);
                a[i] = *(const unsigned*)&pair;
            }
            for (int n = 0; n < 4; n++) {
                load_transposed(b, &v[stage][(m * 16 + lane % 16) * PITCH + n * 16 + lane / 16 * 8]);
                mma(o[2 * n], a, b[0], b[1]);
                mma(o[2 * n + 1], a, b[2], b[3]);
            }
        }
    }
    for (int half_ = 0; half_ < 2; half_++) {
        float sum = total[half_];
        sum += __shfl_xor_sync(ALL, sum, 1);
        sum += __shfl_xor_sync(ALL, sum, 2);
        half* row = O + head + first + (warp * 16 + lane / 4 + 8 * half_) * DEPTH + lane % 4 * 2;
        for (int n = 0; n < 8; n++) {
            const float x = o[n][2 * half_], y = o[n][2 * half_ + 1];
            *(half2*)(row + n * 8) = DIVIDE ? __floats2half2_rn(x / sum, y / sum)
                                            : __floats2half2_rn(x * __frcp_rn(sum), y * __frcp_rn(sum));
        }
    }
}

}  // namespace

extern "C" __global__ void attention1(const half* Q, const half* K, const half* V, half* O, int length)
{
    attention<1, true>(Q, K, V, O, length);
}

extern "C" __global__ void attention2(const half* Q, const half* K, const half* V, half* O, int length)
{
    attention<2, true>(Q, K, V, O, length);
}

extern "C" __global__ void attention2_reciprocal(const half* Q, const half* K, const half* V, half* O, int length)
{
    attention<2, false>(Q, K, V, O, length);
}
