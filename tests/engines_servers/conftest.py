"""Servers are started by `make test-engines` alone: they are installed for it, and take their time."""

import os

import pytest

from postgres_server import Postgres, Server

WHY = "needs a server: `make test-engines` installs what that takes, and starts it"


def pytest_collection_modifyitems(items):
    for item in items:
        if "engines_servers" in item.path.parts and not os.environ.get("SUFFICE_SERVERS"):
            item.add_marker(pytest.mark.skip(reason=WHY))


@pytest.fixture(scope="session")
def server():
    started = Server()
    yield started
    started.remove()


@pytest.fixture
def postgres(server):
    database = Postgres(server)
    yield database
    database.close()
