"""Makes the table for README.md of what was seen."""

BEGIN = "<!-- made by tests/interop/run --write: begin -->"
END = "<!-- made by tests/interop/run --write: end -->"

HOW = {"auto": "automatically", "hand": "by hand", "saved": "saved"}
MARKS = "¹²³⁴⁵⁶⁷⁸⁹"


def verdict(runs):
    """What to say of (transport, drive) -> whether it worked."""
    if all(runs.values()):
        return "yes"
    if not any(runs.values()):
        return "**no**"
    failed = (f"{transport.upper() if transport == 'http' else transport} {HOW[drive]}" for (transport, drive), ok in runs.items() if not ok)
    return "**not** " + ", ".join(sorted(failed))


def table(cells, peers, seen, not_offered, notes):
    names = list(dict.fromkeys(cell["row"] for cell in cells))
    sides = [(peer, side) for peer in peers for side in ("client", "server")]
    footnotes = []

    def mark(text):
        if text not in footnotes:
            footnotes.append(text)
        return MARKS[footnotes.index(text)]

    def field(peer, side, name):
        runs, marks, offered = {}, [], True
        for cell in (cell for cell in cells if cell["row"] == name):
            key = (peer, side, cell["name"])
            for how, ok in seen.get(key, {}).items():
                runs[how] = runs.get(how, True) and ok
            if key in not_offered:
                offered = False
                marks.append(mark(not_offered[key][0]))
            elif key in notes:
                marks.append(mark(notes[key]))
        if not runs:
            return "–"
        said = verdict(runs)
        if said == "yes" and not offered:
            said = "not offered"
        return " ".join([said, *dict.fromkeys(marks)])

    rows = [["", *(peers[peer][side][1] for peer, side in sides)]]
    rows.append(["---"] * (len(sides) + 1))
    rows += [[name, *(field(peer, side, name) for peer, side in sides)] for name in names]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines += [f"\n{MARKS[index]} {text}" for index, text in enumerate(footnotes)]
    return "\n".join(lines)
