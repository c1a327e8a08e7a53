"""Cycles that one iteration of a blocked HGEMM takes of each pipe of an SM: equations 3, 4 and 5 of Yan et al."""

from __future__ import annotations

from functools import cache

from simtc.arch import Device
from simtc.gemm.hgemm.tiles import Shape, Tiles
from simtc.layout.tile import Tile

__all__ = [
    "SUB_CORES",
    "copy_cycles",
    "hmma_cycles",
    "memory_io_cycles",
    "path_from_l2_cycles",
    "shared_load_cycles",
    "tensor_cycles",
]

SUB_CORES = 4  # of every SM with tensor cores; the equations print it
_ELEMENT_BYTES = 2
_WARP = 32
_HMMA_1688 = 16 * 8 * 8
_MATRIX = 8  # rows, and columns, of the 8x8 matrix that one LDS.32 brings


def hmma_cycles(block: Shape, cpi: float) -> float:
    """Return the cycles of HMMA.1688 in one iteration of a block, alone on its SM.

    Source: Yan et al. 2020, equation 3.

    Example:
        >>> hmma_cycles((256, 256, 32), 8.06)
        4126.72

    """
    m, n, k = block
    return 2 * m * n * k / (2 * _HMMA_1688 * SUB_CORES) * cpi


def copy_cycles(block: Shape, cpi_load: float, cpi_store: float) -> float:
    """Return the cycles of LDG.128 and STS.128 that copy one iteration's A and B to shared memory.

    Source: Yan et al. 2020, equation 4; the CPI of LDG.128 is that of data in L2.

    Example:
        >>> copy_cycles((256, 256, 32), 15.95, 10.0)
        1660.8

    """
    m, n, k = block
    return (m + n) * k * _ELEMENT_BYTES / (_WARP * 16) * (cpi_load + cpi_store)


def shared_load_cycles(block: Shape, warp: Shape, cpi: float) -> float:
    """Return the cycles of the LDS.32 that feed one iteration's HMMAs, one 8x8 matrix each.

    Source: Yan et al. 2020, equation 5, times the 8 / wk matrices that a step is deep, which is 1 in the paper.

    Example:
        >>> round(shared_load_cycles((256, 256, 32), (128, 64, 8), 2.11), 2)
        1620.48

    """
    warps = block[0] * block[1] / (warp[0] * warp[1])
    return warps * (warp[0] / _MATRIX + warp[1] / _MATRIX) * (block[2] / _MATRIX) * cpi


def tensor_cycles(configuration: Tiles, device: Device) -> float:
    """Return the cycles of the tensor pipe in one iteration of a block: equation 3 for any generation's HMMA.

    A GeForce board takes twice as long with an f32 accumulator.

    Example:
        >>> from simtc import arch
        >>> from simtc.gemm.hgemm.configuration import Configuration
        >>> yan = Configuration(block=(256, 256, 32), warp=(128, 64, 8))
        >>> tensor_cycles(yan, arch.device("t4")) == hmma_cycles(yan.block, 8)
        True

    """
    m, n, k = configuration.block
    one = device.sm.tensor[configuration.instruction.constants]
    rate = device.tensor_f32_accumulate_rate if configuration.accumulator == "f32" else 1.0
    return m * n * k / (one.fma * device.limits.sub_cores) * one.issue_interval_cycles / rate


