"""Runs one client against one server, with a deadline for each step."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time

START = 60
"""Seconds for a server to say where it is."""

CELL = 30
"""Seconds for a client to report a cell; the first one includes its start."""

END = 10
"""Seconds for a client to end after its last report."""


class Program:
    """A child in a process group of its own, whose output is read by line."""

    def __init__(self, command, log, env):
        command = [str(part) for part in command]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True, env=env, start_new_session=True
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def line(self, deadline):
        """The next line; `None` at the end of output or when there is none in time."""
        with contextlib.suppress(queue.Empty):
            return self.lines.get(timeout=deadline)
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for stop in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, stop)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
                break
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


def play(folder, answers, cells, transport, drive, client, server):
    """Plays `cells`. Gives the report of each by its name, and what both wrote to standard error."""
    with tempfile.TemporaryDirectory(dir=folder) as own, open(f"{own}/log", "w+") as log:
        env = {**os.environ, "XDG_STATE_HOME": own, "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
        with contextlib.ExitStack() as stack:
            where = ["stdio", *server, "stdio"]
            if transport == "http":
                running = stack.enter_context(Program([*server, "http"], log, env))
                url = running.line(START)
                where = ["http", (url or "http://127.0.0.1:1/not-started").strip()]
            reports = {}
            while cells:
                path = f"{own}/cells.json"
                with open(path, "w") as file:
                    json.dump({"answers": answers, "cells": cells}, file)
                with Program([*client, path, drive, *where], log, env) as running:
                    cells = follow(running, cells, reports)
        log.seek(0)
        return reports, log.read()


def follow(running, cells, reports):
    """Reads the reports on `cells`. Gives the cells behind one that took too long, to be played by a new client."""
    for at, cell in enumerate(cells):
        started = time.monotonic()
        line = running.line(CELL)
        if line is None:
            took = time.monotonic() - started
            why = f"nothing in {CELL} seconds" if took >= CELL else "the client ended"
            reports[cell["name"]] = {"asked": cell["asked"], "threw": why}
            return cells[at + 1 :]
        report = json.loads(line)
        reports[report["cell"]] = report
    running.line(END)
    return []
