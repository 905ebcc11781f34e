"""Servers are started by `make test-engines` alone: they are installed for it, and take their time."""

import os
import sys

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


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder),
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }
    builder = SparkSession.builder.master("local[2]").appName("suffice")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
