"""The clients: ``Client``, and ``AsyncClient`` with the same calls to await."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, Literal

import httpx

from . import _flows
from ._drive import AsyncDriver, Driver
from ._flows import AT_A_TIME, OnTask, Task
from ._retries import Retries
from ._runs import AsyncFeatureRun, FeatureRun
from ._sources import Form, OnSent, Source, fields_of
from ._steps import Request, Steps, call, read_bytes, read_json

Field = str | int | float | bool | Mapping[str, Any] | None
What = Literal["plots", "deforestation_check", "biomass_emissions", "biodiversity", "supply_shed"]
OnAccepted = Callable[[str, str | None], None]
"""Hears the ids of collection and task as soon as a batch is accepted."""

_URL = "http://127.0.0.1:8080"


class _Operations:
    """Requests by method and path, as steps."""

    def __init__(self, retries: Retries) -> None:
        self.retries = retries

    def send(self, method: str, path: str, given: Mapping[str, Any], accept: str | None = None) -> Steps:
        form, file = given.get("form"), given.get("file")
        request = Request(
            method,
            path,
            params=given.get("params") or {},
            json=given.get("json"),
            form=None if form is None and file is None else Form(fields_of(form or {}), file),
            accept=accept or "application/json",
            idempotency_key=given.get("idempotency_key"),
        )
        return call(request, self.retries, read_json if accept is None else read_bytes)


class Client:
    """Calls a service. Nothing is sent before the first call; close it, or use it in a ``with``.

    ``url`` and ``token`` default to ``FIRSTMILE_URL`` (else http://127.0.0.1:8080) and ``FIRSTMILE_TOKEN`` of the environment.
    ``language`` is what sentences are wanted in, as ``Accept-Language`` has it, such as ``de`` or ``pt-BR``; else they are English.
    A request is sent again up to ``retries`` times, with waits of up to ``longest_wait`` seconds; an answer that is silent for
    ``silence`` seconds counts as lost. ``transport`` is one of httpx, ``sleep`` waits between attempts.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        language: str | None = None,
        retries: int = 4,
        longest_wait: float = 60,
        silence: float = 300,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._http = httpx.Client(base_url=_address(url), headers=_spoken(language), transport=transport)
        self._driver = Driver(self._http, _token(token), silence, sleep)
        self._operations = _Operations(Retries(retries, longest_wait))
        self.facilities = Facilities(self._driver, self._operations.retries)
        self.locations = Locations(self._driver, self._operations.retries)
        self.collections = Collections(self._driver, self._operations.retries)
        self.tasks = Tasks(self._driver, self._operations.retries)

    def get(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        """The JSON answer of a path of the reference."""
        return self._driver.run(self._operations.send("GET", path, {"params": params}))

    def post(self, path: str, **given: Any) -> Any:
        """The same with ``json``, or with ``form`` (a mapping) and ``file``; ``params`` and ``idempotency_key``."""
        return self._driver.run(self._operations.send("POST", path, given))

    def put(self, path: str, **given: Any) -> Any:
        return self._driver.run(self._operations.send("PUT", path, given))

    def patch(self, path: str, **given: Any) -> Any:
        return self._driver.run(self._operations.send("PATCH", path, given))

    def delete(self, path: str, **given: Any) -> Any:
        return self._driver.run(self._operations.send("DELETE", path, given))

    def download(self, path: str, params: Mapping[str, Any] | None = None, *, accept: str = "*/*") -> bytes:
        """An answer as bytes: tables and archives."""
        answer: bytes = self._driver.run(self._operations.send("GET", path, {"params": params}, accept))
        return answer

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Facilities:
    def __init__(self, driver: Driver, retries: Retries) -> None:
        self._driver = driver
        self._retries = retries

    def validate(
        self,
        source: Source,
        *,
        commodity_type: str | None = None,
        commodity_radius: float | None = None,
        check_water_access: bool | None = None,
        check_port_proximity: bool | None = None,
        check_road_access: bool | None = None,
        at_a_time: int = AT_A_TIME,
        on_sent: OnSent | None = None,
    ) -> FeatureRun:
        """Rates places from a file or features: one result for each, in order, while they arrive.

        Features from an iterator are sent in requests of ``at_a_time``.
        """
        fields = {
            "commodity_type": commodity_type,
            "commodity_radius": commodity_radius,
            "check_water_access": check_water_access,
            "check_port_proximity": check_port_proximity,
            "check_road_access": check_road_access,
        }
        return _run_of(self._driver, self._retries, "/validate_facilities", source, fields, at_a_time, on_sent)


class Locations:
    def __init__(self, driver: Driver, retries: Retries) -> None:
        self._driver = driver
        self._retries = retries

    def validate(
        self, source: Source, *, at_a_time: int = AT_A_TIME, on_sent: OnSent | None = None, **fields: Field
    ) -> FeatureRun:
        """Reads a file of any format and checks each location. ``fields`` are those of ``/validate_locations``."""
        return _run_of(self._driver, self._retries, "/validate_locations", source, fields, at_a_time, on_sent)

    def normalize(
        self, source: Source, *, at_a_time: int = AT_A_TIME, on_sent: OnSent | None = None, **fields: Field
    ) -> FeatureRun:
        """Reads a file of any format: clean locations out of messy ones."""
        return _run_of(self._driver, self._retries, "/normalize_locations", source, fields, at_a_time, on_sent)


def _run_of(
    driver: Driver,
    retries: Retries,
    path: str,
    source: Source,
    fields: Mapping[str, Any],
    at_a_time: int,
    on_sent: OnSent | None,
) -> FeatureRun:
    return FeatureRun(
        driver,
        lambda aggregate: _flows.stream_features(retries, path, source, fields, aggregate, at_a_time, on_sent),
    )


class Collections:
    def __init__(self, driver: Driver, retries: Retries) -> None:
        self._driver = driver
        self._retries = retries

    def run(
        self,
        source: Source | None = None,
        *,
        collection_name: str | None = None,
        on_sent: OnSent | None = None,
        on_accepted: OnAccepted | None = None,
        on_task: OnTask | None = None,
        idempotency_key: str | None = None,
        **fields: Field,
    ) -> dict[str, Any]:
        """Has a file processed, follows the batch to its end and returns the collection.

        ``fields`` are those of ``/batch_process``; ``filename`` names a staged collection in place of a source. Raises
        ``TaskFailed`` where the batch failed or was cancelled. The batch does not depend on who follows it.
        """
        given: dict[str, Field] = {"collection_name": collection_name, **fields}
        collection: dict[str, Any] = self._driver.run(
            _flows.run_batch(self._retries, source, given, on_sent, on_accepted, on_task, idempotency_key)
        )
        return collection

    def resume(self, collection_id: str, *, on_task: OnTask | None = None) -> dict[str, Any]:
        """Follows a batch that was begun before, by the id of its collection."""
        collection: dict[str, Any] = self._driver.run(_flows.finish_batch(self._retries, collection_id, collection_id, on_task))
        return collection

    def follow(self, collection_id: str) -> Iterator[Task]:
        """The states of the last batch of a collection as they change, until it has ended."""
        return self._driver.items(_flows.follow_batch(self._retries, collection_id))

    def features(self, collection_id: str, what: What, **where: Any) -> Iterator[dict[str, Any]]:
        """What was found, in the order of the file, page by page. ``where`` are parameters and columns to filter by."""
        return self._driver.items(_flows.fetch_features(self._retries, collection_id, what, where))


class Tasks:
    def __init__(self, driver: Driver, retries: Retries) -> None:
        self._driver = driver
        self._retries = retries

    def follow(self, task_id: str) -> Iterator[Task]:
        """The states of a task as they change, until it has ended."""
        return self._driver.items(_flows.follow_task(self._retries, task_id))


class AsyncClient:
    """``Client`` with calls to await: use it in an ``async with``. Cancelling a call closes its connection."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        language: str | None = None,
        retries: int = 4,
        longest_wait: float = 60,
        silence: float = 300,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._http = httpx.AsyncClient(base_url=_address(url), headers=_spoken(language), transport=transport)
        self._driver = AsyncDriver(self._http, _token(token), silence, sleep)
        self._operations = _Operations(Retries(retries, longest_wait))
        self.facilities = AsyncFacilities(self._driver, self._operations.retries)
        self.locations = AsyncLocations(self._driver, self._operations.retries)
        self.collections = AsyncCollections(self._driver, self._operations.retries)
        self.tasks = AsyncTasks(self._driver, self._operations.retries)

    async def get(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        """The JSON answer of a path of the reference."""
        return await self._driver.run(self._operations.send("GET", path, {"params": params}))

    async def post(self, path: str, **given: Any) -> Any:
        """The same with ``json``, or with ``form`` (a mapping) and ``file``; ``params`` and ``idempotency_key``."""
        return await self._driver.run(self._operations.send("POST", path, given))

    async def put(self, path: str, **given: Any) -> Any:
        return await self._driver.run(self._operations.send("PUT", path, given))

    async def patch(self, path: str, **given: Any) -> Any:
        return await self._driver.run(self._operations.send("PATCH", path, given))

    async def delete(self, path: str, **given: Any) -> Any:
        return await self._driver.run(self._operations.send("DELETE", path, given))

    async def download(self, path: str, params: Mapping[str, Any] | None = None, *, accept: str = "*/*") -> bytes:
        """An answer as bytes: tables and archives."""
        answer: bytes = await self._driver.run(self._operations.send("GET", path, {"params": params}, accept))
        return answer

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class AsyncFacilities:
    def __init__(self, driver: AsyncDriver, retries: Retries) -> None:
        self._driver = driver
        self._retries = retries

    def validate(
        self,
        source: Source,
        *,
        commodity_type: str | None = None,
        commodity_radius: float | None = None,
        check_water_access: bool | None = None,
        check_port_proximity: bool | None = None,
        check_road_access: bool | None = None,
        at_a_time: int = AT_A_TIME,
        on_sent: OnSent | None = None,
    ) -> AsyncFeatureRun:
        """Rates places from a file or features: one result for each, in order, while they arrive."""
        fields = {
            "commodity_type": commodity_type,
            "commodity_radius": commodity_radius,
            "check_water_access": check_water_access,
            "check_port_proximity": check_port_proximity,
            "check_road_access": check_road_access,
        }
        return _async_run_of(self._driver, self._retries, "/validate_facilities", source, fields, at_a_time, on_sent)


class AsyncLocations:
    def __init__(self, driver: AsyncDriver, retries: Retries) -> None:
        self._driver = driver
        self._retries = retries

    def validate(
        self, source: Source, *, at_a_time: int = AT_A_TIME, on_sent: OnSent | None = None, **fields: Field
    ) -> AsyncFeatureRun:
        """Reads a file of any format and checks each location. ``fields`` are those of ``/validate_locations``."""
        return _async_run_of(self._driver, self._retries, "/validate_locations", source, fields, at_a_time, on_sent)

    def normalize(
        self, source: Source, *, at_a_time: int = AT_A_TIME, on_sent: OnSent | None = None, **fields: Field
    ) -> AsyncFeatureRun:
        """Reads a file of any format: clean locations out of messy ones."""
        return _async_run_of(self._driver, self._retries, "/normalize_locations", source, fields, at_a_time, on_sent)


def _async_run_of(
    driver: AsyncDriver,
    retries: Retries,
    path: str,
    source: Source,
    fields: Mapping[str, Any],
    at_a_time: int,
    on_sent: OnSent | None,
) -> AsyncFeatureRun:
    return AsyncFeatureRun(
        driver,
        lambda aggregate: _flows.stream_features(retries, path, source, fields, aggregate, at_a_time, on_sent),
    )


class AsyncCollections:
    def __init__(self, driver: AsyncDriver, retries: Retries) -> None:
        self._driver = driver
        self._retries = retries

    async def run(
        self,
        source: Source | None = None,
        *,
        collection_name: str | None = None,
        on_sent: OnSent | None = None,
        on_accepted: OnAccepted | None = None,
        on_task: OnTask | None = None,
        idempotency_key: str | None = None,
        **fields: Field,
    ) -> dict[str, Any]:
        """Has a file processed, follows the batch to its end and returns the collection, as ``Collections.run`` does."""
        given: dict[str, Field] = {"collection_name": collection_name, **fields}
        collection: dict[str, Any] = await self._driver.run(
            _flows.run_batch(self._retries, source, given, on_sent, on_accepted, on_task, idempotency_key)
        )
        return collection

    async def resume(self, collection_id: str, *, on_task: OnTask | None = None) -> dict[str, Any]:
        """Follows a batch that was begun before, by the id of its collection."""
        collection: dict[str, Any] = await self._driver.run(_flows.finish_batch(self._retries, collection_id, collection_id, on_task))
        return collection

    def follow(self, collection_id: str) -> AsyncIterator[Task]:
        """The states of the last batch of a collection as they change, until it has ended."""
        return self._driver.items(_flows.follow_batch(self._retries, collection_id))

    def features(self, collection_id: str, what: What, **where: Any) -> AsyncIterator[dict[str, Any]]:
        """What was found, in the order of the file, page by page. ``where`` are parameters and columns to filter by."""
        return self._driver.items(_flows.fetch_features(self._retries, collection_id, what, where))


class AsyncTasks:
    def __init__(self, driver: AsyncDriver, retries: Retries) -> None:
        self._driver = driver
        self._retries = retries

    def follow(self, task_id: str) -> AsyncIterator[Task]:
        """The states of a task as they change, until it has ended."""
        return self._driver.items(_flows.follow_task(self._retries, task_id))


def _address(url: str | None) -> str:
    return (url or os.environ.get("FIRSTMILE_URL") or _URL).rstrip("/")


def _spoken(language: str | None) -> dict[str, str]:
    return {} if language is None else {"accept-language": language}


def _token(token: str | None) -> str | None:
    """An empty one is none: it keeps that of the environment from being sent."""
    given = os.environ.get("FIRSTMILE_TOKEN") if token is None else token
    return given or None
