// A CUTLASS GEMM of the 2.x interface over buffers of the recorder.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>

#include <cutlass/cutlass.h>
#include <cutlass/gemm/device/gemm.h>

#include "recorder.h"

using cutlass::bfloat16_t;
using cutlass::half_t;
using cutlass::tfloat32_t;
using cutlass::arch::OpClassSimt;
using cutlass::arch::OpClassTensorOp;
using cutlass::arch::Sm75;
using cutlass::arch::Sm80;
using Row = cutlass::layout::RowMajor;
using Column = cutlass::layout::ColumnMajor;
template <int M, int N, int K> using Tile = cutlass::gemm::GemmShape<M, N, K>;

template <class Out, class Sum, int Count>
using Linear = cutlass::epilogue::thread::LinearCombination<Out, Count, Sum, Sum>;

using Tiles = cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>;

// On tensor cores, with C by rows: tiles of blocks, warps and instructions, elements of an access to C, stages.
template <class In, class LayoutA, class LayoutB, class Out, class Sum, class Arch, class Block, class Warp,
          class Instruction, int Together, int Stages, auto... More>
using TensorGemm =
    cutlass::gemm::device::Gemm<In, LayoutA, In, LayoutB, Out, Row, Sum, OpClassTensorOp, Arch, Block, Warp, Instruction,
                                Linear<Out, Sum, Together>, Tiles, Stages, More...>;

inline void require(cutlass::Status status, const std::string& what) {
    if (status != cutlass::Status::kSuccess) {
        std::cerr << what << ": " << cutlassGetStatusString(status) << "\n";
        std::exit(1);
    }
}

template <class Gemm> void gemm(const std::string& name, int m, int n, int k, int slices = 1) {
    std::string program = name + "/" + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    begin(program.c_str());
    auto bytes = [](auto type, int rows, int columns) { return sizeof(type) * rows * columns; };
    using A = typename Gemm::ElementA;
    using B = typename Gemm::ElementB;
    using C = typename Gemm::ElementC;
    auto* a = static_cast<A*>(numbers(bytes(A(), m, k)));
    auto* b = static_cast<B*>(numbers(bytes(B(), k, n)));
    auto* c = static_cast<C*>(numbers(bytes(C(), m, n)));
    auto* d = static_cast<C*>(zeros(bytes(C(), m, n)));
    using One = typename Gemm::EpilogueOutputOp::ElementCompute;
    int lda = std::is_same<typename Gemm::LayoutA, Row>::value ? k : m;
    int ldb = std::is_same<typename Gemm::LayoutB, Row>::value ? n : k;
    typename Gemm::Arguments given({m, n, k}, {a, lda}, {b, ldb}, {c, n}, {d, n}, {One(1), One(1)}, slices);
    Gemm made;
    size_t workspace = Gemm::get_workspace_size(given);
    require(made.initialize(given, workspace ? zeros(workspace) : nullptr), program);
    require(made(), program);
}
