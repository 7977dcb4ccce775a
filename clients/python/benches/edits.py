"""Sixteen threads edit one file ten times each: what a backend of deepagents says is done, and what is in the file.

    make bench-python

Each edit replaces a line of its own, so none is in another's way. The published backends do not work with the
deepagents of this package: they run in an environment of their own, with the last one that they were made for.
"""

from __future__ import annotations

import os
import sys
import time
import uuid
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib.metadata import version
from typing import Any

THREADS, EDITS = 16, 10
LINES = THREADS * EDITS
PATH = "/shared.md"

Made = tuple[str, Any, Callable[[], str]]
"""A backend: its name and version, itself, and how the file is read back."""


def skillmount(until_the_end: ExitStack) -> Made:
    """Ours, with a service on the bucket."""
    from skillmount.deepagents import SkillmountBackend
    from skillmount.testing import server

    store = f"s3://{os.environ['SKILLMOUNT_TEST_S3_BUCKET']}/bench-{uuid.uuid4().hex}"
    arguments = ("--endpoint-url", os.environ["AWS_ENDPOINT_URL_S3"], "--path-style")
    service = until_the_end.enter_context(server(store=store, arguments=arguments))
    backend = SkillmountBackend.fixed("ana", "bench", service.url, root="/workspace")
    deepagents = version("deepagents")
    return f"skillmount (deepagents {deepagents})", backend, lambda: str(backend.read(PATH).file_data)


def contrib(_: ExitStack) -> Made:
    """`deepagents-contrib-aws`."""
    from deepagents_contrib_aws import S3Backend

    backend = S3Backend(os.environ["SKILLMOUNT_TEST_S3_BUCKET"], f"bench-{uuid.uuid4().hex}")
    return _named("deepagents-contrib-aws"), backend, lambda: str(backend.read(PATH))


def backends(_: ExitStack) -> Made:
    """`deepagents-backends`."""
    from deepagents_backends import S3Backend, S3Config

    config = S3Config(
        os.environ["SKILLMOUNT_TEST_S3_BUCKET"],
        f"bench-{uuid.uuid4().hex}",
        endpoint_url=os.environ["AWS_ENDPOINT_URL_S3"],
        access_key_id=os.environ["AWS_ACCESS_KEY_ID"],
        secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"],
        use_ssl=False,
    )
    backend = S3Backend(config)
    return _named("deepagents-backends"), backend, lambda: str(backend.read(PATH))


ALL: dict[str, Callable[[ExitStack], Made]] = {"skillmount": skillmount, "contrib": contrib, "backends": backends}


def _named(package: str) -> str:
    return f"{package} {version(package)} (deepagents {version('deepagents')})"


def measure(make: Callable[[ExitStack], Made]) -> dict[str, Any]:
    """Have a backend's file edited."""
    with ExitStack() as until_the_end:
        name, backend, read = make(until_the_end)
        # Once the packages are imported, which set filters of their own: they warn with each edit.
        warnings.simplefilter("ignore")
        written = backend.write(PATH, "".join(f"<{number}>\n" for number in range(LINES)))
        if written.error:
            raise RuntimeError(f"{name} does not write: {written.error}")

        def work(thread: int) -> int:
            mine = range(thread * EDITS, (thread + 1) * EDITS)
            return sum(backend.edit(PATH, f"<{number}>", f"[{number}]").error is None for number in mine)

        began = time.monotonic()
        with ThreadPoolExecutor(THREADS) as pool:
            said = sum(pool.map(work, range(THREADS)))
        seconds = time.monotonic() - began
        text = read()
        kept = sum(f"[{number}]" in text for number in range(LINES))
        return {"name": name, "said": said, "kept": kept, "seconds": seconds}


def main() -> None:
    """Measure one backend, and print its row."""
    row = measure(ALL[sys.argv[1]])
    print(f"{row['name']:<52} {row['said']:>15} {row['kept']:>12} {row['seconds']:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
