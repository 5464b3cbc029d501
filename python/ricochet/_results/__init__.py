"""Estimates, and how results are shown: tables, plots and pages."""
