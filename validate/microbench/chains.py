"""Chains of instructions, written word by word, whose warps note the clock: how a sub-core of sm_90 issues.

    python validate/microbench/chains.py validate/captures/h200/chains.csv

Beside a Hopper GPU with nvcc and CuPy this runs every chain and writes what it took. nvcc makes a kernel that is long
enough; its code is overwritten, so that stall counts, scoreboards and registers are those that a chain asks for.

A chain is a text of tokens: what issues, then `c` or `cc` where two or three of its operands are in one bank of the
registers, `r` where IMAD.WIDE adds registers, `k` where it needs the result of the one before, `:n` its stall count
(else 1), `y` where it yields, `wN` the scoreboards that it waits for. Twelve times a chain, and the clock after each.
"""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TIMES = 12
WARPS = (4, 8, 12, 16, 32)  # of the one block: 1 to 8 a sub-core
COLUMN = "cycles of {} warps"
# What stands for an instruction, and its word as nvcc writes it; registers and control code are set here.
WORDS = {
    "F": 0x000FE2000000000A0000000A0A0A7223,  # FFMA
    "I": 0x000FE200078E02020000000B020B7224,  # IMAD
    "H": 0x000FC400000000040000000404047231,  # HFMA2
    "A": 0x000FE40007FFE021000000020A0A7210,  # IADD3
    "L": 0x080FE200078E3CFF0000000203037212,  # LOP3.LUT, an exclusive or
    "HI": 0x080FE200078E00120000001313037227,  # IMAD.HI.U32
    "W": 0x000FC800078E002C0000002B2F2C7225,  # IMAD.WIDE.U32
    "M": 0x000E2200000008000000000000027308,  # MUFU.EX2
    "X": 0x000E2800000E00000C201F0000037F89,  # SHFL.BFLY
    "S": 0x000EA20000000800000000001C1C7984,  # LDS
    "S4": 0x000EE20000000C000000000018047984,  # LDS.128
    "ST": 0x0041E80000000800000000221D007388,  # STS
    "T": 0x000FEC0000001808000000100C08723C,  # HMMA.16816.F32
    "R": 0x000E2200000021000000000000007919,  # S2R SR_TID.X
    "UR": 0x000E22000000500000000000000579C3,  # S2UR SR_CLOCKLO
    "C": 0x000E220000000A0000008400FF027B82,  # LDC.64
    "C1": 0x000FE2000000080000000A00FF017B82,  # LDC
    "BT": 0x000FC0000383FFFFFFFFFFFC00FC7947,  # BRA, taken, over a NOP
    "BN": 0x000FD800038000000000000000540947,  # BRA, not taken
    "clock": 0x000FC6000000500000000000000D7805,  # CS2R.32 SR_CLOCKLO
    "barrier": 0x000FE200000100000000000000007B1D,  # BAR.SYNC.DEFER_BLOCKING 0x0
    "shift": 0x000FCA000001160000000005FF007819,  # SHF.R.U32.HI by 5
    "offset": 0x001FCA00078E00020000000405027825,  # IMAD.WIDE.U32 by an immediate
    "store": 0x0001E8000C1019040000000D02007986,  # STG.E
    "add": 0x000FE40000000000000000010D0D7836,  # VIADD of an immediate
    "differs": 0x000FDA0003F05270012345670E00780C,  # ISETP.NE.AND P0 from an immediate
    "exit": 0x000FEA0003800000000000000000794D,
    "move": 0x000FE400078E000A000000FFFF0B7224,  # IMAD.MOV.U32
    "global": 0x000FE20000000A000000820000047AB9,  # ULDC.64, the descriptor of global memory
    "no": 0x000FC000000000000000000000007918,  # NOP
}
_TOKEN = re.compile(r"([A-Z]+?\d*)(c*)(r?)(k?)(?::(\d+))?(y?)(?:w(\d+))?")
_BANKS = {"": (25, 24, 255), "c": (25, 24, 26), "cc": (28, 24, 26)}  # sources: even and odd registers, 255 is RZ
_BOARDS = {"M": 5, "X": 4, "S": 3, "S4": 3, "R": 2, "UR": 2, "C": 2, "C1": 2}  # that its result raises
_LENGTH = 352  # instructions that each kernel has room for
_BODY = """
  __shared__ float t[1024];
  float a[40];
  for (int i = 0; i < 40; ++i) a[i] = z * i + threadIdx.x;
  t[threadIdx.x] = a[3];
  __syncthreads();
  _Pragma("unroll") for (int i = 0; i < LENGTH; ++i)
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(a[i % 40]) : "f"(a[(i + 7) % 40]), "f"(a[(i + 13) % 40]));
  float s = t[z];
  for (int i = 0; i < 40; ++i) s += a[i] * (i + 1);
  o[threadIdx.x] = s;
"""


