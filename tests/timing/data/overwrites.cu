// LDGSTS past L1 into places for which others are still on their way. `along_N`: each warp of a block copies 512 bytes N times to
// the same place, a group each, and notes when it has issued each and when each group is there; `gap` cycles pass between
// two. `over`: each warp copies four times 512 bytes a step into the stages of a ring of its own, with three groups under way; in
// one stage or two they overwrite each other. `row` bytes lie next to each other, rows `stride` bytes apart, and `pitch` in shared
// memory. overwrites.csv has the cycles on an H200 at 1980 MHz, L2 warm: of `along` until the last group is there, the least of
// three launches; of `over` the median of five. nvcc -arch=sm_90 -cubin; see test_overwrites.py.

static __device__ __forceinline__ unsigned now(){unsigned c;asm volatile("mov.u32 %0, %%clock;":"=r"(c)::"memory");return c;}
extern __shared__ __align__(128) unsigned char tile[];
#define CP(d,s) asm volatile("cp.async.cg.shared.global.L2::128B [%0],[%1],16;"::"r"(d),"l"(s):"memory")
#define COM asm volatile("cp.async.commit_group;":::"memory")
#define W(n) asm volatile("cp.async.wait_group %0;"::"n"(n):"memory")
template<int N> static __device__ __forceinline__ void along(unsigned*times,const unsigned char*data,int row,int pitch,int stride,int step,int from,int load,int gap){
  const unsigned lane=threadIdx.x%32,warp=threadIdx.x/32,lanes=row/16;
  const unsigned to=(unsigned)__cvta_generic_to_shared(tile)+warp*16384+(lane/lanes)*pitch+lane%lanes*16;
  const unsigned char*at=data+(size_t)warp*(1<<20)+(lane/lanes)*stride+lane%lanes*16;
  unsigned t[N+1],e[N+1],l=0,v=0;
  for(int rep=0;rep<3;rep++){
    __syncthreads();
    t[0]=now();
    #pragma unroll
    for(int j=0;j<N;j++){ CP(to+j*step,at+(size_t)j*from); COM; t[j+1]=now(); if(gap){ unsigned q=now(); while(now()-q<gap); } }
    if(load){ unsigned a=now(); asm volatile("ld.global.cg.u32 %0,[%1];":"=r"(v):"l"(data+(8<<20)+lane*4+warp*4096):"memory"); l=v; asm volatile("":: "r"(l):"memory"); if(v==12345) times[1000]=1; l=now()-a; }
    #pragma unroll
    for(int j=0;j<N;j++){
      switch(N-1-j){case 0:W(0);break;case 1:W(1);break;case 2:W(2);break;case 3:W(3);break;case 4:W(4);break;case 5:W(5);break;case 6:W(6);break;case 7:W(7);break;case 8:W(8);break;case 9:W(9);break;case 10:W(10);break;case 11:W(11);break;}
      e[j]=now(); }
    __syncthreads();
  }
  if(lane==0){ unsigned*o=times+warp*32; for(int j=0;j<N;j++){ o[j]=t[j+1]-t[0]; o[12+j]=e[j]-t[0]; } o[24]=l; }
}
#define K(N) extern "C" __global__ void along_##N(unsigned*times,const unsigned char*data,int row,int pitch,int stride,int step,int from,int load,int gap){along<N>(times,data,row,pitch,stride,step,from,load,gap);}
K(1) K(2) K(4) K(8) K(12)
#undef K
template<int G,int COPIES> static __device__ __forceinline__ void ring(unsigned*times,const unsigned char*data,int steps,int row,int pitch,int stride,int next,int wrap,int stages,int apart){
  const unsigned lane=threadIdx.x%32, warp=threadIdx.x/32;
  const unsigned lanes=row/16, each=32/lanes;
  const unsigned size=COPIES*each*pitch;
  const unsigned home=(unsigned)__cvta_generic_to_shared(tile)+warp*size*stages;
  unsigned to[COPIES]; const unsigned char*at[COPIES];
  #pragma unroll
  for(int k=0;k<COPIES;k++){ unsigned r=k*each+lane/lanes; to[k]=home+r*pitch+lane%lanes*16; at[k]=data+(size_t)warp*apart+r*stride+lane%lanes*16; }
  __syncthreads();
  const unsigned start=now();
  unsigned stage=0, s=0;
  #pragma unroll 1
  for(int i=0;i<steps;i++){
    const unsigned b=(i*next)&(wrap-1);
    #pragma unroll
    for(int k=0;k<COPIES;k++) asm volatile("cp.async.cg.shared.global.L2::128B [%0],[%1],16;"::"r"(to[k]+stage),"l"(at[k]+b));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;"::"n"(G));
    s=s+1==stages?0:s+1; stage=s*size;
  }
  asm volatile("cp.async.wait_all;");
  const unsigned end=now();
  if(lane==0){times[2*warp]=start;times[2*warp+1]=end;}
}
extern "C" __global__ void __launch_bounds__(1024) over(unsigned*times,const unsigned char*data,int steps,int row,int pitch,int stride,int next,int wrap,int stages,int apart){ring<3,4>(times,data,steps,row,pitch,stride,next,wrap,stages,apart);}
// And a block that copies `steps` times to the same places, and ends before most of them are there.
extern "C" __global__ void ends(unsigned*times,const unsigned char*data,int steps){
  const unsigned to=(unsigned)__cvta_generic_to_shared(tile)+threadIdx.x*16;
  const unsigned char*from=data+(size_t)(blockIdx.x%64)*65536+threadIdx.x*2048;
  for(int i=0;i<steps;i++){ CP(to,from+i*16); COM; if(i==4) W(2); }
  if(threadIdx.x==0) times[blockIdx.x]=steps;
}
