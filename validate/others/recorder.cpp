// A CUDA runtime without a GPU: it launches nothing, and writes down what a library's host code asks it to launch.
//
// A library chooses grids, shared memory and parameters in host code that asks the runtime about the chip. This runtime
// answers as an H200 does. It is linked in place of NVIDIA's, so that the host code runs anywhere and every launch of it,
// parameter bytes included, becomes a line of JSON. Addresses are made up, such as no count or number looks like, and
// simtc/validate/recorded.py puts in their places where the buffers lie.
//
//   RECORDER KERNELS >launches.jsonl     KERNELS has a line a kernel: name, registers, shared bytes, sizes of parameters

#include "recorder.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#define RUNTIME extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kSms = 132, kSharedOfSm = 233472, kSharedOfBlock = 232448, kReserved = 1024, kRegistersOfSm = 65536;
// Where the first buffer begins; each next one 1 << 40 behind. Both halves are unusual: padding of a struct may hold half a
// pointer, beside a number.
constexpr uint64_t kFirst = 0x5EB00000A0000000;
constexpr int kWarpsOfSm = 64, kBlocksOfSm = 32, kRegisterUnit = 256, kL2Bytes = 62914560;

struct Facts {
    int registers = 0;
    int shared = 0;
    std::vector<int> parameters;
};

struct Call {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};

std::map<std::string, Facts>& facts() { static std::map<std::string, Facts> all; return all; }
std::map<const void*, std::string>& names() { static std::map<const void*, std::string> all; return all; }
std::vector<Call>& calls() { static std::vector<Call> all; return all; }
uint64_t buffers = 0;

const Facts& of(const void* function) { return facts()[names()[function]]; }

void* buffer(size_t bytes, const char* contents) {
    uint64_t address = kFirst + (buffers++ << 40);
    std::cout << "{\"step\": \"buffer\", \"address\": " << address << ", \"bytes\": " << bytes << ", \"contents\": \""
              << contents << "\"}\n";
    return reinterpret_cast<void*>(address);
}

std::string shape(dim3 d) {
    std::ostringstream text;
    text << "[" << d.x << ", " << d.y << ", " << d.z << "]";
    return text.str();
}

cudaError_t record(const void* function, const Call& call, void** arguments) {
    const char* digits = "0123456789abcdef";
    std::cout << "{\"step\": \"launch\", \"kernel\": \"" << names()[function] << "\", \"grid\": " << shape(call.grid)
              << ", \"block\": " << shape(call.block) << ", \"shared_bytes\": " << call.shared << ", \"parameters\": [";
    const auto& sizes = of(function).parameters;
    for (size_t i = 0; i < sizes.size(); ++i) {
        std::cout << (i ? ", \"" : "\"");
        for (int k = 0; k < sizes[i]; ++k) {
            uint8_t byte = static_cast<uint8_t*>(arguments[i])[k];
            std::cout << digits[byte >> 4] << digits[byte & 15];
        }
        std::cout << "\"";
    }
    std::cout << "]}\n";
    return cudaSuccess;
}

cudaError_t copied(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    if (kind == cudaMemcpyHostToHost) {
        std::memcpy(to, from, bytes);
    } else if (kind == cudaMemcpyDeviceToHost) {
        std::memset(to, 0, bytes);  // nothing was computed
    } else if (kind == cudaMemcpyDeviceToDevice) {
        std::cout << "{\"step\": \"copy\", \"to\": " << reinterpret_cast<uint64_t>(to)
                  << ", \"from\": " << reinterpret_cast<uint64_t>(from) << ", \"bytes\": " << bytes << "}\n";
    } else {
        std::cerr << "a copy from the host is not recorded: use numbers, bits or zeros\n";
        return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

// Warps get registers in units of 256, and shared memory of a block has 1 KiB on top.
int resident(const Facts& one, int threads, size_t dynamic) {
    int warps = (threads + 31) / 32;
    int of_warp = (one.registers * 32 + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
    int by_registers = of_warp ? kRegistersOfSm / 4 / of_warp * 4 / warps : kBlocksOfSm;
    int by_shared = kSharedOfSm / ((one.shared + static_cast<int>(dynamic) + kReserved + 127) / 128 * 128);
    return std::min({kBlocksOfSm, kWarpsOfSm / warps, by_registers, by_shared});
}

}  // namespace

void begin(const char* program) {
    buffers = 0;
    std::cout << "{\"step\": \"program\", \"name\": \"" << program << "\"}\n";
}

void* numbers(size_t bytes) { return buffer(bytes, "numbers"); }
void* bits(size_t bytes) { return buffer(bytes, "bits"); }
void* zeros(size_t bytes) { return buffer(bytes, "zeros"); }

int main(int, char** given) {
    std::ifstream table(given[1]);
    for (std::string line; std::getline(table, line);) {
        std::istringstream words(line);
        std::string name;
        Facts one;
        words >> name >> one.registers >> one.shared;
        for (int size; words >> size;) one.parameters.push_back(size);
        facts()[name] = one;
    }
    launches();
}

RUNTIME void** __cudaRegisterFatBinary(void*) { static void* handle; return &handle; }
RUNTIME void __cudaRegisterFatBinaryEnd(void**) {}
RUNTIME void __cudaUnregisterFatBinary(void**) {}
RUNTIME void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
RUNTIME char __cudaInitModule(void**) { return 0; }

RUNTIME void __cudaRegisterFunction(
    void**, const char* function, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
    names()[function] = name;
}

RUNTIME unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    calls().push_back({grid, block, shared, stream});
    return 0;
}

RUNTIME cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
    Call call = calls().back();
    calls().pop_back();
    *grid = call.grid, *block = call.block, *shared = call.shared;
    *static_cast<cudaStream_t*>(stream) = call.stream;
    return cudaSuccess;
}