def _put(word: int, low: int, bits: int, value: int) -> int:
    mask = (1 << bits) - 1 << low
    return word & ~mask | value << low & mask


def _control(word: int, stall: int, *, yields: bool = False, board: int = 7, wait: int = 0) -> int:
    word = _put(word, 105, 4, stall)
    word = _put(word, 109, 1, not (yields or stall > 11))  # the bit is 0 where it yields
    word = _put(_put(word, 110, 3, board), 113, 3, 7)
    return _put(_put(word, 116, 6, wait), 122, 4, 0)


def _registers(
    word: int, to: int | None = None, a: int | None = None, b: int | None = None, c: int | None = None
) -> int:
    for low, register in ((16, to), (24, a), (32, b), (64, c)):
        word = word if register is None else _put(word, low, 8, register)
    return word


def _branch(word: int, instructions: int) -> int:
    """Let a branch go on so many instructions behind the next one."""
    words = 4 * instructions
    word = _put(word, 16, 8, words & 255)
    return _put(_put(word, 34, 30, words >> 8), 64, 18, words >> 38)


def _instruction(token: str, number: int) -> list[int]:
    """Return the words of a token that is the so manyth of its kernel."""
    match = _TOKEN.fullmatch(token)
    name, bank, adds, needs, stall, yields, wait = match.groups()
    word, after = WORDS[name], int(stall or 1)
    to, (a, b, c) = 8 + number % 12, _BANKS[bank]
    if name == "BT":
        return [_control(_branch(word, 1), max(after, 5)), _control(WORDS["no"], 1)]
    if name == "BN":
        return [_control(_put(_branch(word, 1), 12, 4, 15), after)]
    if needs:
        to = a = 8
    fours, pairs = 8 + 4 * (number % 3), 8 + 2 * (number % 6)
    places = {
        **dict.fromkeys(("F", "I", "H", "HI", "A"), (to, a, b, c)),
        "L": (to, a, b, 255),
        "W": (pairs, a, b, 30 if adds else c),
        "M": (to, None, 24),
        "X": (to, 24),
        "S": (to, 5),
        "S4": (fours, 5),
        "ST": (None, 5, 24),
        "T": (fours, 24, 28, fours),
        "C": (pairs,),
        "UR": (8 + number % 8,),
    }
    word = _registers(word, *places.get(name, (to,)))
    return [_control(word, after, yields=bool(yields), board=_BOARDS.get(name, 7), wait=int(wait or 0))]


