"""Writes the table of operations into COMPAT.md: `python e2e/compat.py`. The API model is botocore's."""

import pathlib
import tomllib

import botocore.session

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- operations: begin -->\n", "<!-- operations: end -->\n"


def models():
    """The operations of both endpoints and their members."""
    session = botocore.session.Session()
    found = {}
    for service in ("dynamodb", "dynamodbstreams"):
        model = session.get_service_model(service)
        for name in model.operation_names:
            shape = model.operation_model(name).input_shape
            found[name] = list(shape.members) if shape else []
    return found


def exceptions():
    return tomllib.loads((ROOT / "e2e" / "compat.toml").read_text())


def table():
    known = exceptions()
    rows = ["| operation | state | members |\n", "|---|---|---|\n"]
    for operation, members in sorted(models().items()):
        if operation in known["absent"]:
            rows.append(f"| {operation} | absent | {known['absent'][operation]} |\n")
            continue
        notes = {m: known["members"].get(f"{operation}.{m}") for m in members}
        same = ", ".join(f"`{m}`" for m, note in notes.items() if not note)
        others = "; ".join(f"`{m}` {note}" for m, note in notes.items() if note)
        differs = known["differs"].get(operation)
        state = f"differs: {differs}" if differs else "same"
        cell = "; ".join(part for part in (f"same: {same}" if same else "", others) if part)
        rows.append(f"| {operation} | {state} | {cell} |\n")
    return "".join(rows)


def document():
    """COMPAT.md as it should be."""
    text = (ROOT / "COMPAT.md").read_text()
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    return head + BEGIN + table() + END + tail


if __name__ == "__main__":
    (ROOT / "COMPAT.md").write_text(document())
