"""The groups of lanes that tensor cores know: quads, and Volta's quad pairs (octets)."""

from __future__ import annotations

from simtc.errors import BadInputError

__all__ = ["quad", "quad_pair", "quad_pair_lanes"]


def quad(lane: int) -> int:
    """Return the quad of a lane: 0 to 7, four neighbouring lanes each (a thread group, groupID in the PTX ISA).

    Example:
        >>> quad(13)
        3

    """
    return lane >> 2


def quad_pair(lane: int) -> int:
    """Return the quad pair (octet) of a lane, 0 to 3: quads q and q + 4 multiply together on Volta.

    Source: PTX ISA, mma.m8n8k4; Raihan et al. 2019, who call it an octet.

    Example:
        >>> quad_pair(1), quad_pair(17), quad_pair(31)
        (0, 0, 3)

    """
    return lane >> 2 & 3


def quad_pair_lanes(number: int) -> tuple[int, ...]:
    """Return the eight lanes of a quad pair.

    Raises:
        BadInputError: there are quad pairs 0 to 3.

    Example:
        >>> quad_pair_lanes(1)
        (4, 5, 6, 7, 20, 21, 22, 23)

    """
    if number not in range(4):
        raise BadInputError(f"quad pair {number} is outside 0..3")
    return tuple(lane for lane in range(32) if quad_pair(lane) == number)
