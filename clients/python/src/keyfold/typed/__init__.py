"""What generated clients are made of: a thin layer of types on the clients.

`keyfold generate python` writes files that use it; programs use those.
"""

from keyfold.options import OnUnknown
from keyfold.typed.awaited import (
    AsyncBatchWriter,
    AsyncCollection,
    AsyncQuery,
    AsyncTyped,
    AsyncWriter,
)
from keyfold.typed.blocking import BatchWriter, Collection, Query, Typed, Writer
from keyfold.typed.checked import checked
from keyfold.typed.fakes import NamedFakes
from keyfold.typed.made import (
    BatchWritten,
    MadeTable,
    NothingMade,
    Part,
    PartWritten,
    Transacted,
    Written,
)
from keyfold.typed.moments import Timespec, now, truncated
from keyfold.typed.parts import NamedPart, NamedParts, Parts
from keyfold.typed.shapes import UNSET, Page, Shapes, Unset

__all__ = [
    "UNSET",
    "AsyncBatchWriter",
    "AsyncCollection",
    "AsyncQuery",
    "AsyncTyped",
    "AsyncWriter",
    "BatchWriter",
    "BatchWritten",
    "Collection",
    "MadeTable",
    "NamedFakes",
    "NamedPart",
    "NamedParts",
    "NothingMade",
    "OnUnknown",
    "Page",
    "Part",
    "PartWritten",
    "Parts",
    "Query",
    "Shapes",
    "Timespec",
    "Transacted",
    "Typed",
    "Unset",
    "Writer",
    "Written",
    "checked",
    "now",
    "truncated",
]
