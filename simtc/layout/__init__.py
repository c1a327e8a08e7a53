"""Where data lives: fragments in lanes and registers, 8x8 matrices in shared memory, addresses in banks."""

from simtc.layout.banks import Access
from simtc.layout.catalog import fragment
from simtc.layout.explain import Explanation, explain
from simtc.layout.fragment import Element, Fragment, Gather, Holder
from simtc.layout.matrix import Ldmatrix, ldmatrix, movmatrix
from simtc.layout.tile import Tile

__all__ = [
    "Access",
    "Element",
    "Explanation",
    "Fragment",
    "Gather",
    "Holder",
    "Ldmatrix",
    "Tile",
    "explain",
    "fragment",
    "ldmatrix",
    "movmatrix",
]
