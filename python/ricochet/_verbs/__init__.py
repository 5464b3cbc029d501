"""The verbs of the program, one module each."""
