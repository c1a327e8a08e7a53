// What L2 keeps from one launch to the next: words that are loaded, words that are stored, or both; with `twice` each
// loaded word also by another SM.
extern "C" __global__ void keeps(const float4* __restrict__ a, float4* __restrict__ d, long long loaded,
                                 long long stored, int twice) {
    long long count = loaded > stored ? loaded : stored;
    float4 sum = make_float4(0, 0, 0, 0);
    for (long long i = blockIdx.x * 256ll + threadIdx.x; i < count; i += gridDim.x * 256ll) {
        float4 word = make_float4(1, 2, 3, 4);
        if (i < loaded) {
            word = a[i];
            if (twice) word.x += a[(i + loaded / 2) % loaded].x;
            sum.x += word.x + word.y + word.z + word.w;
        }
        if (i < stored) d[i] = word;
    }
    if (sum.x == 12345.678f) d[0] = sum;
}
