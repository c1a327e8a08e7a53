"""Readers of compiled kernels, and the writer of listings."""

from simtc.sass.listing import parse_listing, write_listing
from simtc.sass.load import load
from simtc.sass.text import parse_instruction

__all__ = ["load", "parse_instruction", "parse_listing", "write_listing"]
