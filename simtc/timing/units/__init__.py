"""The hardware units of the clock, one a file: parameters, state, and what each does in a cycle.

pipeline.py has them in the order in which they work.
"""
