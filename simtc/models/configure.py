"""Make a configuration, and where it cannot be, name the nearest that can."""

from __future__ import annotations

from itertools import product

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.models.configuration import LAYOUTS, Configuration, Shape, step_unit
from simtc.models.intensity import blocking_intensity

__all__ = ["configure", "default_shapes"]

_HALVINGS = (0, 1, 2, 3)  # how often a size may be halved on the way to one that fits


def default_shapes(device: Device, accumulator: str = "f16") -> tuple[Shape, Shape]:
    """Return the block and warp that Yan et al. settle on, with the warp's k that the board's HMMA takes.

    An f32 accumulator takes twice the registers: then half of that, which is the largest tile of cuBLAS' menu.

    Example:
        >>> from simtc import arch
        >>> default_shapes(arch.device("t4")), default_shapes(arch.device("h200"))[1]
        (((256, 256, 32), (128, 64, 8)), (128, 64, 16))

    """
    depth = step_unit(device)[2]
    if accumulator == "f32":
        return (256, 128, 32), (64, 64, depth)
    return (256, 256, 32), (128, 64, depth)


def configure(
    device: Device,
    block: Shape | None = None,
    warp: Shape | None = None,
    *,
    layout: str = "pad",
    stages: int = 1,
    accumulator: str = "f16",
) -> Configuration:
    """Return a configuration; sizes that are not given are those of Yan et al.

    Raises:
        BadInputError: the shapes do not divide or the board cannot hold them; names the nearest that it can.

    Example:
        >>> from simtc import arch
        >>> configure(arch.device("t4"), (512, 256, 32), (128, 64, 8))
        Traceback (most recent call last):
        simtc.errors.BadInputError: block 512x256 holds C in 65536 registers; t4 (sm_75) has 65536; the nearest ...

    """
    usual_block, usual_warp = default_shapes(device, accumulator)
    block, warp = block or usual_block, warp or usual_warp
    options = {"layout": layout, "stages": stages, "accumulator": accumulator}
    try:
        return Configuration(device=device, block=block, warp=warp, **options)  # type: ignore[arg-type] # mixed values
    except BadInputError as error:
        if layout not in LAYOUTS or min(*block, *warp, stages) < 1:
            raise
        found = _nearest(device, block, warp, layout, stages, accumulator)
        if found is None:
            raise BadInputError(f"{error}; nothing near it fits. Try: --block 128,128,32 --warp 64,64,16") from None
        words = [f"--block {','.join(map(str, found.block))}", f"--warp {','.join(map(str, found.warp))}"]
        raise BadInputError(f"{error}; the nearest that fits: {' '.join(words)}") from None


def _nearest(
    device: Device, block: Shape, warp: Shape, layout: str, stages: int, accumulator: str
) -> Configuration | None:
    """Return the configuration that fits after the fewest halvings; of equals, the one that reuses most."""
    # Sizes that no halving mends are first rounded up to what the instruction, the warp and the bank layout divide.
    units = step_unit(device)
    warp = tuple(-(-size // unit) * unit for size, unit in zip(warp, units, strict=True))  # type: ignore[assignment]
    block = tuple(-(-size // unit) * unit for size, unit in zip(block, warp, strict=True))  # type: ignore[assignment]
    if layout == "xor":
        block = (*block[:2], 1 << (block[2] - 1).bit_length())

    def cost(step: tuple[int, ...]) -> tuple[int, float]:
        return sum(step), -blocking_intensity(max(block[0] >> step[0], 1), max(block[1] >> step[1], 1))

    for bm, bn, bk, wm, wn in sorted(product(_HALVINGS, repeat=5), key=cost):
        smaller = (block[0] >> bm, block[1] >> bn, block[2] >> bk)
        inner = (warp[0] >> wm, warp[1] >> wn, warp[2])
        if min(*smaller, *inner) < 1:
            continue
        try:
            return Configuration(
                device=device, block=smaller, warp=inner, layout=layout, stages=stages, accumulator=accumulator
            )
        except BadInputError:
            continue
    return None
