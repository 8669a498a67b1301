"""Client of the Firstmile service."""

from importlib.metadata import version as _version

from ._client import AsyncClient, Client
from ._errors import (
    Conflict,
    FirstmileError,
    Forbidden,
    InvalidRequest,
    NotFound,
    TaskFailed,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    UnexpectedAnswer,
    Unreachable,
)
from ._geo import to_geodataframe
from ._messages import Part, Said, codes_of
from ._runs import AsyncFeatureRun, FeatureRun
from ._webhooks import WebhookEvent, WebhookRefused, verify_webhook

__version__ = _version("firstmile")

__all__ = [
    "AsyncClient",
    "AsyncFeatureRun",
    "Client",
    "Conflict",
    "FeatureRun",
    "FirstmileError",
    "Forbidden",
    "InvalidRequest",
    "NotFound",
    "Part",
    "Said",
    "TaskFailed",
    "TooManyRequests",
    "Unauthenticated",
    "Unavailable",
    "UnexpectedAnswer",
    "Unreachable",
    "WebhookEvent",
    "WebhookRefused",
    "__version__",
    "codes_of",
    "to_geodataframe",
    "verify_webhook",
]
