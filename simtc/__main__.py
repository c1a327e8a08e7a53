"""`python -m simtc`: the command line, where the script `simtc` is not on the path."""

from __future__ import annotations

from simtc.cli import main

if __name__ == "__main__":
    main()