RUNTIME cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
    return cudaSuccess;
}

RUNTIME cudaError_t cudaLaunchKernel(
    const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream) {
    return record(function, {grid, block, shared, stream}, arguments);
}

RUNTIME cudaError_t __cudaLaunchKernel(
    cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream) {
    return record(reinterpret_cast<const void*>(kernel), {grid, block, shared, stream}, arguments);
}

RUNTIME cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* how, const void* function, void** arguments) {
    return record(function, {how->gridDim, how->blockDim, how->dynamicSmemBytes, how->stream}, arguments);
}

RUNTIME cudaError_t cudaMalloc(void** pointer, size_t bytes) { *pointer = zeros(bytes); return cudaSuccess; }
RUNTIME cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t) { return cudaMalloc(pointer, bytes); }
RUNTIME cudaError_t cudaFree(void*) { return cudaSuccess; }
RUNTIME cudaError_t cudaFreeAsync(void*, cudaStream_t) { return cudaSuccess; }

RUNTIME cudaError_t cudaMemsetAsync(void* at, int value, size_t bytes, cudaStream_t) {
    std::cout << "{\"step\": \"set\", \"to\": " << reinterpret_cast<uint64_t>(at) << ", \"value\": " << (value & 255)
              << ", \"bytes\": " << bytes << "}\n";
    return cudaSuccess;
}

RUNTIME cudaError_t cudaMemset(void* at, int value, size_t bytes) { return cudaMemsetAsync(at, value, bytes, nullptr); }

RUNTIME cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
    return copied(to, from, bytes, kind);
}

RUNTIME cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return copied(to, from, bytes, kind);
}

RUNTIME cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = kSms; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = kSharedOfBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = 49152; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = kSharedOfSm; break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = kReserved; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 32 * kWarpsOfSm; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = kBlocksOfSm; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: case cudaDevAttrMaxRegistersPerBlock: *value = kRegistersOfSm; break;
    case cudaDevAttrMaxThreadsPerBlock: case cudaDevAttrMaxBlockDimX: case cudaDevAttrMaxBlockDimY: *value = 1024; break;
    case cudaDevAttrMaxGridDimX: *value = 2147483647; break;
    case cudaDevAttrMaxGridDimY: case cudaDevAttrMaxGridDimZ: *value = 65535; break;
    case cudaDevAttrWarpSize: *value = 32; break;
    case cudaDevAttrL2CacheSize: *value = kL2Bytes; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
    default:
        std::cerr << "attribute " << attribute << " of the chip is not known here\n";
        return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

RUNTIME cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* found, const void* function) {
    *found = {};
    found->numRegs = of(function).registers;
    found->sharedSizeBytes = of(function).shared;
    found->maxThreadsPerBlock = 1024;
    found->maxDynamicSharedSizeBytes = 49152 - of(function).shared;
    found->ptxVersion = found->binaryVersion = 90;
    return cudaSuccess;
}

RUNTIME cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, size_t dynamic, unsigned) {
    *blocks = resident(of(function), threads, dynamic);
    return cudaSuccess;
}

RUNTIME cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, const void* function, int threads, size_t dynamic) {
    *blocks = resident(of(function), threads, dynamic);
    return cudaSuccess;
}

RUNTIME cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
RUNTIME cudaError_t cudaGetDevice(int* device) { *device = 0; return cudaSuccess; }
RUNTIME cudaError_t cudaSetDevice(int) { return cudaSuccess; }
RUNTIME cudaError_t cudaGetDeviceCount(int* count) { *count = 1; return cudaSuccess; }
RUNTIME cudaError_t cudaGetLastError() { return cudaSuccess; }
RUNTIME cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
RUNTIME cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
RUNTIME cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
RUNTIME cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
RUNTIME const char* cudaGetErrorString(cudaError_t) { return "an error"; }
RUNTIME const char* cudaGetErrorName(cudaError_t) { return "error"; }
