"""A PostgreSQL server of our own: in a temporary folder, on a socket, as a user who is not root; gone afterwards.

In:  Debian's package postgresql, which `make test-engines` installs, and the extra postgres.
Out: a server to be started, stopped and started again; and Postgres, a database as in `databases`.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

from databases import DuckDb, quoted, type_of

INSTALLED = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
USER = "suffice"


def program(name):
    """Debian keeps those of the server out of the path."""
    places = [*reversed(INSTALLED), *([Path(found).parent] if (found := shutil.which(name)) else [])]
    return str(next(place / name for place in places if (place / name).exists()))


class Server:
    def __init__(self):
        self.owner = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name  # root may not run one
        self.folder = Path(tempfile.mkdtemp(prefix="suffice-pg-"))
        shutil.chown(self.folder, self.owner)
        self._run("initdb", "-D", self.data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()

    @property
    def data(self):
        return str(self.folder / "data")

    def start(self):
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off -c max_connections=8"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", self.data, "-w", "-l", log, "-o", options, "start")

    def stop(self):
        """At once, whatever is going on."""
        self._run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")

    def remove(self):
        if (self.folder / "data" / "postmaster.pid").exists():  # unless a test has stopped it
            self.stop()
        shutil.rmtree(self.folder)

    def connect(self):
        import psycopg

        return psycopg.connect(host=str(self.folder), user=USER, dbname="postgres", autocommit=True)

    def _run(self, name, *arguments):
        changed = {"user": self.owner} if os.getuid() == 0 else {}
        command = [program(name), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **changed)


class Postgres:
    dialect = "postgres"

    def __init__(self, server):
        self.connection = server.connect()
        self.connection.execute("SET jit = off")

    def put(self, name, columns):
        described = ", ".join(f"{quoted(n)} {type_of(c, 0)}" for n, c in columns.items())
        self.connection.execute(f"CREATE TABLE {quoted(name)} ({described})")
        with self.connection.cursor() as cursor, cursor.copy(f"COPY {quoted(name)} FROM STDIN") as copy:
            for row in zip(*columns.values(), strict=True):
                copy.write_row(row)

    def rows(self, query):
        found = self.connection.execute(query)
        return found.fetchall() if found.description else []

    names = DuckDb.names
    close = DuckDb.close
