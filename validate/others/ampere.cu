// CUTLASS GEMMs that copy with cp.async in several stages, as Ampere runs them.
#include "gemms.cuh"

#include <cutlass/gemm/device/gemm_splitk_parallel.h>

using cutlass::gemm::device::GemmSplitKParallel;

void launches() {
    using A = TensorGemm<half_t, Row, Column, float, float, Sm80, Tile<128, 128, 32>, Tile<64, 64, 32>,
                         Tile<16, 8, 16>, 4, 4>;
    gemm<A>("ampere_f16_f32_128x128x32x4", 128, 128, 1024);
    gemm<A>("ampere_f16_f32_128x128x32x4", 1024, 1024, 1024);
    gemm<A>("ampere_f16_f32_128x128x32x4", 2048, 2048, 2048);
    using B = TensorGemm<half_t, Row, Row, half_t, half_t, Sm80, Tile<256, 128, 32>, Tile<64, 64, 32>,
                         Tile<16, 8, 16>, 8, 3>;
    gemm<B>("ampere_f16_f16_256x128x32x3", 1024, 1024, 512);
    gemm<B>("ampere_f16_f16_256x128x32x3", 2048, 2048, 1024);
    using C = TensorGemm<half_t, Column, Row, float, float, Sm80, Tile<64, 64, 64>, Tile<32, 32, 64>,
                         Tile<16, 8, 16>, 4, 5>;
    gemm<C>("ampere_f16_f32_64x64x64x5_nt", 512, 512, 2048);
    using D = TensorGemm<bfloat16_t, Row, Column, bfloat16_t, float, Sm80, Tile<128, 256, 32>, Tile<64, 64, 32>,
                         Tile<16, 8, 16>, 8, 3>;
    gemm<D>("ampere_bf16_f32_128x256x32x3", 512, 512, 512);
    gemm<D>("ampere_bf16_f32_128x256x32x3", 2048, 2048, 1024);
    using E = TensorGemm<tfloat32_t, Row, Column, float, float, Sm80, Tile<128, 128, 16>, Tile<64, 64, 16>,
                         Tile<16, 8, 8>, 4, 4>;
    gemm<E>("ampere_tf32_f32_128x128x16x4", 512, 512, 512);
    gemm<E>("ampere_tf32_f32_128x128x16x4", 1024, 1024, 1024);
    using F = TensorGemm<int8_t, Row, Column, int32_t, int32_t, Sm80, Tile<128, 128, 64>, Tile<64, 64, 64>,
                         Tile<16, 8, 32>, 4, 3>;
    gemm<F>("ampere_s8_s32_128x128x64x3", 1024, 1024, 1024);
    gemm<F>("ampere_s8_s32_128x128x64x3", 2048, 2048, 2048);
    using G = TensorGemm<half_t, Row, Column, float, float, Sm80, Tile<64, 128, 32>, Tile<32, 64, 32>,
                         Tile<16, 8, 16>, 4, 3, 8, 8, true>;
    gemm<G>("ampere_f16_f32_64x128x32x3_serial", 256, 256, 4096, 8);
    using H = GemmSplitKParallel<half_t, Row, half_t, Column, float, Row, float, OpClassTensorOp, Sm80,
                                 Tile<128, 128, 32>, Tile<64, 64, 32>, Tile<16, 8, 16>, Linear<float, float, 4>>;
    gemm<H>("ampere_f16_f32_128x128x32_parallel", 256, 256, 4096, 16);
}