def words(chain: str) -> list[int]:
    """Return the code of a kernel: twice the chain, so that its code is at hand; the second time it is timed."""
    code = [
        _control(_registers(WORDS["R"], 0), 1, board=0),
        _control(_registers(WORDS["C"], 2), 1, board=1),
        _control(WORDS["global"], 1),
        _control(_registers(WORDS["shift"], 4, c=0), 5, wait=1),
        _control(_put(_registers(WORDS["offset"], 2, 4, c=2), 32, 32, 64), 5, wait=3),
        _control(_registers(WORDS["L"], 5, 255, 255, 255), 5),
        *(_control(_registers(WORDS["move"], to, b=255, c=0), 2) for to in range(8, 32)),
        _control(_registers(WORDS["move"], 6, b=255, c=255), 5),
    ]
    top = len(code)
    code += [
        _control(WORDS["barrier"], 6),
        _control(_registers(WORDS["S"], 7, 5), 6, board=0),
        _control(_registers(WORDS["clock"], 40), 2, wait=1),
    ]
    number = 0
    for time in range(TIMES):
        for token in chain.split():
            code += _instruction(token, number)
            number += 1
        code.append(_control(_registers(WORDS["clock"], 41 + time), 1))
    code.append(_control(_put(_registers(WORDS["add"], 6, 6), 32, 32, 1), 6, wait=63))
    code.append(_control(_put(_registers(WORDS["differs"], a=6), 32, 32, 2), 13))
    code.append(_control(_put(_branch(WORDS["BN"], top - len(code) - 1), 12, 4, 0), 5))
    stores = (_put(_registers(WORDS["store"], a=2, b=40 + k), 40, 24, 4 * k) for k in range(TIMES + 1))
    code += [_control(word, 4) for word in stores]
    code += [_control(WORDS["exit"], 5), _control(_branch(WORDS["BT"], -1), 1)]
    return code + [_control(WORDS["no"], 1)] * (_LENGTH - len(code))


def cubin(chains: list[str]) -> bytes:
    """Return a cubin with a kernel for each chain: chain_0, chain_1 and so on."""
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415  only beside a GPU

    body = _BODY.replace("LENGTH", str(_LENGTH))
    heads = (
        f'extern "C" __global__ void __launch_bounds__(1024) chain_{k}(float *o, int z)' for k in range(len(chains))
    )
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "chains.cu"), Path(folder, "chains.cubin")
        source.write_text("\n".join(f"{head} {{ {body} }}" for head in heads), encoding="utf-8")
        subprocess.run(["nvcc", "-arch=sm_90", "-cubin", "-o", str(target), str(source)], check=True)  # noqa: S603, S607
        data = bytearray(target.read_bytes())
    for section in ELFFile(io.BytesIO(bytes(data))).iter_sections():
        if section.name.startswith(".text.chain_"):
            code = words(chains[int(section.name.removeprefix(".text.chain_"))])
            start = section["sh_offset"]
            for place in range(section["sh_size"] // 16):
                word = code[place] if place < len(code) else _control(WORDS["no"], 1)
                data[start + 16 * place : start + 16 * place + 16] = word.to_bytes(16, "little")
    return bytes(data)


def main() -> None:
    """Run the chains that a file has, and write what they take into it."""
    import cupy  # noqa: PLC0415
    import numpy as np  # noqa: PLC0415

    path = Path(sys.argv[1])
    lines = path.read_text(encoding="utf-8").splitlines()
    chains = [row["chain"] for row in csv.DictReader(line for line in lines if not line.startswith("#"))]
    said = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    head = [line for line in lines if line.startswith("#")]
    rows = [["chain", *(COLUMN.format(warps) for warps in WARPS)]]
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin(chains))
        file.flush()
        module = cupy.RawModule(path=file.name)
        for number, chain in enumerate(chains):
            kernel, row = module.get_function(f"chain_{number}"), [chain]
            for warps in WARPS:
                found = cupy.zeros(16 * 32, cupy.uint32)
                for _ in range(3):
                    kernel((1,), (32 * warps,), (found, np.int32(0)))
                clocks = cupy.asnumpy(found)[: 16 * warps].reshape(warps, 16)[:, : TIMES + 1].astype(np.int64)
                row.append(int(clocks[:, -1].max() - clocks[:, 0].min()))
            rows.append(row)
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write("".join(f"{line}\n" for line in head))
        csv.writer(out, lineterminator="\n").writerows(rows)
    print(f"{len(chains)} chains on {said}")


if __name__ == "__main__":
    main()
