// Kernels that each do one thing wrong. faulty_sm75.sass: nvcc 13.0 -arch=sm_75 -lineinfo -cubin, written as a listing.
extern "C" __global__ void race(float* o){ __shared__ float s[256]; s[threadIdx.x]=threadIdx.x; o[threadIdx.x]=s[threadIdx.x^32]; }
extern "C" __global__ void norace(float* o){ __shared__ float s[256]; s[threadIdx.x]=threadIdx.x; __syncthreads(); o[threadIdx.x]=s[threadIdx.x^32]; }
extern "C" __global__ void war(float* o){ __shared__ float s[256]; s[threadIdx.x]=threadIdx.x; __syncthreads(); float x=s[threadIdx.x^32]; s[threadIdx.x]=x+1; __syncthreads(); o[threadIdx.x]=s[threadIdx.x]; }
extern "C" __global__ void unwritten(float* o){ __shared__ float s[256]; if(threadIdx.x<100) s[threadIdx.x]=threadIdx.x; __syncthreads(); o[threadIdx.x]=s[threadIdx.x]; }
extern "C" __global__ void deadlock(float* o){ if(threadIdx.x<32) asm volatile("bar.sync 1, 128;"); else asm volatile("bar.sync 2, 128;"); o[threadIdx.x]=1; }
extern "C" __global__ void spin(volatile int* o){ while(o[0]==0); o[1]=1; }
extern "C" __global__ void past(char* o, int n){ o[threadIdx.x+n]=1; }
extern "C" __global__ void wide(int4* o, int n){ *(int4*)((char*)o+n)=make_int4(1,2,3,4); }
