"""The campaigns, one module each: `cases(settings, chip)` returns what one compares."""
