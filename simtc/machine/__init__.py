"""Functional execution: memory, warps, blocks, and the meaning of every opcode."""
