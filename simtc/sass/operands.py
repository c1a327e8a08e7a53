"""One operand, from the disassembler's words to a value."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from simtc.errors import BadInputError
from simtc.isa import Kind, Operand

__all__ = ["parse_operand", "split_operands"]

_REGISTERS = {
    "R": (Kind.REGISTER, 254, {"RZ": 255}),
    "UR": (Kind.UNIFORM, 62, {"URZ": 63}),
    "P": (Kind.PREDICATE, 6, {"PT": 7}),
    "UP": (Kind.UNIFORM_PREDICATE, 6, {"UPT": 7}),
    "B": (Kind.BARRIER, 15, {}),
    "SB": (Kind.SCOREBOARD, 5, {}),
}
_REGISTER = re.compile(r"(RZ|URZ|PT|UPT|(?:UR|R|UP|P|SB|B)\d+)((?:\.\w+)*)\Z")
_INTEGER = re.compile(r"([-+]?)(0x[0-9a-f]{1,16})((?:\.\w+)*)\Z")
_FLOAT = re.compile(r"[-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|INF|QNAN|SNAN)\Z")
_LABEL = re.compile(r"`\((0x[0-9a-f]{1,16})\)\Z")
_CONSTANT = re.compile(r"(cx?)\[([^][]*)\] ?\[([^][]*)\]((?:\.\w+)*)\Z")
_ADDRESS = re.compile(r"(?:(g?desc)\[([^][]*)\])?\[([^][]*)\]((?:\.\w+)*)\Z")
_TERM = re.compile(r"([-+]?)([^-+]+)")
_ABSOLUTE = re.compile(r"\|([^|]+)\|((?:\.\w+)*)\Z")


def split_operands(text: str) -> list[str]:
    """Split an instruction's operand text at the commas outside brackets.

    Example:
        >>> split_operands("R8, [R2.64+UR4+0x10], !PT")
        ['R8', '[R2.64+UR4+0x10]', '!PT']

    """
    parts = re.split(r",\s*(?![^\[\]{}()]*[\]})])", text.strip()) if text.strip() else []
    # A return names its register and its target with no comma between them, and so does an indexed branch.
    return [word for part in parts for word in re.split(r"(?<=\w) +(?=`|[-+]?0x)", part.strip())]


@lru_cache(maxsize=65536)
def parse_operand(text: str) -> Operand:
    """Read one operand; a float immediate's bits are left to the instruction word that holds them.

    Raises:
        BadInputError: the text is no operand.

    Example:
        >>> parse_operand("-R4.reuse")
        Operand(kind=<Kind.REGISTER: 'R'>, index=4, negate=True, modifiers=('reuse',))
        >>> parse_operand("[R2.64+UR4+-0x10]")
        Operand(kind=<Kind.ADDRESS: 'A'>, index=2, value=-16, modifiers=('64',), uniform=4)
        >>> parse_operand("c[0x3][R4+0x8]")
        Operand(kind=<Kind.CONSTANT: 'C'>, index=3, value=8, base=4)

    """
    for read in _READERS:
        operand = read(text)
        if operand is not None:
            return operand
    sign, body = text[:1], text[1:]
    inner = parse_operand(body) if sign and sign in "-!~" and body and body[0] not in "-!~" else None
    if inner is None:
        raise BadInputError(f"{text!r} is no SASS operand")
    if sign == "~":
        return _with(inner, invert=True)
    return _with(inner, negate=True)


def _with(operand: Operand, **changes: bool) -> Operand:
    fields = {name: getattr(operand, name) for name in Operand.__dataclass_fields__}
    return Operand(**(fields | changes))


def _modifiers(text: str) -> tuple[str, ...]:
    return tuple(text.split(".")[1:])


def _register_number(text: str) -> tuple[Kind, int] | None:
    match = _REGISTER.match(text)
    if not match or match[2]:
        return None
    prefix = text.rstrip("0123456789TZ") or text
    kind, last, special = _REGISTERS[prefix]
    if text in special:
        return kind, special[text]
    number = int(text[len(prefix) :])
    if number > last:
        raise BadInputError(f"register {text} is beyond {prefix}{last}")
    return kind, number


def _register(text: str) -> Operand | None:
    match = _REGISTER.match(text)
    found = _register_number(match[1]) if match else None
    if not match or not found:
        return None
    return Operand(kind=found[0], index=found[1], modifiers=_modifiers(match[2]))


def _immediate(text: str) -> Operand | None:
    if match := _INTEGER.match(text):
        value = int(match[2], 16)
        if value >> 32:  # a 64-bit branch distance, or bits that no 32-bit field holds
            return Operand(kind=Kind.TEXT, name=text)
        return Operand(
            kind=Kind.IMMEDIATE,
            value=(-value if match[1] == "-" else value) & 0xFFFFFFFF,
            modifiers=_modifiers(match[3]),
        )
    if _FLOAT.match(text):
        return Operand(kind=Kind.IMMEDIATE, name=text)
    return None


def _label(text: str) -> Operand | None:
    match = _LABEL.match(text)
    return Operand(kind=Kind.LABEL, value=int(match[1], 16)) if match else None


def _absolute(text: str) -> Operand | None:
    match = _ABSOLUTE.match(text)
    if not match:
        return None
    inner = parse_operand(match[1] + match[2])
    return _with(inner, absolute=True)


def _constant(text: str) -> Operand | None:
    match = _CONSTANT.match(text)
    if not match:
        return None
    terms = _Terms(match[3], text)
    if match[1] == "cx":
        bank = _register_number(match[2])
        if not bank or bank[0] is not Kind.UNIFORM:
            raise BadInputError(f"{text!r} names no uniform register as its constant bank")
        number, descriptor = 255, bank[1]
    else:
        if not re.fullmatch(r"0x[0-9a-f]{1,2}", match[2]):
            raise BadInputError(f"{text!r} names no constant bank")
        number, descriptor = int(match[2], 16), None
    return Operand(
        kind=Kind.CONSTANT,
        index=number,
        value=terms.offset,
        modifiers=_modifiers(match[4]),
        uniform=terms.uniform,
        descriptor=descriptor,
        base=terms.base,
    )


def _address(text: str) -> Operand | None:
    match = _ADDRESS.match(text)
    if not match:
        return None
    descriptor = None
    if match[1]:
        found = _register_number(match[2])
        if not found or found[0] is not Kind.UNIFORM:
            raise BadInputError(f"{text!r} names no uniform register as its descriptor")
        descriptor = found[1]
    terms = _Terms(match[3], text)
    return Operand(
        kind=Kind.ADDRESS,
        index=terms.base,
        value=terms.offset,
        modifiers=(*terms.modifiers, *_modifiers(match[4])),
        uniform=terms.uniform,
        descriptor=descriptor,
    )


class _Terms:
    """The sum inside an address's brackets: a register, a uniform register, an offset, each at most once."""

    def __init__(self, text: str, whole: str) -> None:
        self.base, self.uniform, self.offset = 255, 63, 0
        self.modifiers: tuple[str, ...] = ()
        seen: set[object] = set()
        if "".join(sign + body for sign, body in _TERM.findall(text.replace("+-", "-"))) != text.replace("+-", "-"):
            raise BadInputError(f"{whole!r} is no address")
        for sign, body in _TERM.findall(text.replace("+-", "-")):
            kind = self._add(sign, body, whole)
            if kind in seen:
                raise BadInputError(f"{whole!r} adds two of a kind")
            seen.add(kind)

    def _add(self, sign: str, body: str, whole: str) -> Kind:
        if re.fullmatch(r"0x[0-9a-f]{1,8}", body):
            self.offset = -int(body, 16) if sign == "-" else int(body, 16)
            return Kind.IMMEDIATE
        operand = None if sign == "-" else _register(body)
        if operand is None or operand.kind not in (Kind.REGISTER, Kind.UNIFORM):
            raise BadInputError(f"{body!r} cannot be part of the address {whole!r}")
        if operand.kind is Kind.UNIFORM:
            self.uniform = operand.index
        else:
            self.base, self.modifiers = operand.index, operand.modifiers
        return operand.kind


def _special(text: str) -> Operand | None:
    return Operand(kind=Kind.SPECIAL, name=text) if re.fullmatch(r"SR\w+(?:\.\w+)*", text) else None


def _other(text: str) -> Operand | None:
    if re.fullmatch(r"[A-Z][A-Z0-9_]+(?:\.\w+)*|\{[\d, ]+\}|\d[A-Z]+|gdesc\[UR\d+\](?:\.\w+)*|gsb\d", text):
        return Operand(kind=Kind.TEXT, name=text)
    return None


_READERS: tuple[Callable[[str], Operand | None], ...] = (
    _register, _immediate, _address, _constant, _label, _absolute, _special, _other,
)  # fmt: skip
