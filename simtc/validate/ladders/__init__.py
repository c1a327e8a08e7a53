"""Published ladders: kernels of others, with the figures that their authors measured on Volta and Turing."""

from simtc.validate.ladders.ladder import Figure, Ladder, LadderKernel, ladders, read_ladder
from simtc.validate.ladders.predict import Prediction, predict, source_of
from simtc.validate.ladders.record import append, latest
from simtc.validate.ladders.standing import NEAR, Standing, standing, total_order

__all__ = [
    "NEAR",
    "Figure",
    "Ladder",
    "LadderKernel",
    "Prediction",
    "Standing",
    "append",
    "ladders",
    "latest",
    "predict",
    "read_ladder",
    "source_of",
    "standing",
    "total_order",
]
