"""Plays every cell with every peer and makes the table. `run` installs and builds what this needs."""

import argparse
import concurrent.futures
import json
import os
import sys
import tempfile
from pathlib import Path

from play import play
from table import BEGIN, END, table

HERE = Path(__file__).resolve().parent
README = HERE.parent.parent / "README.md"
EXAMPLES = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent.parent / "target")) / "debug" / "examples"
RMCP = Path(os.environ.get("CARGO_TARGET_DIR", HERE / "rmcp" / "target")) / "debug"
NODE = HERE / "typescript" / "node_modules" / ".bin" / "node"
PYTHON = HERE / "python" / "venv" / "bin" / "python"

MRTR_CLIENT, MRTR_SERVER = [EXAMPLES / "interop_client"], [EXAMPLES / "interop_server"]

# How each is started, and what people call it.
PEERS = {
    "typescript": {
        "client": ([NODE, HERE / "typescript" / "client.mjs"], "`@modelcontextprotocol/client` 2.4.0"),
        "server": ([NODE, HERE / "typescript" / "server.mjs"], "`@modelcontextprotocol/server` 2.4.0"),
    },
    "mcp": {
        "client": ([PYTHON, HERE / "python" / "mcp_client.py"], "`mcp` 2.3.0 client"),
        "server": ([PYTHON, HERE / "python" / "mcp_server.py"], "`mcp` 2.3.0 server"),
    },
    "fastmcp": {
        "client": ([PYTHON, HERE / "python" / "fastmcp_client.py"], "`fastmcp` 4.2.3 client"),
        "server": ([PYTHON, HERE / "python" / "fastmcp_server.py"], "`fastmcp` 4.2.3 server"),
    },
    "rmcp": {
        "client": ([RMCP / "client"], "`rmcp` 3.11.0 client"),
        "server": ([RMCP / "server"], "`rmcp` 3.11.0 server"),
    },
}

ASKS_ALL_THE_SAME = (
    "Does not check what a client declared, and asks all the same; mrtr's client then ends the call with an error and "
    "answers nothing."
)
CHECKS_ITSELF = "The automatic loop checks answers against the form itself, and ends the call at one that does not fit."
WANTS_THE_END = (
    "By hand, `callTool` of a tool whose output schema it knows takes a result that asks for one without structured "
    "content, and fails."
)
NO_SUBSCRIPTIONS = "Answers `subscriptions/listen` with method not found."

# What a peer does not offer, by side, cell and drive (all where it is None): why, and what is seen instead, which is
# checked. In "asked" are the questions that are asked all the same.
NOT_OFFERED = {
    ("fastmcp", "server", "undeclared", None): (ASKS_ALL_THE_SAME, {"threw": "without the client having declared"}),
    ("rmcp", "server", "undeclared", None): (ASKS_ALL_THE_SAME, {"threw": "without the client having declared"}),
    ("fastmcp", "server", "subscription", None): (NO_SUBSCRIPTIONS, {"error": -32601}),
    ("fastmcp", "client", "corrected", "auto"): (CHECKS_ITSELF, {"asked": ["Which page?"], "error": -32603}),
    ("typescript", "client", "structured", "hand"): (WANTS_THE_END, {"asked": [], "error": -32600}),
}

# What should be known of cells that work.
NOTES = {
    ("typescript", "client", "progress"): "A report that arrives together with the result is dropped (typescript-sdk issue 2580).",
    ("mcp", "server", "resource"): "Resource templates only: the function of a plain resource gets no context to ask with.",
    ("fastmcp", "client", "subscription"): "Through `mcp.client.subscriptions.listen` with `client.session`; there is no way of its own.",
    ("fastmcp", "client", "rounds"): "By hand through `client.session`, which is that of `mcp`; there is no manual way of its own.",
}


