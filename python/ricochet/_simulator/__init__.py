"""Simulations step by step and many at once, with their derivatives."""
