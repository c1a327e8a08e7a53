// CUB over arrays: reductions, scans, histograms, selection.
#include <cstdint>
#include <string>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>

#include "recorder.h"

struct IsOdd {
    __device__ bool operator()(uint32_t x) const { return x & 1; }
};

// CUB is asked twice: how much temporary storage it needs, and to run with it.
template <class Call> void twice(const char* name, int count, Call call) {
    begin((std::string(name) + "/" + std::to_string(count)).c_str());
    size_t bytes = 0;
    call(nullptr, bytes);
    call(zeros(bytes), bytes);
}

void launches() {
    for (int n : {10000, 1 << 20, 1 << 22}) {
        twice("reduce_f32", n, [=, in = (float*)nullptr, out = (float*)nullptr](void* temp, size_t& bytes) mutable {
            if (temp) in = (float*)numbers(4 * n), out = (float*)zeros(4);
            cub::DeviceReduce::Sum(temp, bytes, in, out, n);
        });
    }
    for (int n : {10000, 1 << 20}) {
        twice("minimum_f32", n, [=, in = (float*)nullptr, out = (float*)nullptr](void* temp, size_t& bytes) mutable {
            if (temp) in = (float*)numbers(4 * n), out = (float*)zeros(4);
            cub::DeviceReduce::Reduce(temp, bytes, in, out, n, ::cuda::minimum<>{}, 1e30f);
        });
        twice("inclusive_sum_u32", n, [=, in = (uint32_t*)nullptr, out = (uint32_t*)nullptr](
                                          void* temp, size_t& bytes) mutable {
            if (temp) in = (uint32_t*)bits(4 * n), out = (uint32_t*)zeros(4 * n);
            cub::DeviceScan::InclusiveSum(temp, bytes, in, out, n);
        });
        twice("exclusive_sum_f64", n, [=, in = (double*)nullptr, out = (double*)nullptr](
                                          void* temp, size_t& bytes) mutable {
            if (temp) in = (double*)numbers(8 * n), out = (double*)zeros(8 * n);
            cub::DeviceScan::ExclusiveSum(temp, bytes, in, out, n);
        });
        twice("select_odd_u32", n, [=, in = (uint32_t*)nullptr, out = (uint32_t*)nullptr, found = (int*)nullptr](
                                       void* temp, size_t& bytes) mutable {
            if (temp) in = (uint32_t*)bits(4 * n), out = (uint32_t*)zeros(4 * n), found = (int*)zeros(4);
            cub::DeviceSelect::If(temp, bytes, in, out, found, n, IsOdd{});
        });
        twice("histogram_u8", n, [=, in = (uint8_t*)nullptr, out = (int*)nullptr](void* temp, size_t& bytes) mutable {
            if (temp) in = (uint8_t*)bits(n), out = (int*)zeros(4 * 256);
            cub::DeviceHistogram::HistogramEven(temp, bytes, in, out, 257, 0, 256, n);
        });
        twice("runs_u8", n, [=, in = (uint8_t*)nullptr, out = (uint8_t*)nullptr, length = (int*)nullptr,
                             found = (int*)nullptr](void* temp, size_t& bytes) mutable {
            if (temp) {
                in = (uint8_t*)bits(n), out = (uint8_t*)zeros(n), length = (int*)zeros(4 * n), found = (int*)zeros(4);
            }
            cub::DeviceRunLengthEncode::Encode(temp, bytes, in, out, length, found, n);
        });
    }
}
