"""Calls of an application whose answers are held against its description."""

from __future__ import annotations

import re
from typing import Any

import httpx
from jsonschema import (  # type: ignore[import-untyped, unused-ignore]
    Draft202012Validator,
    FormatChecker,
)


class Caller:
    """Calls an application. `seen` are its answers: `GET /users/{user_id} 200`."""

    seen: set[str] = set()
    promised: set[str] = set()

    def __init__(self, http: httpx.AsyncClient, description: dict[str, Any]) -> None:
        self._http = http
        self._description = description
        self._operations = [
            (
                method.upper(),
                path,
                re.compile(re.sub(r"\{\w+\}", "[^/]+", path)),
                operation,
            )
            for path, methods in description["paths"].items()
            for method, operation in methods.items()
        ]
        Caller.promised = {
            f"{method} {path} {status}"
            for method, path, _, operation in self._operations
            for status in operation["responses"]
            if status != "default"
        }

    async def __call__(
        self, method: str, url: str, body: object = None
    ) -> tuple[int, Any]:
        """The status and the value of an answer."""
        sent: dict[str, Any] = {}
        if isinstance(body, bytes):
            sent = {"content": body, "headers": {"content-type": "application/json"}}
        elif isinstance(body, str):
            sent = {"content": body, "headers": {"content-type": "text/plain"}}
        elif body is not None:
            sent = {"json": body}
        answer = await self._http.request(method, url, **sent)
        value = answer.json()
        path = answer.request.url.path
        for known, name, pattern, operation in self._operations:
            if known == method and pattern.fullmatch(path):
                self._hold(f"{method} {name}", operation, answer, value)
        return answer.status_code, value

    def _hold(
        self, name: str, operation: Any, answer: httpx.Response, value: object
    ) -> None:
        status = answer.status_code
        responses = operation["responses"]
        response = responses.get(str(status))
        if response is None:
            assert status >= 500 or status == 413, (
                f"{name} is answered by {status}: {value}"
            )
            response = responses["default"]
        kind = answer.headers["content-type"]
        assert kind in response["content"], f"{name} is answered as {kind}"
        schema = response["content"][kind]["schema"]
        whole = {**schema, "components": self._description["components"]}
        Draft202012Validator(whole, format_checker=FormatChecker()).validate(value)
        Caller.seen.add(f"{name} {status}")
