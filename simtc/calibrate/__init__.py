"""From a capture of microbenchmarks to a board's constants.

`fit` derives the constants, `patch` writes what would change in the data files.
"""
