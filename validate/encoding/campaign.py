"""Compare the whole decoder with nvdisasm, every generation, and write down what came out: compared.json.

    python validate/encoding/campaign.py FOLDER --tool NVDISASM --tool70 NVDISASM_12 [--mutated 200000]

Of each generation the words of every shipped listing, those that corpus.py compiled into FOLDER, and its share of the
mutated ones. The file names the table by its digest: `tests/sass/test_decoder.py` fails where the table is another. It
keeps what every seed found, also of tables before: a seed is an exam only as long as nothing was mended for it.
Exit status 1 where simtc prints anything that nvdisasm does not.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import re
import subprocess
from pathlib import Path

from check import compare
from oracle import Oracle
from trials import known, mutated
from write import TABLE

from simtc.sass.decoder import generations

_RESULT = Path(__file__).with_name("compared.json")
_FIRST_SM = 75  # that nvdisasm 13 reads


def main() -> None:
    """Compare, and write the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tool70", required=True)
    parser.add_argument("--mutated", type=int, default=200000)
    parser.add_argument("--seed", type=int, required=True)
    options = parser.parse_args()
    digest = hashlib.sha256(TABLE.read_bytes()).hexdigest()
    found = {}
    for place, sm in enumerate(generations()):
        oracle = Oracle(options.tool if sm >= _FIRST_SM else options.tool70, sm)
        listed, compiled = known(options.corpus, sm)
        share = options.mutated * (place + 1) // len(generations()) - options.mutated * place // len(generations())
        changed = mutated(sorted({*listed, *compiled}), share, options.seed)
        sets = {"listed": listed, "compiled": compiled, "mutated": changed}
        counted = {what: dict(sorted(compare(oracle, words, what).items())) for what, words in sets.items() if words}
        found[f"sm_{sm}"] = {"nvdisasm": version(oracle.tool), **counted}
    wrong = sum(
        counts.get("wrong", 0) for sets in found.values() for counts in sets.values() if isinstance(counts, dict)
    )
    tried = {"seed": options.seed, "table_sha256": digest[:16], "mutated": options.mutated, "wrong": wrong}
    result = {
        "schema": "simtc.encoding-comparison/1",
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "table_sha256": digest,
        "seed": options.seed,
        "seeds": [*json.loads(_RESULT.read_text()).get("seeds", []), tried],
        "words": found,
    }
    _RESULT.write_text(json.dumps(result, indent=2) + "\n")
    print(f"{_RESULT.name}: {wrong} wrong")
    raise SystemExit(1 if wrong else 0)


def version(tool: str) -> str:
    """Return which release an nvdisasm is of."""
    text = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"V(\d+\.\d+\.\d+)", text)
    return match[1] if match else "?"


if __name__ == "__main__":
    main()
