// CUTLASS GEMMs outside the tensor cores, of doubles on them, and a product of a matrix and a vector.
#include "gemms.cuh"

#include <cutlass/gemm/device/gemv.h>
#include <cutlass/gemm/kernel/gemv.h>

using cutlass::gemm::device::Gemm;

void launches() {
    using A = Gemm<float, Row, float, Column, float, Row, float, OpClassSimt, Sm75, Tile<128, 128, 8>,
                   Tile<32, 64, 8>, Tile<1, 1, 1>, Linear<float, float, 1>, Tiles, 2>;
    gemm<A>("simt_f32_128x128x8", 256, 256, 512);
    gemm<A>("simt_f32_128x128x8", 1024, 1024, 512);
    using B = Gemm<float, Column, float, Row, float, Row, float, OpClassSimt, Sm80, Tile<64, 64, 8>,
                   Tile<32, 32, 8>, Tile<1, 1, 1>, Linear<float, float, 1>, Tiles, 4>;
    gemm<B>("simt_f32_64x64x8x4_nt", 512, 512, 512);
    using C = Gemm<double, Column, double, Row, double, Row, double, OpClassSimt, Sm75, Tile<64, 32, 8>,
                   Tile<32, 16, 8>, Tile<1, 1, 1>, Linear<double, double, 1>, Tiles, 2>;
    gemm<C>("simt_f64_64x32x8", 256, 256, 256);
    using D = Gemm<double, Row, double, Column, double, Row, double, OpClassTensorOp, Sm80, Tile<64, 64, 16>,
                   Tile<32, 32, 16>, Tile<8, 8, 4>, Linear<double, double, 1>, Tiles, 3>;
    gemm<D>("ampere_f64_f64_64x64x16x3", 512, 512, 512);

    using Kernel = cutlass::gemm::kernel::Gemv<half_t, Row, half_t, half_t, float, Linear<half_t, float, 1>, 8>;
    for (int size : {1024, 4096}) {
        std::string program = "gemv_f16/" + std::to_string(size);
        begin(program.c_str());
        auto* a = static_cast<half_t*>(numbers(2 * size * size));
        auto* x = static_cast<half_t*>(numbers(2 * size));
        auto* y = static_cast<half_t*>(numbers(2 * size));
        auto* z = static_cast<half_t*>(zeros(2 * size));
        cutlass::gemm::device::Gemv<Kernel> made;
        require(made({{size, size}, 1, {1.0f, 1.0f}, {a, size}, x, y, z, int64_t(size) * size, size, size, size}), program);
    }
}
