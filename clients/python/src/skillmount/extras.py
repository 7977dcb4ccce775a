"""What a module says if the framework that it is for is not installed."""

from __future__ import annotations


def missing(extra: str, error: ModuleNotFoundError) -> ModuleNotFoundError:
    """The error of a module that is not there, with the extra that brings it.

    Args:
        extra: The extra of this package, such as `deepagents`.
        error: The error of the import. One about a module of this package stays as it is.

    Example:
        try:
            import deepagents
        except ModuleNotFoundError as error:
            raise missing("deepagents", error) from error
    """
    if (error.name or "").partition(".")[0] == "skillmount":
        return error
    return ModuleNotFoundError(
        f"{error.msg}; run `pip install 'skillmount[{extra}]'`", name=error.name, path=error.path
    )
