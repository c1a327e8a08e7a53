// CUB's radix sort and merge sort.
#include <cstdint>
#include <string>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "recorder.h"

struct Less {
    __device__ bool operator()(uint32_t a, uint32_t b) const { return a < b; }
};

void launches() {
    for (int n : {2000, 1 << 18}) {
        begin(("radix_sort_u32/" + std::to_string(n)).c_str());
        size_t bytes = 0;
        auto *in = (uint32_t*)bits(4 * n), *out = (uint32_t*)zeros(4 * n);
        cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, n);
        cub::DeviceRadixSort::SortKeys(zeros(bytes), bytes, in, out, n);
    }
    int n = 1 << 17;
    begin(("merge_sort_u32/" + std::to_string(n)).c_str());
    size_t bytes = 0;
    auto* keys = (uint32_t*)bits(4 * n);
    cub::DeviceMergeSort::SortKeys(nullptr, bytes, keys, n, Less{});
    cub::DeviceMergeSort::SortKeys(zeros(bytes), bytes, keys, n, Less{});
}
