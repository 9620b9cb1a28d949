"""Runs the suite and judges its `checks.json` files: its exit code says nothing of warnings, nor of clients that
crash or time out."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

REVISION = "2026-07-28"
BIN = pathlib.Path("node_modules/.bin")
SUITE = [str(BIN / "node"), str(BIN / "conformance")]
# Not scored by the suite, and passed all the same.
SERVER_BESIDES = ["json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"]
CLIENT = [
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
]


def required_of_servers():
    """The scenarios the revision requires, read from the suite's own list."""
    path = f"node_modules/@modelcontextprotocol/conformance/requirements/{REVISION}.yaml"
    section = re.search(r"^server:\n((?:  - .*\n)+)", pathlib.Path(path).read_text(), re.M)
    return [line.strip().removeprefix("- ") for line in section[1].splitlines()]


def judge(folder, leg, name):
    """What the checks of a scenario came to; nothing is wrong with an empty list."""
    # The client leg has no prefix in the names of its folders, and a `/` may be in a scenario's name.
    prefix = "server-" if leg == "server" else ""
    found = [path for path in folder.rglob("checks.json") if re.fullmatch(re.escape(prefix + name) + r"-\d{4}-.*", path.parent.name)]
    if len(found) != 1:
        return 0, [f"ran {len(found)} times"]
    checks = json.loads(found[0].read_text())
    passed = sum(check["status"] == "SUCCESS" for check in checks)
    wrong = [
        f"{check['status']} {check['id']}: {check.get('errorMessage') or ''}"
        for check in checks
        if check["status"] not in ("SUCCESS", "INFO", "SKIPPED")
    ]
    return passed, wrong if passed or wrong else ["nothing was checked"]


def report(leg, name, passed, wrong):
    print(f"{leg:6}  {name:46}  {passed:3} passed  {'ok' if not wrong else 'FAILED'}")
    for line in wrong:
        print(f"        {line}")
    return not wrong


def run(arguments, folder, seconds):
    command = [*SUITE, *arguments, "-o", str(folder)]
    return subprocess.run(command, timeout=seconds, capture_output=True, text=True)


def servers(examples, folder):
    server = subprocess.Popen([examples / "everything", "--http", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().removeprefix("listening on ").strip()
        run(["server", "--url", url, "--requirements", REVISION], folder, 300)
    finally:
        server.terminate()
        server.wait(timeout=30)
    required = required_of_servers()
    results = [report("server", name, *judge(folder, "server", name)) for name in required + SERVER_BESIDES]
    print(f"server: {sum(results[: len(required)])} of {len(required)} required, {sum(results[len(required) :])} of {len(SERVER_BESIDES)} besides")
    return all(results)


def clients(examples, folder):
    results = []
    for name in CLIENT:
        command = str((examples / "everything_client").resolve())
        ended = run(["client", "--command", command, "--scenario", name, "--spec-version", REVISION], folder, 60)
        passed, wrong = judge(folder, "client", name)
        if ended.returncode != 0:
            wrong = [*wrong, f"the suite exited with {ended.returncode}: {ended.stderr.strip()[-300:]}"]
        results.append(report("client", name, passed, wrong))
    print(f"client: {sum(results)} of {len(CLIENT)}")
    return all(results)


def main():
    examples = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        passed = [servers(examples, folder / "server"), clients(examples, folder / "client")]
    sys.exit(0 if all(passed) else 1)


main()
