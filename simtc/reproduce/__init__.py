"""Published tables and figures beside simtc's own values, one folder a paper.

`reproduce(name)` returns the comparison; the numbers as printed are in each folder's `printed.toml`.
"""
