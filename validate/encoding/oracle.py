"""nvdisasm's answers to words that nobody compiled: what every row of the encoding table is learnt from."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

__all__ = ["CONTROL", "RELATIVE", "Oracle"]

NOP = 0x000FC000000000000000000000007918
CONTROL = 0x7F1 << 105  # stall 1, no yield, no barrier, no reuse: legal with every opcode, and reuse with it
_CHUNK = 50000
_LINE = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;")
_AT = re.compile(r"at address 0x([0-9a-f]+)")
# Instructions whose last number is a code address, counted from the instruction's end.
RELATIVE = re.compile(r"(?:@!?U?P[\dT] )?(?:BRA|BSSY|CALL\.REL|RET\.REL|BREAK\.REL|LEPC|WARPSYNC\.COLLECTIVE)\b")
_INVALID = re.compile(r"INVALID|\?\?")  # nvdisasm's own doubts: such words are refused
_LAST = re.compile(r"-?0x[0-9a-f]+\Z")


class Oracle:
    """One nvdisasm and one generation; answers are kept."""

    def __init__(self, tool: str | Path, sm: int) -> None:
        self.tool, self.sm = str(tool), sm
        self.known: dict[int, str | None] = {}
        self.asked = 0

    def ask(self, words: Sequence[int]) -> list[str | None]:
        """Return the text of every word, None where nvdisasm refuses it; code addresses are relative to the end."""
        new = [word for word in dict.fromkeys(words) if word not in self.known]
        self.asked += len(new)
        for at in range(0, len(new), _CHUNK):
            chunk = new[at : at + _CHUNK]
            self.known.update(zip(chunk, self._run(chunk), strict=True))
        return [self.known[word] for word in words]

    def _run(self, words: Sequence[int]) -> list[str | None]:
        live, refused = list(words), set()
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "words.bin"
            while True:
                path.write_bytes(b"".join(word.to_bytes(16, "little") for word in live))
                command = [self.tool, "--binary", f"SM{self.sm}", "-raw", "-ndf", str(path)]
                run = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
                if run.returncode == 0:
                    break
                found = {int(match[1], 16) // 16 for match in _AT.finditer(run.stderr)}
                if not found - refused:  # some complaints name address 0, whichever word it is
                    half = len(words) // 2
                    return [*self._run(words[:half]), *self._run(words[half:])] if half else [None]
                refused |= found
                for place in found:
                    live[place] = NOP
        texts: list[str | None] = [None] * len(words)
        for line in run.stdout.splitlines():
            if match := _LINE.match(line):
                address = int(match[1], 16)
                if address // 16 not in refused and not _INVALID.search(match[2]):
                    texts[address // 16] = _from_end(match[2], address)
        return texts


def _from_end(text: str, address: int) -> str:
    if not RELATIVE.match(text):
        return text
    return _LAST.sub(lambda match: f"{int(match[0], 16) - address - 16:#x}", text)
