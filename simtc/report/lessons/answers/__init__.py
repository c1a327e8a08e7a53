"""What each lesson asks: a module a lesson, whose answers simtc computes when they are asked for."""
