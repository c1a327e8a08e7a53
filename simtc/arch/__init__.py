"""Chips as data: SM generations and boards, every constant with its unit, source and status."""

from simtc.arch.constant import STATUSES, Constant, Number
from simtc.arch.device import Device, device, device_names
from simtc.arch.generation import ALIASES, Sm, sm, sm_names

__all__ = ["ALIASES", "STATUSES", "Constant", "Device", "Number", "Sm", "device", "device_names", "sm", "sm_names"]
