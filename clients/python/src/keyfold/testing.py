"""Helpers for tests: a server in memory, in a process of its own, and factories of entities
(`keyfold.fakes`).

```python
@pytest.fixture(scope="session")
def shop():
    with keyfold.testing.serve() as server, Client(PLAN, server.endpoint) as client:
        client.ensure_tables()
        yield client
```
"""

from __future__ import annotations

from keyfold.fakes import Fakes
from keyfold.transport.process import Server

__all__ = ["Fakes", "serve"]


def serve(*arguments: str) -> Server:
    """Starts `keyfold serve --memory` on a free port. It ends with the `with` block, or by `stop`.

    The binary is that of KEYFOLD_BIN, or of the PATH.
    """
    return Server(["--memory", *arguments])
