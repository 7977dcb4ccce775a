"""The clients whose calls are awaited. scripts/generate.py makes `_sync` of this folder."""
