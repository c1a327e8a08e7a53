"""What a real chip gave beside what simtc gives: campaigns, captures, their replay, the profiler.

A campaign is one module of `campaigns`; `validate` runs one on a GPU and writes a capture; `replay` needs no GPU.
"""