def runs(peers):
    """Each (peer, side of the peer, transport, drive, client, server)."""
    for peer in peers:
        for transport in ("http", "stdio"):
            client, _ = PEERS[peer]["client"]
            for drive in ("auto", "hand"):
                yield peer, "client", transport, drive, client, MRTR_SERVER
            server, _ = PEERS[peer]["server"]
            for drive in ("auto", "hand", "saved"):
                yield peer, "server", transport, drive, MRTR_CLIENT, server


def cells_for(cells, side, drive):
    """The cells that make sense. mrtr's client sends neither states it was not given nor answers that do not fit."""
    return [cell for cell in cells if cell.get("side", side) == side and cell.get("drive", drive) == drive]


def instead_of(peer, side, cell, drive):
    """Why a peer does not offer a cell, and what is seen instead; or nothing."""
    return NOT_OFFERED.get((peer, side, cell["name"], drive)) or NOT_OFFERED.get((peer, side, cell["name"], None))


def wrong(cell, expected, report, drive):
    """What is wrong with what a client reported, if anything."""
    if report is None:
        return "no report"
    expected = {"asked": cell["asked"], **expected}
    for name, value in expected.items():
        seen = report.get(name)
        right = {
            "asked": lambda: sorted(seen) == sorted(value),
            "text": lambda: seen == value,
            "error": lambda: seen == value,
            "toolError": lambda: seen is not None,
            "progress": lambda: seen is True,
            "structured": lambda: value.items() <= (seen or {}).items(),
            "threw": lambda: value in (seen or ""),
        }[name]()
        if not right:
            return f"not {name} {value!r} but {json.dumps(report, ensure_ascii=False)}"
    if drive != "auto" and report.get("rounds") not in (None, cell.get("rounds")):
        return f"{report['rounds']} rounds"
    return None


def main():
    parser = argparse.ArgumentParser(prog="run")
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    parser.add_argument("peers", nargs="*", metavar="PEER", help=f"of {', '.join(PEERS)}; all by default")
    options = parser.parse_args()
    peers = options.peers or list(PEERS)
    fixture = json.loads((HERE / "cells.json").read_text())

    seen, problems, played = {}, [], 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = {}
        for run in runs(peers):
            peer, side, transport, drive, client, server = run
            cells = cells_for(fixture["cells"], side, drive)
            job = pool.submit(play, Path(folder), fixture["answers"], cells, transport, drive, client, server)
            futures[job] = (run, cells)
        for job in concurrent.futures.as_completed(futures):
            (peer, side, transport, drive, *_), cells = futures[job]
            reports, log = job.result()
            failed = []
            for cell in cells:
                why, instead = instead_of(peer, side, cell, drive) or (None, cell["expect"])
                problem = wrong(cell, instead, reports.get(cell["name"]), drive)
                seen.setdefault((peer, side, cell["name"]), {})[transport, drive] = (problem is None, why)
                if problem:
                    failed.append(f"{cell['name']}: {problem}")
            played += len(cells)
            who = f"{peer} {side}, {transport}, {drive}"
            print(f"{who}: {len(cells) - len(failed)} of {len(cells)}", flush=True)
            if failed:
                problems += [f"{who}: {problem}" for problem in failed]
                print("\n".join(f"    {problem}" for problem in failed), *log.splitlines()[-20:], sep="\n    ", flush=True)

    text = table(fixture["cells"], {peer: PEERS[peer] for peer in peers}, seen, NOTES)
    print(f"\n{text}\n")
    stale = peers == list(PEERS) and not keep(text, options.write)
    print(f"{played - len(problems)} passed, {len(problems)} failed")
    sys.exit(1 if problems or stale else 0)


def keep(text, write):
    """Whether the table in README.md is this one; with `write` it is afterwards."""
    readme = README.read_text()
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        print(f"{README} has no place for the table: {BEGIN} and {END}", file=sys.stderr)
        return False
    new = f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"
    if write and new != readme:
        README.write_text(new)
        print("README.md has the new table")
        return True
    if new != readme:
        print("the table in README.md is another one: tests/interop/run --write", file=sys.stderr)
    return new == readme


if __name__ == "__main__":
    main()
