"""What generated clients are made of: a thin layer of types on the clients.

`keyfold generate python` writes files that use it; programs use those.
"""

from keyfold.typed.awaited import AsyncQuery, AsyncTyped, AsyncWriter
from keyfold.typed.blocking import Query, Typed, Writer
from keyfold.typed.shapes import UNSET, Page, Shapes, Unset

__all__ = [
    "UNSET",
    "AsyncQuery",
    "AsyncTyped",
    "AsyncWriter",
    "Page",
    "Query",
    "Shapes",
    "Typed",
    "Unset",
    "Writer",
]
