"""Reading chips from TOML: every number must carry value, unit, status and source."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from simtc.arch.constant import Constant
from simtc.errors import BadInputError, unknown

__all__ = ["Reader"]

_PARTS = ("value", "unit", "status", "source", "note")


class Reader:
    """One TOML file being read: builds dataclasses from its tables and keeps the provenance of each number."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            BadInputError: the file is not TOML.

        """
        self.name = path.name
        try:
            self.table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BadInputError(f"{self.name}: not TOML: {error}") from None
        sources = self.table.pop("sources", {})
        if not all(isinstance(citation, str) and citation for citation in sources.values()):
            raise BadInputError(f"{self.name}: [sources] maps a short key to the full citation, both text")
        self.sources: dict[str, str] = sources
        self.constants: dict[str, Constant] = {}

    def text(self, key: str) -> str:
        """Take a top-level line of text, such as the chip's name."""
        value = self.table.pop(key, None)
        if not isinstance(value, str) or not value:
            raise BadInputError(f'{self.name}: needs a line {key} = "..."')
        return value

    def take(self, hint: Any, key: str, default: Any = MISSING) -> Any:
        """Take a top-level constant or table, as the type that `hint` names; the default where it is not mentioned."""
        if key not in self.table and default is not MISSING:
            return default
        if key not in self.table:
            raise self._missing(key, self.table)
        return self._read(hint, self.table.pop(key), "", key)

    def finish(self) -> Mapping[str, Constant]:
        """Return the provenance of every number read, and refuse what nobody asked for."""
        if self.table:
            raise BadInputError(f"{self.name}: nothing is called {', '.join(self.table)}")
        unused = set(self.sources) - {constant.source for constant in self.constants.values()}
        if unused:
            raise BadInputError(f"{self.name}: no constant cites {', '.join(sorted(unused))}")
        return MappingProxyType(self.constants)

    def _read(self, hint: Any, raw: Any, section: str, key: str) -> Any:
        path = f"{section}.{key}" if section else key
        if not isinstance(raw, dict):
            shape = "{value = ..., unit = ..., status = ..., source = ...}"
            raise BadInputError(f"{self.name}: {path} is bare: write {key} = {shape}")
        if is_dataclass(hint):
            return self._section(hint, raw, path)
        if get_origin(hint) is Mapping:
            entry = get_args(hint)[1]
            return MappingProxyType({name: self._read(entry, value, path, name) for name, value in raw.items()})
        return self._constant(hint, raw, section, key)

    def _section(self, section: Any, raw: dict[str, Any], path: str) -> Any:
        hints = get_type_hints(section)
        defaults = {field.name: field.default for field in fields(section)}
        names = list(defaults)
        for name in raw:
            if name not in names:
                raise unknown(f"constant of [{path}] in {self.name}", name, names)
        values = {}
        for name in names:
            hint, optional = _required(hints[name])
            if name in raw:
                values[name] = self._read(hint, raw[name], path, name)
            elif optional:
                values[name] = None
            elif defaults[name] is not MISSING:
                values[name] = defaults[name]
            else:
                raise self._missing(f"{path}.{name}", raw)
        try:
            return section(**values)
        except BadInputError as error:
            raise BadInputError(f"{self.name}: [{path}]: {error}") from None

    def _constant(self, hint: Any, raw: dict[str, Any], section: str, key: str) -> Any:
        path = f"{section}.{key}" if section else key
        extra = [part for part in raw if part not in _PARTS]
        if extra:
            raise BadInputError(f"{self.name}: {path} has {', '.join(extra)}; a constant has {', '.join(_PARTS)}")
        for part in _PARTS[:4]:
            if part not in raw:
                raise BadInputError(
                    f"{self.name}: {path} has no {part}: every constant carries value, unit, status, source"
                )
        value = _typed(hint, raw["value"])
        if value is None:
            wanted = getattr(hint, "__name__", "") if hint in (int, float) else "list of int"
            raise BadInputError(f"{self.name}: {path} = {raw['value']!r} is not a {wanted} of at least 0")
        for part in ("unit", "status", "source", "note"):
            if not isinstance(raw.get(part, ""), str):
                raise BadInputError(f"{self.name}: {path} has {part} = {raw[part]!r}, which is not text")
        if raw["source"] not in self.sources:
            raise unknown(f"source of {path} in {self.name}", raw["source"], self.sources)
        try:
            self.constants[path] = Constant(
                section=section,
                key=key,
                value=value,
                unit=raw["unit"],
                status=raw["status"],
                source=raw["source"],
                citation=self.sources[raw["source"]],
                note=raw.get("note", ""),
            )
        except BadInputError as error:
            raise BadInputError(f"{self.name}: {error}") from None
        return value

    def _missing(self, path: str, raw: Mapping[str, Any]) -> BadInputError:
        return BadInputError(f"{self.name}: lacks {path}; it has {', '.join(raw) or 'nothing'}")


def _required(hint: Any) -> tuple[Any, bool]:
    """Split `X | None` into X and whether None is allowed."""
    if isinstance(hint, UnionType):
        (required,) = (part for part in get_args(hint) if part is not NoneType)
        return required, True
    return hint, False


def _typed(hint: Any, value: Any) -> int | float | tuple[int, ...] | None:
    """Return `value` as the type asked for, or None where it is another; a whole number may stand for a float."""
    if get_origin(hint) is tuple:
        whole = isinstance(value, list) and value and all(type(item) is int for item in value)
        return tuple(value) if whole else None
    if type(value) is int and value >= 0:
        return float(value) if hint is float else value
    return value if hint is float and type(value) is float and value >= 0 else None
