# Made by scripts/generate.py from the OpenAPI document of the service. Do not edit.
