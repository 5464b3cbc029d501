"""Scenes and recordings: what verbs take, and files that they come from."""
