"""The colours of stall causes, for pictures and for the explorer."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CAUSE_COLORS"]

# Work has the colour of ink; waiting for memory is blue, for pipes and queues orange to red, for other warps grey and
# violet. Each stands out 3 to 1 from light and from dark paper. The safe ones are near Okabe's and Ito's hues, which
# are told apart with any colour vision; on white their yellow and sky blue have to be darker.
CAUSE_COLORS: Mapping[str, Mapping[str, str]] = {
    "standard": {
        "selected": "ink",
        "wait": "#87939f",
        "not_selected": "#5b6977",
        "barrier": "#8c6bb1",
        "short_scoreboard": "#4a97c2",
        "long_scoreboard": "#2166ac",
        "mio_throttle": "#de7a1a",
        "lg_throttle": "#e8603a",
        "math_pipe_throttle": "#c9302c",
        "branch_resolving": "#649c30",
        "no_instruction": "#95886c",
        "drain": "#4d9221",
        "dispatch_stall": "#c51b7d",
        "membar": "#9545a8",
        "sleeping": "#7d9d55",
        "imc_miss": "#01847b",
    },
    "safe": {
        "selected": "ink",
        "wait": "#87939f",
        "not_selected": "#5b6977",
        "barrier": "#cc79a7",
        "short_scoreboard": "#3a9ad0",
        "long_scoreboard": "#0072b2",
        "mio_throttle": "#9a8a00",
        "lg_throttle": "#c97a00",
        "math_pipe_throttle": "#d55e00",
        "branch_resolving": "#009e73",
        "no_instruction": "#95886c",
        "drain": "#5b8c5a",
        "dispatch_stall": "#9b59b6",
        "membar": "#6b6b6b",
        "sleeping": "#7d9d55",
        "imc_miss": "#00847a",
    },
}
