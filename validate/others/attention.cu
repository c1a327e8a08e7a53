// The fused attention of CUTLASS's example 41.
#include "gemms.cuh"

#include <kernel_forward.h>

template <int Queries, int Keys, int Depth>
void attention(int batch, int heads, int length, bool is_causal) {
    using Kernel = AttentionKernel<half_t, Sm80, true, Queries, Keys, Depth, false, false>;
    std::string program = "attention_f16_" + std::to_string(Queries) + "x" + std::to_string(Keys) + "/" +
                          std::to_string(batch) + "x" + std::to_string(heads) + "x" + std::to_string(length) + "x" +
                          std::to_string(Depth) + (is_causal ? "_causal" : "");
    begin(program.c_str());
    size_t bytes = size_t(2) * batch * length * heads * Depth;
    typename Kernel::Params p;
    p.query_ptr = static_cast<half_t*>(numbers(bytes));
    p.key_ptr = static_cast<half_t*>(numbers(bytes));
    p.value_ptr = static_cast<half_t*>(numbers(bytes));
    p.output_ptr = static_cast<half_t*>(zeros(bytes));
    if (Kernel::kNeedsOutputAccumulatorBuffer) {
        p.output_accum_ptr = static_cast<float*>(zeros(2 * bytes));
    }
    p.scale = 0.125f;
    p.num_heads = heads, p.num_batches = batch, p.num_queries = p.num_keys = length;
    p.head_dim = p.head_dim_value = Depth;
    p.custom_mask_type = is_causal ? Kernel::CausalFromTopLeft : Kernel::NoCustomMask;
    p.q_strideH = p.k_strideH = p.v_strideH = Depth;
    p.q_strideM = p.k_strideM = p.v_strideM = p.o_strideM = heads * Depth;
    p.q_strideB = p.k_strideB = p.v_strideB = int64_t(length) * heads * Depth;
    attention_kernel_batched_impl<Kernel>
        <<<p.getBlocksGrid(), p.getThreadsGrid(), sizeof(typename Kernel::SharedStorage)>>>(p);
}

void launches() {
    attention<64, 64, 64>(1, 4, 256, false);
    attention<64, 64, 64>(2, 8, 1024, false);
    attention<64, 64, 64>(2, 8, 1024, true);
    attention<32, 128, 128>(1, 8, 512, false);
}
