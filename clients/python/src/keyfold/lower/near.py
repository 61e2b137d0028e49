"""Similar names: suggestions for a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable

_LETTERS_MAX = 2


def _distance(one: str, two: str) -> int:
    """The edit distance of two words."""
    row = list(range(len(two) + 1))
    for at, letter in enumerate(one, 1):
        corner, row[0] = row[0], at
        for place, other in enumerate(two, 1):
            above = row[place]
            row[place] = min(corner + (letter != other), above + 1, row[place - 1] + 1)
            corner = above
    return row[-1]


def meant(name: str, known: Iterable[str]) -> str:
    """The nearest names as the end of a message: ``; did you mean `user`?``."""
    near: set[tuple[int, str]] = set()
    for other in known:
        if abs(len(other) - len(name)) > _LETTERS_MAX or len(name) > 200:
            continue
        far = _distance(other.lower(), name.lower())
        if far <= _LETTERS_MAX and 2 * far <= min(len(other), len(name)):
            near.add((far, other))
    least = min(near, default=(0, ""))[0]
    quoted = [f"`{other}`" for far, other in sorted(near) if far == least][:3]
    return f"; did you mean {' or '.join(quoted)}?" if quoted else ""
