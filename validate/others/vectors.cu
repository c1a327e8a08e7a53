// Thrust over arrays: transformations, reductions, gathers.
#include <string>

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include "recorder.h"

struct Scaled {
    float by;
    __host__ __device__ float operator()(float x, float y) const { return by * x + y; }
};

struct Squared {
    __host__ __device__ float operator()(float x) const { return x * x; }
};

struct Sigmoid {
    __host__ __device__ float operator()(float x) const { return 1.0f / (1.0f + expf(-x)); }
};

void launches() {
    for (int n : {5000, 1 << 20}) {
        std::string size = "/" + std::to_string(n);
        auto floats = [](void* at) { return thrust::device_pointer_cast((float*)at); };
        begin(("axpy_f32" + size).c_str());
        auto x = floats(numbers(4 * n)), y = floats(numbers(4 * n)), z = floats(zeros(4 * n));
        thrust::transform(thrust::device, x, x + n, y, z, Scaled{2.0f});
        begin(("sigmoid_f32" + size).c_str());
        x = floats(numbers(4 * n)), z = floats(zeros(4 * n));
        thrust::transform(thrust::device, x, x + n, z, Sigmoid{});
        begin(("sum_of_squares_f32" + size).c_str());
        x = floats(numbers(4 * n));
        thrust::transform_reduce(thrust::device, x, x + n, Squared{}, 0.0f, thrust::plus<float>());
        begin(("gather_f32" + size).c_str());
        auto places = thrust::device_pointer_cast((int*)zeros(4 * n));
        x = floats(numbers(4 * n)), z = floats(zeros(4 * n));
        thrust::sequence(thrust::device, places, places + n, 0);
        thrust::gather(thrust::device, places, places + n, x, z);
    }
}
