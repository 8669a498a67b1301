"""What the service says: codes with parameters, the same in every language, next to the sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict, cast

from ._errors import FirstmileError

Param = str | int | float | Mapping[str, Any] | Sequence[Any]
"""What fills a blank: a number or text, or words that are a code with parameters themselves."""


class Said(TypedDict):
    """A sentence, or words in one."""

    code: str
    params: NotRequired[Mapping[str, Param]]
    message: str


class Part(TypedDict):
    """A sentence of a text, without its words."""

    code: str
    params: Mapping[str, Param]


def codes_of(holder: Mapping[str, Any], name: str) -> list[Part]:
    """What the text ``name`` of an object says, sentence by sentence; empty where the service gives no codes for it.

    ``holder`` is what holds the text: the properties of a feature, a warning, an entry of the receipt. A sentence that
    repeats one of the receipt is given as that one. For a list of texts, those of all of them.
    """
    codes = (holder.get("messages") or {}).get(name)
    if codes is None:
        own = isinstance(holder.get("code"), str) and isinstance(holder.get("params"), Mapping)
        return [{"code": holder["code"], "params": holder["params"]}] if own and name in ("message", "detail") else []
    evidence = {entry.get("indicator"): entry for entry in holder.get("evidence") or ()}
    found: list[Part] = []
    for part in _flat(codes):
        if "evidence" in part:
            entry = evidence.get(part["evidence"], {})
            if "code" not in entry:
                raise FirstmileError(f"No entry {part['evidence']} in the evidence.", code="unexpected_answer")
            found.append({"code": entry["code"], "params": entry["params"]})
        else:
            found.append(cast(Part, part))
    return found


def _flat(codes: Sequence[Any]) -> list[dict[str, Any]]:
    flat: list[dict[str, Any]] = []
    for one in codes:
        if isinstance(one, list):
            flat.extend(one)
        elif one is not None:
            flat.append(one)
    return flat