def memory_io_cycles(configuration: Tiles, device: Device, *, load_bytes: tuple[int, int] = (16, 16)) -> float:
    """Return the cycles of the memory I/O pipe in one iteration of a block, bank conflicts included.

    Where one sub-core's return path is as wide as the SM's data stage (Turing), the CPI of one warp is that of the SM,
    and this is equation 4 plus 5. Elsewhere one warp cannot fill the stage: then the bytes over the stage's width
    count, or the sub-cores' own ports where they are slower; and what comes from L2 is counted by
    `path_from_l2_cycles` alone.

    Args:
        configuration: the tiles.
        device: the board.
        load_bytes: what a lane loads of A and of B at once; 16 where rows are aligned.

    Example:
        >>> from simtc import arch
        >>> from simtc.gemm.hgemm.configuration import Configuration
        >>> yan = Configuration(block=(256, 256, 32), warp=(128, 64, 8))
        >>> round(memory_io_cycles(yan, arch.device("t4")), 2)
        3281.28

    """
    sm = device.sm
    one_warp_fills = sm.shared.data_stage_bytes_per_cycle <= sm.shared.return_bytes_per_cycle
    stage = port = 0.0
    for name, count, conflicts in _memory_instructions(configuration, load_bytes):
        operation = sm.memory[name]
        opcode, width = name.split(".")
        wavefronts = _moved_bytes(opcode, int(width)) / sm.shared.wavefront_bytes
        pass_cycles = sm.shared.wavefront_bytes / sm.shared.data_stage_bytes_per_cycle
        port += count * operation.operand_read_cycles / sm.limits.sub_cores
        if opcode == "LDG":  # elsewhere its data come by the path from L2, and pass no data stage on their way
            stage += count * _l2_cpi(device, int(width)) if one_warp_fills else 0
            continue
        once = operation.cpi_cycles if one_warp_fills else wavefronts * pass_cycles
        stage += count * (once + conflicts * pass_cycles)
    return max(stage, port)


def path_from_l2_cycles(configuration: Tiles, device: Device) -> float:
    """Return the cycles that the SM's path from L2 takes to bring one iteration's A and B.

    Example:
        >>> from simtc import arch
        >>> from simtc.gemm.hgemm.configuration import Configuration
        >>> path_from_l2_cycles(Configuration(block=(256, 256, 32), warp=(128, 64, 8)), arch.device("t4"))
        1024.0

    """
    return configuration.copy_bytes / device.sm.l1.l2_bytes_per_cycle


def _l2_cpi(device: Device, width: int) -> float:
    l1 = device.sm.l1
    return {32: l1.l2_cpi_32_cycles, 64: l1.l2_cpi_64_cycles, 128: l1.l2_cpi_128_cycles}[width]


def _memory_instructions(configuration: Tiles, load_bytes: tuple[int, int]) -> list[tuple[str, float, int]]:
    """Return each memory instruction of an iteration: name, count over all warps, wavefronts that conflicts add."""
    (m, n, k), (wm, wn, _) = configuration.block, configuration.warp
    found: list[tuple[str, float, int]] = []
    for rows, bytes_, tile in zip((m, n), load_bytes, configuration.tiles, strict=True):
        width = max(bytes_, 4)  # a lane that gets 2 bytes at a time takes as long as for 4
        loads = rows * k * _ELEMENT_BYTES / (_WARP * bytes_)
        excess = _excess(tile, f"sts.{8 * width}")
        if configuration.asynchronous and bytes_ >= 4:
            found.append((f"LDGSTS.{8 * width}", loads, excess))
            continue
        stores = rows * k * _ELEMENT_BYTES / (_WARP * width)
        found += [(f"LDG.{8 * width}", loads, 0), (f"STS.{8 * width}", stores, excess)]
    side, (rows, _, depth) = configuration.instruction.a, configuration.instruction.shape
    copies = side.registers * _WARP * 4 // (rows * depth * _ELEMENT_BYTES)  # Volta's quad pairs share elements
    for size, turned, tile in zip((wm, wn), configuration.turned, configuration.tiles, strict=True):
        name = "LDSM.4" if turned and configuration.sm_number >= 75 else configuration.shared_load
        opcode, width_ = name.split(".")
        excess = _excess(tile, f"ldsm.x{width_}" if opcode == "LDSM" else f"lds.{width_}")
        read = configuration.threads // _WARP * size * k * _ELEMENT_BYTES * copies
        found.append((name, read / _moved_bytes(opcode, int(width_)), excess))
    return found


def _moved_bytes(opcode: str, width: int) -> int:
    """Return what an instruction moves for a warp: `width` bits a lane, or of LDSM `width` matrices."""
    return 2 * _MATRIX * _MATRIX * width if opcode == "LDSM" else _WARP * width // 8


@cache
def _excess(tile: Tile, pattern: str) -> int:
    """Return the wavefronts that bank conflicts add to one access of a tile."""
    return tile.named(pattern).excess
