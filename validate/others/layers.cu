// CUTLASS's kernels around GEMMs: normalizations, a change of layout, pooling.
#include "gemms.cuh"

#include <cfloat>

#include <cutlass/util/device_layernorm.h>
#include <cutlass/util/device_nchw_to_nhwc.h>
#include <cutlass/util/device_nhwc_pooling.h>
#include <cutlass/util/device_rmsnorm.h>

void launches() {
    auto half = [](void* at) { return static_cast<half_t*>(at); };
    for (int rows : {64, 2048}) {
        int columns = rows == 64 ? 4096 : 1024;
        std::string size = std::to_string(rows) + "x" + std::to_string(columns);
        begin(("layernorm_f16/" + size).c_str());
        half_t *in = half(numbers(2 * rows * columns)), *gamma = half(numbers(2 * columns));
        half_t *beta = half(numbers(2 * columns)), *out = half(zeros(2 * rows * columns));
        cutlass::layernorm<half_t>({rows, columns}, {out, columns}, {in, columns}, {gamma, columns}, {beta, columns}, 0);
        begin(("rmsnorm_f16/" + size).c_str());
        in = half(numbers(2 * rows * columns)), gamma = half(numbers(2 * columns)), out = half(zeros(2 * rows * columns));
        cutlass::rmsnorm<half_t>({rows, columns}, {out, columns}, {in, columns}, {gamma, columns}, 0);
    }
    for (int side : {28, 56}) {
        int channels = 256, batch = 4;
        size_t bytes = size_t(2) * batch * channels * side * side;
        std::string size = std::to_string(batch) + "x" + std::to_string(channels) + "x" + std::to_string(side);
        begin(("nchw_to_nhwc_f16/" + size).c_str());
        cutlass::Tensor4DCoord from(batch, side, channels, side), to(batch, side, side, channels);  // as it asserts
        half_t *in = half(numbers(bytes)), *out = half(zeros(bytes));
        cutlass::nchw_to_nhwc<half_t>(
            from, to, {in, cutlass::layout::TensorNCHW::packed(from)}, {out, cutlass::layout::TensorNHWC::packed(to)}, 0);
    }
    begin("pooling_f16/8x28x256");
    cutlass::Tensor4DCoord from(8, 28, 28, 256), to(8, 14, 14, 256), window(2, 2, 2, 2);
    half_t *in = half(numbers(2 * from.product())), *out = half(zeros(2 * to.product()));
    cutlass::pooling_nhwc<half_t>(
        from, window, to, cutlass::Tensor4DCoord(0, 0, 0, 0), cutlass::MatrixCoord(2, 2),
        {in, cutlass::layout::TensorNHWC::packed(from)}, {out, cutlass::layout::TensorNHWC::packed(to)}, 1, 0);
}
