"""How a prompt presents skills."""

from typing import Literal, TypeAlias

PromptMode: TypeAlias = Literal["two_state", "listing", "combined", "discover"]
"""What a prompt holds: the listing or else the loaded skill, the listing alone, both, or only how to find skills."""
PromptFormat: TypeAlias = Literal["xml", "yaml", "markdown", "json"]
"""How a listing is written."""
