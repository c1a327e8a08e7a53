"""What stands for what: the part of a large launch that the clock executes, and how the whole follows from it.

`portion` chooses SMs and waves of blocks, `skeleton` and `forward` take warps past iterations without executing them,
`footprint` finds what the other SMs would have fetched, and `sampled` composes the launch.
"""
