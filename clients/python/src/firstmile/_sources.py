"""What callers send: files and features, as parts of a form."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

Feature = Mapping[str, Any]
"""A GeoJSON feature."""
File = str | os.PathLike[str] | bytes | BinaryIO
"""A path, bytes, or a file that is opened in binary mode."""
Source = File | Mapping[str, Any] | Iterable[Feature]
"""A file; a FeatureCollection, a list of features or what has ``__geo_interface__``; or features as they come."""
OnSent = Callable[[int, int], None]
"""Hears how many bytes of a file have left, and of how many."""


@dataclass(frozen=True)
class Form:
    fields: Mapping[str, str]
    file: File | None = None
    on_sent: OnSent | None = None

    def open_file(self) -> tuple[str, BinaryIO] | None:
        """Name and content, from the beginning each time. Whoever opens it closes it."""
        if self.file is None:
            return None
        if isinstance(self.file, bytes):
            return "file", self._counted(io.BytesIO(self.file), len(self.file))
        if isinstance(self.file, (str, os.PathLike)):
            path = Path(self.file)
            return path.name, self._counted(path.open("rb"), path.stat().st_size)
        self.file.seek(0, os.SEEK_END)
        size = self.file.tell()
        self.file.seek(0)
        name = getattr(self.file, "name", "file")
        kept = cast(BinaryIO, _Kept(self.file))
        return Path(name).name if isinstance(name, str) else "file", self._counted(kept, size)

    def _counted(self, file: BinaryIO, size: int) -> BinaryIO:
        return file if self.on_sent is None else cast(BinaryIO, _Counted(file, size, self.on_sent))


class _Wrapped(io.RawIOBase):
    """A file in which one method differs."""

    mode = "rb"

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file

    def read(self, size: int = -1) -> bytes:
        return self._file.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        raise io.UnsupportedOperation("fileno")

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._file.close()


class _Kept(_Wrapped):
    """The caller's own file, which stays open."""

    def close(self) -> None:
        pass


class _Counted(_Wrapped):
    def __init__(self, file: BinaryIO, size: int, on_sent: OnSent) -> None:
        super().__init__(file)
        self._size = size
        self._on_sent = on_sent

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        if piece:
            self._on_sent(self._file.tell(), self._size)
        return piece


def fields_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Members of a form as the service reads them; None is left out, objects are written as JSON."""
    return {name: _text(value) for name, value in given.items() if value is not None}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def query_of(given: Mapping[str, Any]) -> dict[str, str]:
    """The same for the query of an address, where a list is written with commas."""
    return {
        name: ",".join(map(_text, value)) if isinstance(value, (list, tuple)) else _text(value)
        for name, value in given.items()
        if value is not None
    }


def files_of(source: Source, at_a_time: int) -> Iterator[File]:
    """The files that a source is sent as: one, but for features that come one by one."""
    if isinstance(source, (str, bytes, os.PathLike)) or hasattr(source, "read"):
        yield source  # type: ignore[misc]
        return
    collection = source if isinstance(source, Mapping) else getattr(source, "__geo_interface__", None)
    if collection is not None:
        yield _file(list(collection["features"]))
    elif isinstance(source, (list, tuple)):
        yield _file(source)
    else:
        features = iter(source)
        while part := list(islice(features, at_a_time)):
            yield _file(part)


def _file(features: Iterable[Any]) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": list(features)}).encode()


def file_of(source: Source) -> File:
    """The one file that a source is sent as."""
    return next(files_of(source, 1)) if not isinstance(source, Iterator) else _file(source)
