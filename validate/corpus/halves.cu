// Which half of L2 words hang on: what an atomic that adds nothing takes, each after the answer to the one before. The
// clock is read when the last has been sent. The second of two rounds counts: the first may meet no page.
constexpr int CHAIN = 9;

extern "C" __global__ void halves(const unsigned long long *at, int count, unsigned nothing, unsigned *cycles) {
    for (int i = 0; i < count; ++i) {
        unsigned *word = reinterpret_cast<unsigned *>(at[i]);
        unsigned taken = 0, old = 0;
#pragma unroll
        for (int round = 0; round < 2; ++round) {
            unsigned begin = clock();
#pragma unroll
            for (int turn = 0; turn < CHAIN; ++turn) old = atomicOr(word, old & nothing);
            taken = clock() - begin;
            old &= nothing;
        }
        cycles[i] = (taken + old) / (CHAIN - 1);
    }
}
