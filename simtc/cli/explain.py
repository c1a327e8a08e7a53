"""`simtc explain`: what a stall cause, a resource, an opcode, a constant or a word of the trade is."""

from __future__ import annotations

import json
from itertools import groupby

import click

from simtc.errors import BadInputError, unknown

__all__ = ["explain"]


@click.command
@click.argument("word", nargs=-1)
@click.option("--list", "listing", is_flag=True, help="list the words and stop")
@click.option("--kind", help="with --list: stall cause, resource, term, opcode or constant alone")
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.explain/1")
def explain(*, word: tuple[str, ...], listing: bool, kind: str | None, as_json: bool) -> None:
    """Say what WORD is: what it means, a picture, the usual cure, and where it is in the notes.

    \b
    simtc explain long_scoreboard
    simtc explain tensor pipe
    simtc explain HMMA
    simtc explain l2_hit_cycles
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from simtc.report.cards import KINDS, all_cards, card  # noqa: PLC0415 - start-up stays fast

    if kind is not None and kind not in KINDS:
        raise unknown("kind", kind, KINDS, then="simtc explain --list --kind opcode")
    if listing and word:
        raise BadInputError("--list takes no word. Try: simtc explain --list --kind opcode")
    if listing:
        cards = [one for one in all_cards() if kind in (None, one.kind)]
        if as_json:
            words = [{"word": one.word, "kind": one.kind} for one in cards]
            click.echo(json.dumps({"schema": "simtc.explain/1", "words": words}, indent=1))
            return
        for name, group in groupby(cards, key=lambda one: one.kind):
            click.echo(f"{name}: {', '.join(one.word for one in group)}\n")
        return
    if not word:
        raise BadInputError("explain what? Try: simtc explain long_scoreboard, or: simtc explain --list")
    if kind is not None:
        raise BadInputError("--kind is for --list. Try: simtc explain --list --kind opcode")
    found = card(" ".join(word))
    if as_json:
        click.echo(json.dumps({"schema": "simtc.explain/1", **found.to_json()}, indent=1))
        return
    click.echo(found.to_text(), nl=False)
