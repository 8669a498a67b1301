"""When a request is sent again, and after how long."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from ._errors import FirstmileError

_FIRST_WAIT_S = 0.5
"""Doubled with each attempt, where the service does not say how long to wait."""


@dataclass(frozen=True)
class Retries:
    attempts: int
    """How often a request is sent again; 0 never."""
    longest_wait: float
    """Seconds. A service that wants a longer wait ends the call with its error."""

    def wait_before(self, error: FirstmileError, is_repeatable: bool, sent: int) -> float | None:
        """Seconds to wait before a request is sent again, or None where it should not be.

        What failed would fail again, or may have been done already. ``sent`` counts the attempts so far, from 1.
        """
        if sent > self.attempts or not _may_be_sent_again(error, is_repeatable):
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.longest_wait else None
        return min(_FIRST_WAIT_S * float(2 ** (sent - 1)) * (0.5 + random.random() / 2), self.longest_wait)


def _may_be_sent_again(error: FirstmileError, is_repeatable: bool) -> bool:
    # Refused before anything was begun.
    if error.status == 429 or error.code in ("queue_full", "shutting_down"):
        return True
    return is_repeatable and (error.status in (0, 502, 503, 504) or error.code == "idempotency_conflict")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a ``Retry-After``, which is a number of seconds or a date; None without one that can be read.

    A date is compared with that of the answer, so that a wrong clock of this machine does not matter.
    """
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    until = _seconds(text)
    if until is None:
        return None
    now = _seconds(headers.get("date", ""))
    return max(0.0, until - (time.time() if now is None else now))


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError, OSError):
        return None
