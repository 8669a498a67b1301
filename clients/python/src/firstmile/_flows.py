"""The calls that people make, as steps: streams that go on where they were cut, batches that are followed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ._errors import FirstmileError, TaskFailed, Unreachable, cut_off
from ._retries import Retries
from ._sources import File, Form, OnSent, Source, fields_of, file_of, files_of, query_of
from ._steps import Answer, Give, Piece, Request, Steps, Wait, call, fill, filtered, read_json, unread

Task = dict[str, Any]
OnTask = Callable[[Task], None]

AT_A_TIME = 100
_PAGE = 1_000
_AGAIN_S = 2.0
_EVENT_SILENCE_S = 45.0
"""The service breaks its silence every 15 s."""

FETCHED = {
    "plots": "/fetch_plots",
    "deforestation_check": "/fetch_deforestation_check",
    "biomass_emissions": "/fetch_biomass_emissions",
    "biodiversity": "/fetch_biodiversity",
    "supply_shed": "/fetch_supply_shed",
}
"""What can be fetched, one feature for each location or facility."""


def lines(answer: Answer) -> Steps:
    """Gives each line of an answer, without its end."""
    rest = b""
    while (piece := (yield Piece(answer))) is not None:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield Give(line.removesuffix(b"\r"))
    if rest:
        yield Give(rest.removesuffix(b"\r"))


def resumed(retries: Retries, attempt: Callable[[], Steps]) -> Steps:
    """The items of an answer that is opened again where it breaks off, without those that came before.

    ``attempt`` must give the same items in the same order. Attempts are counted anew after each item that is new.
    """
    given = at = sent = 0

    def take(item: Any) -> Any:
        nonlocal given, at, sent
        at += 1
        if at <= given:
            return None
        given, sent = at, 1
        return item

    while True:
        sent += 1
        at = 0
        try:
            yield from filtered(attempt(), take)
            if at < given:
                raise cut_off("it came again with fewer items")
            return
        except Unreachable as error:
            # `attempt` has sent requests again by itself already.
            wait = retries.wait_before(error, True, sent) if error.code == "cut_off" else None
            if wait is None:
                raise
        yield Wait(wait)


class Aggregate:
    """What the last line of a stream says about all of it."""

    def __init__(self) -> None:
        self.value: dict[str, Any] | None = None


def stream_features(
    retries: Retries,
    path: str,
    source: Source,
    fields: Mapping[str, Any],
    aggregate: Aggregate,
    at_a_time: int,
    on_sent: OnSent | None,
) -> Steps:
    """Sends a file to an operation that answers with one feature for each, and gives the results as they arrive."""
    aggregate.value = None
    requests = 0
    for file in files_of(source, at_a_time):
        requests += 1
        form = Form(fields_of(fields), file, on_sent)
        yield from resumed(retries, lambda form=form: _rate(retries, path, form, aggregate))  # type: ignore[misc]
    if requests != 1:
        aggregate.value = None


def _rate(retries: Retries, path: str, form: Form, aggregate: Aggregate) -> Steps:
    answer = yield from call(Request("POST", path, form=form, accept="application/x-ndjson"), retries, unread)
    end: list[dict[str, Any]] = []

    def take(line: bytes) -> Any:
        item = parse(line)
        if item.get("type") != "FeatureCollection":
            return item
        end.append(item.get("properties") or {})
        return None

    yield from filtered(lines(answer), take)
    if not end:
        raise cut_off("its last line is missing")
    aggregate.value = end[0]


def parse(line: bytes) -> dict[str, Any]:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        raise cut_off("a line is not whole") from None
    if not isinstance(item, dict):
        raise cut_off("a line is no feature")
    return item


def fetch_features(retries: Retries, collection_id: str, what: str, where: Mapping[str, Any]) -> Steps:
    """What was found, in the order of the file, page by page."""
    after: str | None = None
    while True:
        params = {**where, "filename": collection_id, "limit": _PAGE, "after": after}
        request = Request("GET", FETCHED[what], query_of(params), accept="application/x-ndjson")
        following: list[str | None] = []

        def page(request: Request = request, following: list[str | None] = following) -> Steps:
            answer = yield from call(request, retries, unread)
            following.append(_next_page(answer.headers.get("link", "")))
            yield from filtered(lines(answer), parse)

        yield from resumed(retries, page)
        after = following[-1]
        if after is None:
            return


def _next_page(link: str) -> str | None:
    found = re.search(r'<([^>]*)>;\s*rel="?next"?', link)
    return None if found is None else parse_qs(urlsplit(found[1]).query)["after"][0]


def follow_task(retries: Retries, task_id: str) -> Steps:
    """The states of a task as they change, until it has ended."""
    polled = Request("GET", fill("/tasks/{id}", id=task_id))
    return _follow(retries, polled, Request("GET", fill("/tasks/{id}/events", id=task_id)), "")


def follow_batch(retries: Retries, collection_id: str) -> Steps:
    """The same for the last task of a collection. Gives nothing where none was begun."""
    request = Request("GET", "/batch_progress", {"tracking_id": collection_id})
    return _follow(retries, request, request, "task")


def _follow(retries: Retries, polled: Request, followed: Request, member: str) -> Steps:
    """States until one that is not ``processing``, each once.

    By the stream of events, from the last event on, and by polling where it breaks off. ``member`` of what is polled is the
    task; empty: all of it is.
    """
    last: Task | None = None
    reader = _EventReader()

    def new(task: Task) -> Task | None:
        nonlocal last
        is_new, last = task != last, task
        return task if is_new else None

    while True:
        found: dict[str, Any] = yield from call(polled, retries, read_json)
        task: Task | None = found[member] if member else found
        if task is None:
            return
        if new(task) is not None:
            yield Give(task)
        if not _is_processing(task):
            return
        headers = {"last-event-id": reader.last_id} if reader.last_id else {}
        events = replace(followed, accept="text/event-stream", headers=headers, silence=_EVENT_SILENCE_S)
        try:
            answer = yield from call(events, retries, unread)
            reader.begin()
            states = filtered(lines(answer), reader.take, lambda state: not _is_processing(state))
            yield from filtered(states, new)
        except FirstmileError as error:
            if error.status == 404:
                raise
        if last is not None and not _is_processing(last):
            return
        yield Wait(_AGAIN_S)


def _is_processing(task: Task) -> bool:
    return bool(task["status"] == "processing")


class _EventReader:
    """Server-Sent Events, line by line."""

    def __init__(self) -> None:
        self.last_id = ""
        """Of the last event that came whole; empty where it had none."""
        self._id = ""
        self._data: list[str] = []

    def begin(self) -> None:
        """Forgets the part of an event with which a stream before broke off."""
        self._id = self.last_id
        self._data = []

    def take(self, text: bytes) -> Task | None:
        """The state of an event that ends with this line; ``gone`` has none: polling says why."""
        line = text.decode("utf-8", "replace")
        if line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        elif line.startswith("id:"):
            self._id = line[3:].strip()
        elif line == "" and self._data:
            task: Task = parse("\n".join(self._data).encode())
            self.last_id, self._data = self._id, []
            return task if "status" in task else None
        return None


def run_batch(
    retries: Retries,
    source: Source | None,
    fields: Mapping[str, Any],
    on_sent: OnSent | None,
    on_accepted: Callable[[str, str | None], None] | None,
    on_task: OnTask | None,
    idempotency_key: str | None,
) -> Steps:
    """Has a file processed, follows the batch and returns its collection. Without a file ``fields`` names a staged one."""
    file: File | None = None if source is None else file_of(source)
    request = Request(
        "POST", "/batch_process", form=Form(fields_of(fields), file, on_sent), idempotency_key=idempotency_key
    )
    work = yield from call(request, retries, read_json)
    if on_accepted is not None:
        on_accepted(work["collection_id"], work["task_id"])
    tracking_id = work["task_id"] or work["collection_id"]
    return (yield from finish_batch(retries, work["collection_id"], tracking_id, on_task))


def finish_batch(retries: Retries, collection_id: str, tracking_id: str, on_task: OnTask | None) -> Steps:
    """Follows a task of a collection, or its last one by the id of the collection, and returns the collection."""

    def take(task: Task) -> None:
        if on_task is not None:
            on_task(task)
        _want_success(task, f"Task {task['task_id']}")

    yield from filtered(follow_batch(retries, tracking_id), take)
    request = Request("GET", fill("/collections/{id}", id=collection_id))
    collection: dict[str, Any] = yield from call(request, retries, read_json)
    # Its task may not be kept any more.
    _want_success(collection, f"Collection {collection_id}")
    return collection


def _want_success(ended: Mapping[str, Any], what: str) -> None:
    is_cancelled = ended["status"] == "cancelled"
    if not is_cancelled and ended["status"] != "failed":
        return
    why = (ended.get("error") or {}).get("detail") or ("it was cancelled" if is_cancelled else "no reason is known")
    raise TaskFailed(f"{what}: {why}", code="task_cancelled" if is_cancelled else "task_failed")
