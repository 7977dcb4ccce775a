# Made by scripts/generate.py from _async/__init__.py. Do not edit.
"""The clients whose calls block. scripts/generate.py makes `_sync` of this folder."""
