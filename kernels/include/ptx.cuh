// The PTX instructions that CUDA C++ has no name for, each as a function of the same name.
#pragma once

#include <cuda_fp16.h>

__device__ inline unsigned shared_address(const void* pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Every 8 lanes give the addresses of the 8 rows of one 8 x 8 matrix; register i of lane l then holds elements
// 2 (l % 4) and 2 (l % 4) + 1 of row l / 4 of matrix i, or of its column l / 4 where the matrix is transposed.
__device__ inline void ldmatrix(unsigned (&r)[2], const void* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(shared_address(row)));
}

__device__ inline void ldmatrix(unsigned (&r)[4], const void* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}

__device__ inline void ldmatrix_trans(unsigned (&r)[4], const void* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}

__device__ inline unsigned& bits(half2& x) { return reinterpret_cast<unsigned&>(x); }

// D += A * B. Lane l holds of D the columns 2 (l % 4) and 2 (l % 4) + 1 of rows l / 4 (d[0]) and l / 4 + 8 (d[1]).
__device__ inline void mma_m16n8k8(float2 (&d)[2], const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(d[0].x), "+f"(d[0].y), "+f"(d[1].x), "+f"(d[1].y)
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

__device__ inline void mma_m16n8k8(half2 (&d)[2], const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                 : "+r"(bits(d[0])), "+r"(bits(d[1]))
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

#if __CUDA_ARCH__ >= 800
__device__ inline void mma_m16n8k16(float2 (&d)[2], const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0].x), "+f"(d[0].y), "+f"(d[1].x), "+f"(d[1].y)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ inline void mma_m16n8k16(half2 (&d)[2], const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                 : "+r"(bits(d[0])), "+r"(bits(d[1]))
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 16 bytes from global to shared memory past the registers; a group is waited for as a whole.
__device__ inline void cp_async(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

__device__ inline void cp_async_commit_group() { asm volatile("cp.async.commit_group;"); }

template <int PENDING>
__device__ void cp_async_wait_group()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}
#endif

// The rest of what ldmatrix can do: one matrix, and two or one transposed.
__device__ inline void ldmatrix(unsigned (&r)[1], const void* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(shared_address(row)));
}

__device__ inline void ldmatrix_trans(unsigned (&r)[1], const void* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(shared_address(row)));
}

__device__ inline void ldmatrix_trans(unsigned (&r)[2], const void* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(shared_address(row)));
}

#if __CUDA_ARCH__ >= 800
__device__ inline void mma_m16n8k16_bf16(float2 (&d)[2], const unsigned* a, const unsigned* b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0].x), "+f"(d[0].y), "+f"(d[1].x), "+f"(d[1].y)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif
