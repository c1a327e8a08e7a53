"""Cards: what stall causes, resources, opcodes, constants and the words of the trade are, as data."""

from simtc.report.cards.card import KINDS, Card
from simtc.report.cards.lookup import all_cards, card

__all__ = ["KINDS", "Card", "all_cards", "card"]
