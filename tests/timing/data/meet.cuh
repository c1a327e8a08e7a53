// All warps of a block meet, at a barrier whose number is in the code (IN_CODE) or in the register `id`, of T threads. A NOP
// behind it waits until it opens, which arithmetic and clocks do not.
#pragma once
#define MEET(IN_CODE)                                                       \
  if (IN_CODE) asm volatile("bar.sync 0;" ::: "memory");                    \
  else asm volatile("bar.sync %0,%1;" ::"r"(id), "r"(T) : "memory");        \
  asm volatile("bar.warp.sync -1;" ::: "memory");
