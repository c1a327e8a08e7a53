"""Write what is made of other sources: the lessons' notebooks, the API reference, the diagrams of the machine.

python sass_notes/build.py            writes them
python sass_notes/build.py --check    says what is out of date, and ends with 1 if anything is
"""

from __future__ import annotations

import sys
from pathlib import Path

from simtc.report.diagrams import diagrams
from simtc.report.lessons import LESSONS, lesson
from simtc.report.lessons.notebook import notebook_json
from simtc.report.reference import reference

HERE = Path(__file__).resolve().parent


def made() -> dict[Path, str]:
    """Return every such file with what it has to hold."""
    files = {HERE / "lessons" / f"{name}.ipynb": notebook_json(lesson(name)) for name in LESSONS}
    return files | {HERE / "api.md": reference()} | {HERE / "figures" / name: svg for name, svg in diagrams().items()}


def main() -> int:
    """Write or check the files."""
    check = sys.argv[1:] == ["--check"]
    old = [path for path, text in made().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in old:
        if check:
            print(f"{path.relative_to(HERE)} is out of date. Try: python sass_notes/build.py")
        else:
            path.write_text(made()[path], encoding="utf-8")
    return int(check and bool(old))


if __name__ == "__main__":
    sys.exit(main())
