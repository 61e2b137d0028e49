"""What generated classes need of pydantic, which this package does not install by itself."""

from __future__ import annotations

try:
    from pydantic import ConfigDict
    from pydantic.dataclasses import dataclass
except ModuleNotFoundError as error:
    needed = f"{error}: the generated classes check their values; `pip install keyfold[pydantic]`"
    raise ModuleNotFoundError(needed, name=error.name) from error

__all__ = ["ConfigDict", "dataclass"]
