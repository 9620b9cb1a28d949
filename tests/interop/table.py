"""Makes the table for README.md of what was seen."""

BEGIN = "<!-- made by tests/interop/run --write: begin -->"
END = "<!-- made by tests/interop/run --write: end -->"

HOW = {"auto": "automatically", "hand": "by hand", "saved": "saved"}
MARKS = "¹²³⁴⁵⁶⁷⁸⁹"


def verdict(runs):
    """What to say of (transport, drive) -> (whether it was as expected, why it is not offered)."""
    names = {how: f"{'HTTP' if how[0] == 'http' else how[0]} {HOW[how[1]]}" for how in runs}
    failed = [names[how] for how, (ok, _) in runs.items() if not ok]
    if len(failed) == len(runs):
        return "**no**"
    if failed:
        return "**not** " + ", ".join(sorted(failed))
    offered = {drive for (_, drive), (_, why) in runs.items() if not why}
    if not offered:
        return "not offered"
    missing = sorted({HOW[drive] for _, drive in runs} - {HOW[drive] for drive in offered})
    return f"not {', '.join(missing)}" if missing else "yes"


def table(cells, peers, seen, notes):
    names = list(dict.fromkeys(cell["row"] for cell in cells))
    sides = [(peer, side) for peer in peers for side in ("client", "server")]
    footnotes = []

    def mark(text):
        if text not in footnotes:
            footnotes.append(text)
        return MARKS[footnotes.index(text)]

    def field(peer, side, name):
        runs, marks = {}, []
        for cell in (cell for cell in cells if cell["row"] == name):
            key = (peer, side, cell["name"])
            for how, (ok, why) in seen.get(key, {}).items():
                before, reason = runs.get(how, (True, None))
                runs[how] = (before and ok, reason or why)
                marks += [mark(why)] if why else []
            marks += [mark(notes[key])] if key in notes else []
        if not runs:
            return "–"
        return " ".join([verdict(runs), *dict.fromkeys(marks)])

    rows = [["", *(peers[peer][side][1] for peer, side in sides)]]
    rows.append(["---"] * (len(sides) + 1))
    rows += [[name, *(field(peer, side, name) for peer, side in sides)] for name in names]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines += [f"\n{MARKS[index]} {text}" for index, text in enumerate(footnotes)]
    return "\n".join(lines)
