"""What calls are made of, apart from how bytes are moved.

A call is a generator: it yields the steps below and is sent what became of them. ``_drive`` runs it, with or without ``await``,
so that there is one implementation of both clients.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from urllib.parse import quote

from ._errors import FirstmileError, UnexpectedAnswer, Unreachable, cut_off, error_of
from ._retries import Retries, retry_after
from ._sources import Form


class Answer(Protocol):
    """An answer whose body is not read yet."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    """With its ids filled in."""
    params: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    form: Form | None = None
    """Sent as multipart in place of a JSON body."""
    accept: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    idempotency_key: str | None = None
    """Default: a new one, where the service takes one."""
    silence: float | None = None
    """Seconds that the answer may be silent, where that is less than usual."""


@dataclass(frozen=True)
class Send:
    """Gives an ``Answer``; throws ``Unreachable``."""

    request: Request


@dataclass(frozen=True)
class Piece:
    """Gives the next bytes of an answer, or None at its end; throws ``Unreachable`` with ``cut_off``. Closes it in either case."""

    answer: Answer


@dataclass(frozen=True)
class Wait:
    seconds: float


@dataclass(frozen=True)
class Give:
    """An item for the caller of a stream."""

    item: Any


Step = Send | Piece | Wait | Give
Steps = Generator[Step, Any, Any]

REPEATABLE = frozenset(
    {
        "/batch_process",
        "/forest_polygon/lookup",
        "/normalize_locations",
        "/stage_plots",
        "/traces/submissions",
        "/upload_plots",
        "/validate_facilities",
        "/validate_locations",
    }
)
"""What may be posted again with the same ``Idempotency-Key``."""


def fill(template: str, **ids: str) -> str:
    return template.format(**{name: quote(str(value), safe="") for name, value in ids.items()})


def call(request: Request, retries: Retries, read: Callable[[Answer], Steps]) -> Steps:
    """Sends a request, again where that is safe and may help, and returns what ``read`` makes of the answer."""
    takes_key = request.method == "POST" and request.path in REPEATABLE
    is_repeatable = takes_key or request.method in ("GET", "PUT")
    headers = dict(request.headers)
    if takes_key:
        headers["idempotency-key"] = _quoted(request.idempotency_key or secrets.token_hex(16))
    keyed = replace(request, headers=headers)
    sent = 0
    while True:
        sent += 1
        try:
            answer = yield from _attempt(keyed)
            return (yield from read(answer))
        except FirstmileError as error:
            wait = retries.wait_before(error, is_repeatable, sent)
            if wait is None:
                raise
        yield Wait(wait)


def _attempt(request: Request) -> Steps:
    answer: Answer = yield Send(request)
    if 200 <= answer.status < 300:
        return answer
    try:
        body = yield from read_bytes(answer)
    except Unreachable:
        body = b""
    headers = answer.headers
    language = headers.get("content-language")
    raise error_of(answer.status, headers.get("content-type", ""), body, retry_after(headers), language)


def filtered(steps: Steps, take: Callable[[Any], Any], is_last: Callable[[Any], bool] | None = None) -> Steps:
    """The same steps, but what they give is what ``take`` makes of it, and nothing where that is None.

    Ends after the item that ``is_last`` says is the last.
    """
    reply: Any = None
    failure: FirstmileError | None = None
    while True:
        try:
            step = steps.send(reply) if failure is None else steps.throw(failure)
        except StopIteration as end:
            return end.value
        reply = failure = None
        if isinstance(step, Give):
            item = take(step.item)
            if item is None:
                continue
            step = Give(item)
        try:
            reply = yield step
        except FirstmileError as error:
            failure = error
        if isinstance(step, Give) and is_last is not None and is_last(step.item):
            return None


def unread(answer: Answer) -> Steps:
    """An answer that is read elsewhere: what breaks off then is not sent again here."""
    return answer
    yield


def read_bytes(answer: Answer) -> Steps:
    pieces: list[bytes] = []
    while (piece := (yield Piece(answer))) is not None:
        pieces.append(piece)
    return b"".join(pieces)


def read_json(answer: Answer) -> Steps:
    body: bytes = yield from read_bytes(answer)
    if body == b"":
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        media_type = answer.headers.get("content-type", "")
        if "json" in media_type:
            raise cut_off("it is not whole JSON") from None
        detail = f"Wanted JSON, got {media_type or 'no media type'}: is this the address of Firstmile?"
        raise UnexpectedAnswer(detail, code="unexpected_answer", status=answer.status) from None


def _quoted(text: str) -> str:
    """As a string of RFC 8941, which may hold spaces and commas."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
