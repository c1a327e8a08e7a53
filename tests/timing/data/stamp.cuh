// The SM's clock in a register of its own for each lane, by CS2R: ptxas would read it into a uniform register, by S2UR, if it
// knew that all lanes do. `opaque` is a lane's number, as far as ptxas cannot tell.
#pragma once
#define STAMP(x) asm volatile("{.reg .pred p; setp.lt.u32 p, %1, 32; @p mov.u32 %0, %%clock;}" : "+r"(x) : "r"(opaque) : "memory");
