"""Verifies webhooks that the service sent."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_MAX_HEADER_LENGTH = 1_024


@dataclass(frozen=True)
class WebhookEvent:
    id: str
    """The same in every attempt to deliver the event; process an id once."""
    type: str
    data: Any
    created_at: str
    """ISO 8601; the time of the event, not of the delivery."""


class WebhookRefused(Exception):
    """Answer 401 and do not read the body."""

    reason: str
    """body_not_raw, secret_missing, header_missing, header_malformed, signature_mismatch, too_old, too_new or
    body_not_an_event."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def verify_webhook(
    raw_body: bytes | str,
    header: str | Sequence[str] | None,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """Returns the event of a webhook, or raises ``WebhookRefused``: no answer can be overlooked.

    ``raw_body`` is the body of the request before anything parsed it, ``header`` the value of ``X-Service-Webhook-Signature``,
    ``secret`` the whole ``client_secret``, or all those in force while it is rotated. ``tolerance`` is how many seconds the
    time of the signature may be away from ``now``, either way. Signatures are compared in constant time.
    """
    if not tolerance >= 0:
        raise TypeError(f"tolerance: wanted seconds, got {tolerance}")
    if not isinstance(raw_body, (bytes, str)):
        raise WebhookRefused("body_not_raw", "wanted the raw text or bytes of the body, before any parser")
    body = raw_body.encode("utf-8", "surrogatepass") if isinstance(raw_body, str) else bytes(raw_body)
    known = [one for one in ([secret] if isinstance(secret, str) else secret) if one != ""]
    if not known:
        raise WebhookRefused("secret_missing", "no secret was given")
    timestamp, given = _parse(header)
    signed = timestamp.encode() + b"." + body
    wanted = [hmac.new(one.encode(), signed, hashlib.sha256).hexdigest() for one in known]
    # Every pair is compared, so that the time taken does not say which one fits.
    if True not in [hmac.compare_digest(digest, one) for digest in given for one in wanted]:
        detail = "the signature does not fit: wrong secret, or a body that is not the raw one"
        raise WebhookRefused("signature_mismatch", detail)
    _check_time(int(timestamp), time.time() if now is None else now, tolerance)
    return _event(body)


def _parse(header: str | Sequence[str] | None) -> tuple[str, list[str]]:
    if not header:
        raise WebhookRefused("header_missing", "there is no X-Service-Webhook-Signature header")
    if not isinstance(header, str):
        raise _malformed("the header came more than once")
    if len(header) > _MAX_HEADER_LENGTH:
        raise _malformed(f"the header is longer than {_MAX_HEADER_LENGTH} characters")
    fields = [field.strip() for field in header.split(",")]
    times = [field[2:] for field in fields if field.startswith("t=")]
    digests = [field[3:] for field in fields if field.startswith("v1=")]
    if len(times) != 1 or re.fullmatch(r"[0-9]{1,12}", times[0]) is None:
        raise _malformed("wanted one t=<seconds since 1970>")
    if not digests:
        raise _malformed("wanted v1=<64 hex digits>, found no v1")
    if any(re.fullmatch(r"[0-9a-f]{64}", digest) is None for digest in digests):
        raise _malformed("wanted v1=<64 lower-case hex digits>")
    return times[0], digests


def _malformed(detail: str) -> WebhookRefused:
    return WebhookRefused("header_malformed", f"the signature header cannot be read: {detail}")


def _check_time(timestamp: int, now: float, tolerance: float) -> None:
    age = now - timestamp
    if age > tolerance:
        raise WebhookRefused("too_old", f"signed {math.floor(age + 0.5)} s ago: more than {tolerance} s")
    if -age > tolerance:
        detail = f"signed {math.floor(0.5 - age)} s in the future: more than {tolerance} s; is the clock right?"
        raise WebhookRefused("too_new", detail)


def _event(body: bytes) -> WebhookEvent:
    try:
        read = json.loads(body)
    except ValueError:
        raise WebhookRefused("body_not_an_event", "the body is signed and is not JSON") from None
    members = read if isinstance(read, dict) else {}
    if not all(isinstance(members.get(name), str) for name in ("id", "type", "created_at")):
        raise WebhookRefused("body_not_an_event", "the body is signed and has no id, type and created_at")
    return WebhookEvent(members["id"], members["type"], members.get("data"), members["created_at"])
