"""What generated clients are made of: a thin layer of types on the clients.

`keyfold generate python` writes files that use it; programs use those.
"""

from keyfold.typed.awaited import AsyncBatchWriter, AsyncQuery, AsyncTyped, AsyncWriter
from keyfold.typed.blocking import BatchWriter, Query, Typed, Writer
from keyfold.typed.parts import NamedParts, Parts
from keyfold.typed.shapes import UNSET, Page, Shapes, Unset
from keyfold.writes import TransactionWrite

__all__ = [
    "UNSET",
    "AsyncBatchWriter",
    "AsyncQuery",
    "AsyncTyped",
    "AsyncWriter",
    "BatchWriter",
    "NamedParts",
    "Page",
    "Parts",
    "Query",
    "Shapes",
    "TransactionWrite",
    "Typed",
    "Unset",
    "Writer",
]
