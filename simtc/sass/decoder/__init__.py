"""The decoder of 128-bit instruction words: the encoding table, and its readers."""

from simtc.sass.decoder.decode import UnknownWordError, decode, texts
from simtc.sass.decoder.table import generations

__all__ = ["UnknownWordError", "decode", "generations", "texts"]
