"""What a call can fail with."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any


class FirstmileError(Exception):
    """A call that failed. The classes below group the codes by what a program does about them."""

    code: str
    """Stable, out of a closed list (docs/errors.md), or unreachable, cut_off, unexpected_answer."""
    status: int
    """HTTP status; 0 where no answer came."""
    request_id: str | None
    """Finds the request in the logs of the service."""
    errors: Sequence[Mapping[str, Any]]
    """Each finding, with its place in the request."""
    messages: Mapping[str, Any]
    """What the words say as ``detail``: codes with parameters (``codes_of(error, "detail")``); empty where they have none."""
    language: str | None
    """What the words are in, as ``Content-Language`` has it: ``de``, or ``de, en`` where a part is English; None where nobody says."""
    retry_after: float | None
    """Seconds that the service wants to be left alone; None where it does not say."""

    def __init__(
        self,
        detail: str,
        *,
        code: str,
        status: int = 0,
        request_id: str | None = None,
        errors: Sequence[Mapping[str, Any]] = (),
        messages: Mapping[str, Any] | None = None,
        language: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.errors = errors
        self.messages = messages or {}
        self.language = language
        self.retry_after = retry_after


class InvalidRequest(FirstmileError):
    """400, 413 to 415, 422, 431: the request has to be corrected; ``errors`` says where."""


class Unauthenticated(FirstmileError):
    """401: no token, or one that is not accepted."""


class Forbidden(FirstmileError):
    """403: the token lacks a scope."""


class NotFound(FirstmileError):
    """404: it is not there, or not yours."""


class Conflict(FirstmileError):
    """409: not in the present state."""


class TooManyRequests(FirstmileError):
    """429: more than a limit allows, after all retries."""


class Unavailable(FirstmileError):
    """502, 503, 504: it may work later, and did not within all retries."""


class Unreachable(FirstmileError):
    """No answer came, or it broke off (``cut_off``)."""


class UnexpectedAnswer(FirstmileError):
    """What answered is not the service: the page of a proxy, for example."""


class TaskFailed(FirstmileError):
    """A task ended without a result: it failed or was cancelled."""


_BY_STATUS: dict[int, type[FirstmileError]] = {
    **dict.fromkeys((400, 413, 414, 415, 422, 431), InvalidRequest),
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    429: TooManyRequests,
    **dict.fromkeys((502, 503, 504), Unavailable),
}

_SHOWN = 200


def error_of(
    status: int, media_type: str, body: bytes, retry_after: float | None, language: str | None = None
) -> FirstmileError:
    """The error of an answer that is a refusal."""
    kind: type[FirstmileError] = _BY_STATUS.get(status, FirstmileError)
    problem = _problem(body)
    if problem is not None:
        return kind(
            problem["detail"],
            code=problem["code"],
            status=status,
            request_id=problem.get("request_id"),
            errors=problem.get("errors", ()),
            messages=problem.get("messages"),
            language=language,
            retry_after=retry_after,
        )
    shown = re.sub(r"(?:<[^>]*>|\s)+", " ", body.decode("utf-8", "replace")).strip()[:_SHOWN]
    rest = f": {shown}" if shown else ""
    detail = f"Wanted an answer of Firstmile, got status {status} with {media_type or 'no media type'}{rest}"
    other: type[FirstmileError] = kind if kind in (Unavailable, TooManyRequests) else UnexpectedAnswer
    return other(detail, code="unexpected_answer", status=status, retry_after=retry_after)


def _problem(body: bytes) -> dict[str, Any] | None:
    try:
        read = json.loads(body)
    except (ValueError, RecursionError):
        return None
    known = isinstance(read, dict) and isinstance(read.get("code"), str) and isinstance(read.get("detail"), str)
    return read if known else None


def cut_off(why: str) -> Unreachable:
    return Unreachable(f"The answer broke off: {why}.", code="cut_off")
