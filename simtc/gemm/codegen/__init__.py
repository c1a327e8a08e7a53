"""What generated programs are made of: instructions as text, control codes, matrix instructions.

A family writes its instructions into a `Code`; `control_codes` then adds stall counts, scoreboards and waits.
"""
