from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillmount.testing import Server, server

BUILT = Path(__file__).parents[3] / "target" / "debug" / "skillmount"


def program() -> str:
    return os.environ.get("SKILLMOUNT_PROGRAM") or str(BUILT)


@pytest.fixture(scope="session")
def service() -> Iterator[Server]:
    with server(program=program()) as running:
        yield running


@pytest.fixture(scope="session", params=["memory", "directory", "localstack"])
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service on each kind of store; LocalStack if it runs."""
    store, arguments = "memory:", tuple[str, ...]()
    if request.param == "directory":
        store = f"file:{tmp_path_factory.mktemp('store')}"
    elif request.param == "localstack":
        if "SKILLMOUNT_TEST_S3_ENDPOINT" not in os.environ:
            pytest.skip("LocalStack does not run")
        store = f"s3://{os.environ['SKILLMOUNT_TEST_S3_BUCKET']}/python-{uuid.uuid4().hex}"
        arguments = ("--endpoint-url", os.environ["SKILLMOUNT_TEST_S3_ENDPOINT"], "--path-style")
    with server(program=program(), store=store, arguments=arguments) as running:
        yield running


@pytest.fixture
def user(service: Server) -> str:
    """A user with two skills whom no other test has."""
    return _new_user(service)


@pytest.fixture
def user_of_stores(stores: Server) -> str:
    """The same on each kind of store."""
    return _new_user(stores)


def _new_user(service: Server) -> str:
    name = f"u{uuid.uuid4().hex[:10]}"
    service.publish(
        name,
        "writing/minutes",
        "Writes the minutes of a meeting. Use when notes become minutes.",
        "# Minutes\n\nBegin with the SECRET-OF-MINUTES heading.\n",
        {"template.md": "## Decisions\n"},
    )
    service.publish(name, "law/leases", "Drafts leases. Use when someone rents.", "# Leases\n\nSECRET-OF-LEASES\n")
    return name
