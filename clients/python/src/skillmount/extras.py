"""What an adapter says if the packages of its extra are not installed."""

from __future__ import annotations


def missing(extra: str, cause: ImportError) -> ImportError:
    """The error that names the extra.

    Args:
        extra: The extra of this package that installs what is missing, such as `google-adk`.
        cause: What importing the framework raised.

    Returns:
        An error of the same class for the adapter to raise.

    Example:
        `raise missing("google-adk", cause) from cause`
    """
    return type(cause)(
        f"{cause}; this adapter needs the extra `{extra}`. In a clone of the repository: "
        f"pip install './clients/python[{extra}]'",
        name=cause.name,
        path=cause.path,
    )
