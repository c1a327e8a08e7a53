// CUTLASS GEMMs of two stages, as Turing runs them.
#include "gemms.cuh"

void launches() {
    using A = TensorGemm<half_t, Row, Column, float, float, Sm75, Tile<128, 128, 32>, Tile<64, 64, 32>,
                         Tile<16, 8, 8>, 4, 2>;
    gemm<A>("turing_f16_f32_128x128x32", 256, 256, 256);
    gemm<A>("turing_f16_f32_128x128x32", 1024, 1024, 1024);
    using B = TensorGemm<half_t, Column, Row, half_t, half_t, Sm75, Tile<64, 64, 32>, Tile<32, 32, 32>,
                         Tile<16, 8, 8>, 8, 2>;
    gemm<B>("turing_f16_f16_64x64x32_nt", 128, 128, 512);
    gemm<B>("turing_f16_f16_64x64x32_nt", 1024, 512, 768);
    using C = TensorGemm<int8_t, Row, Column, int32_t, int32_t, Sm75, Tile<128, 64, 64>, Tile<64, 32, 64>,
                         Tile<8, 8, 16>, 4, 2>;
    gemm<C>("turing_s8_s32_128x64x64", 512, 512, 512);
    gemm<C>("turing_s8_s32_128x64x64", 1024, 1024, 2048);
}
