"""Runs the steps of a call over httpx: with ``await``, and without."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx

from ._errors import FirstmileError, Unreachable, cut_off
from ._sources import query_of
from ._steps import Give, Piece, Request, Send, Steps, Wait

_CONNECT_S = 10.0


@dataclass
class Opened:
    """An answer whose body is read piece by piece."""

    response: httpx.Response
    pieces: Any
    files: ExitStack

    @property
    def status(self) -> int:
        return self.response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        return self.response.headers


class Driver:
    """Moves bytes and waits."""

    def __init__(self, client: httpx.Client, token: str | None, silence: float, sleep: Callable[[float], None]) -> None:
        self._client = client
        self._token = token
        self._silence = silence
        self._sleep = sleep

    def run(self, steps: Steps) -> Any:
        """What the steps return."""
        items = self.items(steps)
        while True:
            try:
                next(items)
            except StopIteration as end:
                return end.value

    def items(self, steps: Steps) -> Iterator[Any]:
        """What the steps give, as it comes."""
        opened: list[Opened] = []
        reply: Any = None
        failure: FirstmileError | None = None
        try:
            while True:
                try:
                    step = steps.send(reply) if failure is None else steps.throw(failure)
                except StopIteration as end:
                    return end.value
                reply = failure = None
                try:
                    if isinstance(step, Give):
                        yield step.item
                    elif isinstance(step, Wait):
                        self._sleep(step.seconds)
                    elif isinstance(step, Send):
                        opened.append(reply := self._open(step.request))
                    else:
                        reply = self._piece(step, opened)
                except FirstmileError as error:
                    failure = error
        finally:
            for answer in opened:
                answer.response.close()
                answer.files.close()

    def _open(self, request: Request) -> Opened:
        files = ExitStack()
        try:
            built = self._client.build_request(**_arguments(request, self._token, self._silence, files))
            response = self._client.send(built, stream=True)
        except httpx.TransportError as error:
            files.close()
            raise _unreachable(error) from error
        except BaseException:
            files.close()
            raise
        return Opened(response, response.iter_bytes(), files)

    def _piece(self, step: Piece, opened: list[Opened]) -> bytes | None:
        answer = step.answer
        assert isinstance(answer, Opened)
        try:
            piece: bytes | None = next(answer.pieces, None)
        except httpx.TransportError as error:
            self._close(answer, opened)
            raise _cut_off(error) from error
        if piece is None:
            self._close(answer, opened)
        return piece

    def _close(self, answer: Opened, opened: list[Opened]) -> None:
        answer.response.close()
        answer.files.close()
        opened.remove(answer)


class AsyncDriver:
    """The same with ``await``."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        token: str | None,
        silence: float,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._client = client
        self._token = token
        self._silence = silence
        self._sleep = sleep

    async def run(self, steps: Steps) -> Any:
        """What the steps return."""
        returned: list[Any] = []
        async for _ in self.items(steps, returned.append):
            pass
        return returned[0]

    async def items(self, steps: Steps, on_return: Callable[[Any], None] | None = None) -> AsyncIterator[Any]:
        """What the steps give, as it comes; ``on_return`` hears what they return."""
        opened: list[Opened] = []
        reply: Any = None
        failure: FirstmileError | None = None
        try:
            while True:
                try:
                    step = steps.send(reply) if failure is None else steps.throw(failure)
                except StopIteration as end:
                    if on_return is not None:
                        on_return(end.value)
                    return
                reply = failure = None
                try:
                    if isinstance(step, Give):
                        yield step.item
                    elif isinstance(step, Wait):
                        await self._sleep(step.seconds)
                    elif isinstance(step, Send):
                        opened.append(reply := await self._open(step.request))
                    else:
                        reply = await self._piece(step, opened)
                except FirstmileError as error:
                    failure = error
        finally:
            for answer in opened:
                answer.files.close()
                await answer.response.aclose()

    async def _open(self, request: Request) -> Opened:
        files = ExitStack()
        try:
            built = self._client.build_request(**_arguments(request, self._token, self._silence, files))
            response = await self._client.send(built, stream=True)
        except httpx.TransportError as error:
            files.close()
            raise _unreachable(error) from error
        except BaseException:
            files.close()
            raise
        return Opened(response, response.aiter_bytes(), files)

    async def _piece(self, step: Piece, opened: list[Opened]) -> bytes | None:
        answer = step.answer
        assert isinstance(answer, Opened)
        try:
            piece: bytes | None = await anext(answer.pieces, None)
        except httpx.TransportError as error:
            await self._close(answer, opened)
            raise _cut_off(error) from error
        if piece is None:
            await self._close(answer, opened)
        return piece

    async def _close(self, answer: Opened, opened: list[Opened]) -> None:
        opened.remove(answer)
        answer.files.close()
        await answer.response.aclose()


def _arguments(request: Request, token: str | None, silence: float, files: ExitStack) -> dict[str, Any]:
    headers = {"accept": request.accept, **request.headers}
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    wait = silence if request.silence is None else min(silence, request.silence)
    arguments: dict[str, Any] = {
        "method": request.method,
        "url": request.path,
        "params": query_of(request.params) or None,
        "headers": headers,
        "timeout": httpx.Timeout(wait, connect=min(wait, _CONNECT_S)),
    }
    if request.form is not None:
        # Fields before the file, so that they are known when it arrives; multipart without a file as well.
        parts: list[tuple[str, Any]] = [(name, (None, value.encode())) for name, value in request.form.fields.items()]
        opened = request.form.open_file()
        if opened is not None:
            files.callback(opened[1].close)
            parts.append(("file", opened))
        arguments["files"] = parts
    elif request.json is not None:
        arguments["json"] = request.json
    return arguments


def _unreachable(error: httpx.TransportError) -> Unreachable:
    return Unreachable(str(error) or type(error).__name__, code="unreachable")


def _cut_off(error: httpx.TransportError) -> Unreachable:
    return cut_off(str(error) or type(error).__name__)
